// Layers of convolutional networks: each function launches the kernel of layers.cuh (which the workload's
// module must hold) and computes the same on the host.
#ifndef WL_LAYERS_H
#define WL_LAYERS_H

#include "common/wl.h"

// A stack of maps on the host and on the device. The two are the same but for rounding.
struct tensor {
  int maps, height, width;
  float *host;
  CUdeviceptr dev;
};

// What slides over the maps.
struct window {
  int size, stride, pad;
};

// An image with three colours.
struct tensor net_image(struct wl_run *r, int side);
// Room for the output of layers that are put side by side.
struct tensor net_room(struct wl_run *r, int maps, int height, int width);

// Convolution with weights drawn for it.
struct tensor net_conv(struct wl_run *r, const struct tensor *in, int maps, struct window w, bool relu);
// The same into maps first .. first + maps - 1 of a tensor that is there.
void net_conv_into(struct wl_run *r, const struct tensor *in, struct tensor *out, int first, int maps,
                   struct window w, bool relu);
struct tensor net_pool(struct wl_run *r, const struct tensor *in, struct window w);
struct tensor net_normalise(struct wl_run *r, const struct tensor *in);
// Fully connected; the output has one value a map.
struct tensor net_full(struct wl_run *r, const struct tensor *in, int outputs, bool relu);
// Sum of two tensors of the same shape, negative values cut off.
struct tensor net_add(struct wl_run *r, const struct tensor *a, const struct tensor *b);
// Mean of each map.
struct tensor net_mean(struct wl_run *r, const struct tensor *in);

// Compares the device's values with the host's.
bool net_check(struct wl_run *r, const char *what, const struct tensor *t);

#endif
