// The layers of AlexNet.
#include "../layers/layers.cuh"
