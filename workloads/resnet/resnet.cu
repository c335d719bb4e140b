// The layers of a residual network.
#include "../layers/layers.cuh"
