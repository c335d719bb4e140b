// The layers of SqueezeNet.
#include "../layers/layers.cuh"
