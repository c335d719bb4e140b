// AlexNet on one image: five convolutions, of which the first two are normalised and pooled and the last is
// pooled, and two fully connected layers.
#include "layers/layers.h"

WL_PTX(alexnet);

struct shape {
  int side, maps[5], hidden, classes;
};

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{67, {8, 8, 8, 8, 8}, 32, 10},
                                                {115, {32, 32, 32, 32, 32}, 64, 10},
                                                {227, {96, 64, 96, 96, 64}, 512, 100}};
  static const struct window first = {11, 4, 0}, second = {5, 1, 2}, other = {3, 1, 1}, pool = {3, 2, 0};
  const struct shape *s = &shapes[r->size];
  struct tensor image = net_image(r, s->side);
  struct tensor c1 = net_conv(r, &image, s->maps[0], first, true), n1 = net_normalise(r, &c1);
  struct tensor p1 = net_pool(r, &n1, pool);
  struct tensor c2 = net_conv(r, &p1, s->maps[1], second, true), n2 = net_normalise(r, &c2);
  struct tensor p2 = net_pool(r, &n2, pool);
  struct tensor c3 = net_conv(r, &p2, s->maps[2], other, true);
  struct tensor c4 = net_conv(r, &c3, s->maps[3], other, true);
  struct tensor c5 = net_conv(r, &c4, s->maps[4], other, true), p5 = net_pool(r, &c5, pool);
  struct tensor hidden = net_full(r, &p5, s->hidden, true), out = net_full(r, &hidden, s->classes, false);
  bool ok = net_check(r, "conv1", &c1) && net_check(r, "pool1", &p1) && net_check(r, "conv2", &c2);
  return ok && net_check(r, "conv5", &c5) && net_check(r, "class", &out);
}

const struct workload wl_alexnet = {
    .name = "alexnet",
    .suite = "Tango",
    .pattern = "direct convolution: every block reads the whole input, weights by all lanes alike",
    .sizes = {"67 x 67 image, 8 maps", "115 x 115 image, 32 maps",
              "227 x 227 image, 96 maps in the first layer, later layers narrowed"},
    .ptx = wl_ptx_alexnet,
    .run = run,
};
