// SqueezeNet on one image: a convolution, pooling, fire modules (a narrow 1 x 1 convolution feeding a 1 x 1
// and a 3 x 3 one side by side), classes by a convolution and the mean.
#include "layers/layers.h"

WL_PTX(squeezenet);

static const struct window one = {1, 1, 0}, three = {3, 1, 1}, pool = {3, 2, 0};

static struct tensor fire(struct wl_run *r, const struct tensor *in, int narrow, int wide) {
  struct tensor squeezed = net_conv(r, in, narrow, one, true);
  struct tensor out = net_room(r, 2 * wide, in->height, in->width);
  net_conv_into(r, &squeezed, &out, 0, wide, one, true);
  net_conv_into(r, &squeezed, &out, wide, wide, three, true);
  return out;
}

static bool run(struct wl_run *r) {
  static const struct {
    int side, maps, narrow, wide, classes;
  } shapes[WL_SIZES] = {{35, 8, 4, 8, 10}, {99, 32, 8, 24, 10}, {227, 64, 16, 64, 100}};
  static const struct window first = {3, 2, 0};
  int narrow = shapes[r->size].narrow, wide = shapes[r->size].wide;
  struct tensor image = net_image(r, shapes[r->size].side);
  struct tensor c1 = net_conv(r, &image, shapes[r->size].maps, first, true), p1 = net_pool(r, &c1, pool);
  struct tensor f2 = fire(r, &p1, narrow, wide), f3 = fire(r, &f2, narrow, wide);
  struct tensor p3 = net_pool(r, &f3, pool), f4 = fire(r, &p3, 2 * narrow, 2 * wide);
  struct tensor c10 = net_conv(r, &f4, shapes[r->size].classes, one, true), out = net_mean(r, &c10);
  bool ok = net_check(r, "conv1", &c1) && net_check(r, "fire2", &f2) && net_check(r, "fire3", &f3);
  return ok && net_check(r, "fire4", &f4) && net_check(r, "class", &out);
}

const struct workload wl_squeezenet = {
    .name = "squeezenet",
    .suite = "Tango",
    .pattern = "direct convolution, mostly 1 x 1: few weights, inputs shared by all blocks of a layer",
    .sizes = {"35 x 35 image, 8 maps", "99 x 99 image, 32 maps", "227 x 227 image, 64 maps"},
    .ptx = wl_ptx_squeezenet,
    .run = run,
};
