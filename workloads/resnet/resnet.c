// The head of a residual network on one image: the first convolution and pooling, bottleneck blocks (1 x 1,
// 3 x 3, 1 x 1 convolutions around which the input is added), mean and classes. Batch normalisation is part
// of the weights.
#include "layers/layers.h"

WL_PTX(resnet);

static const struct window one = {1, 1, 0}, three = {3, 1, 1};

// The first block widens its input by a convolution, later ones pass it on as it is.
static struct tensor bottleneck(struct wl_run *r, const struct tensor *in, int width, bool widen) {
  struct tensor a = net_conv(r, in, width, one, true), b = net_conv(r, &a, width, three, true);
  struct tensor c = net_conv(r, &b, 4 * width, one, false);
  struct tensor around = widen ? net_conv(r, in, 4 * width, one, false) : *in;
  return net_add(r, &c, &around);
}

static bool run(struct wl_run *r) {
  static const struct {
    int side, maps, width, blocks, classes;
  } shapes[WL_SIZES] = {{32, 8, 8, 1, 10}, {72, 32, 16, 2, 10}, {224, 64, 32, 1, 100}};
  static const struct window first = {7, 2, 3}, pool = {3, 2, 1};
  struct tensor image = net_image(r, shapes[r->size].side);
  struct tensor c1 = net_conv(r, &image, shapes[r->size].maps, first, true), p1 = net_pool(r, &c1, pool);
  struct tensor x = p1;
  for (int b = 0; b < shapes[r->size].blocks; b++) x = bottleneck(r, &x, shapes[r->size].width, b == 0);
  struct tensor mean = net_mean(r, &x), out = net_full(r, &mean, shapes[r->size].classes, false);
  bool ok = net_check(r, "conv1", &c1) && net_check(r, "pool1", &p1);
  return ok && net_check(r, "block", &x) && net_check(r, "class", &out);
}

const struct workload wl_resnet = {
    .name = "resnet",
    .suite = "Tango",
    .pattern = "direct convolution, 7 x 7 then bottlenecks: inputs shared by all blocks of a layer",
    .sizes = {"32 x 32 image, 8 maps, 1 block", "72 x 72 image, 32 maps, 2 blocks",
              "224 x 224 image, 64 maps, 1 block"},
    .ptx = wl_ptx_resnet,
    .run = run,
};
