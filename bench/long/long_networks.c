/* Long programs: a convolution network's inference, a transformer's decoding, the training of a network of three layers. */
#include "common/inputs.h"
#include "long.h"

/* ---- inference of a convolution network ---- */

enum { TILE = 16, PICTURE = 64 };

/* Four stages of four convolutions, each with twice the maps and half the side of the one before; a step is an image. */
static uint64_t convnet(struct wl_run *r, long steps) {
  enum { STAGES = 4, DEPTH = 4, FIRST = 16 };
  size_t most = (size_t)FIRST * PICTURE * PICTURE;
  CUdeviceptr a = WL_DEV(r, float, most), b = WL_DEV(r, float, most), weights[STAGES][DEPTH];
  for (int s = 0; s < STAGES; s++)
    for (int d = 0; d < DEPTH; d++) {
      int out = FIRST << s, in = s + d == 0 ? 3 : d == 0 ? out / 2 : out;
      weights[s][d] = WL_UP(r, wl_weights(r, (long)out * in * 9, in * 9), (long)out * in * 9);
    }
  for (long i = 0; i < steps; i++) {
    int side = PICTURE;
    WL_PUT(r, a, wl_floats(r, 3 * PICTURE * PICTURE, -1, 1), 3 * PICTURE * PICTURE);
    for (int s = 0; s < STAGES; s++) {
      int maps = FIRST << s, tiles = (int)wl_blocks(side, TILE);
      for (int d = 0; d < DEPTH; d++) {
        int in = s + d == 0 ? 3 : d == 0 ? maps / 2 : maps;
        WL_LAUNCH(r, "conv3", wl_3d(tiles, tiles, maps), wl_2d(TILE, TILE), 0, &a, &weights[s][d], &b, &in, &side);
        CUdeviceptr t = a;
        a = b;
        b = t;
      }
      int count = maps * (side / 2) * (side / 2);
      LONG_LINE(r, "pool2", count, 256, &a, &b, &side, &count);
      CUdeviceptr t = a;
      a = b;
      b = t;
      side /= 2;
    }
  }
  return long_sum(r, a, (size_t)(FIRST << (STAGES - 1)) * 4 * 4 * sizeof(float));
}

/* ---- decoding ---- */

/* One token after the other through ten layers; the cache has room for the prompt and all steps. */
static uint64_t decode(struct wl_run *r, long steps) {
  enum { WIDTH = 512, HEADS = 8, LAYERS = 10, INNER = 4 * WIDTH, PROMPT = 64 };
  struct { CUdeviceptr qkv, join, up, down, keys, values; } l[LAYERS];
  long room = (PROMPT + steps) * WIDTH;
  for (int i = 0; i < LAYERS; i++) {
    l[i].qkv = WL_UP(r, wl_weights(r, 3L * WIDTH * WIDTH, WIDTH), 3L * WIDTH * WIDTH);
    l[i].join = WL_UP(r, wl_weights(r, (long)WIDTH * WIDTH, WIDTH), (long)WIDTH * WIDTH);
    l[i].up = WL_UP(r, wl_weights(r, (long)INNER * WIDTH, WIDTH), (long)INNER * WIDTH);
    l[i].down = WL_UP(r, wl_weights(r, (long)WIDTH * INNER, INNER), (long)WIDTH * INNER);
    l[i].keys = WL_UP(r, wl_floats(r, room, -1, 1), room);
    l[i].values = WL_UP(r, wl_floats(r, room, -1, 1), room);
  }
  CUdeviceptr x = WL_UP(r, wl_floats(r, WIDTH, -1, 1), WIDTH), n = WL_DEV(r, float, WIDTH), qkv = WL_DEV(r, float, 3 * WIDTH);
  CUdeviceptr heads = WL_DEV(r, float, WIDTH), inner = WL_DEV(r, float, INNER);
  int width = WIDTH, inner_width = INNER, three = 3 * WIDTH, no = 0, yes = 1;
  for (long s = 0; s < steps; s++) {
    int token = PROMPT + (int)s, tokens = token + 1;
    for (int i = 0; i < LAYERS; i++) {
      WL_LAUNCH(r, "normalise", wl_1d(1), wl_1d(32), 0, &x, &n, &width);
      LONG_LINE(r, "matvec", 3L * WIDTH * 32, 256, &l[i].qkv, &n, &qkv, &three, &width, &no, &no);
      LONG_LINE(r, "remember", WIDTH, 256, &qkv, &l[i].keys, &l[i].values, &token, &width);
      WL_LAUNCH(r, "attend", wl_1d(HEADS), wl_1d(WIDTH / HEADS), (size_t)tokens * sizeof(float), &qkv, &l[i].keys, &l[i].values, &heads,
                &tokens, &width);
      LONG_LINE(r, "matvec", WIDTH * 32L, 256, &l[i].join, &heads, &x, &width, &width, &yes, &no);
      WL_LAUNCH(r, "normalise", wl_1d(1), wl_1d(32), 0, &x, &n, &width);
      LONG_LINE(r, "matvec", INNER * 32L, 256, &l[i].up, &n, &inner, &inner_width, &width, &no, &yes);
      LONG_LINE(r, "matvec", WIDTH * 32L, 256, &l[i].down, &inner, &x, &width, &inner_width, &yes, &no);
    }
  }
  return long_sum(r, x, WIDTH * sizeof(float));
}

/* ---- training ---- */

/* A step is a batch through two layers of weights, forwards and backwards. */
static uint64_t training(struct wl_run *r, long steps) {
  enum { BATCH = 64, IN = 256, HIDDEN = 512, OUT = 64 };
  CUdeviceptr w1 = WL_UP(r, wl_weights(r, (long)IN * HIDDEN, IN), (long)IN * HIDDEN);
  CUdeviceptr w2 = WL_UP(r, wl_weights(r, (long)HIDDEN * OUT, HIDDEN), (long)HIDDEN * OUT);
  CUdeviceptr x = WL_DEV(r, float, BATCH *IN), h = WL_DEV(r, float, BATCH *HIDDEN), y = WL_DEV(r, float, BATCH *OUT);
  CUdeviceptr want = WL_UP(r, wl_floats(r, BATCH * OUT, -1, 1), BATCH * OUT), dy = WL_DEV(r, float, BATCH *OUT);
  CUdeviceptr dh = WL_DEV(r, float, BATCH *HIDDEN);
  int in = IN, hidden = HIDDEN, out = OUT, batch = BATCH, hiddens = BATCH * HIDDEN, outs = BATCH * OUT, no = 0, yes = 1;
  float plain = 0, step = 0.5f;
  struct wl_dim block = wl_2d(TILE, TILE);
  for (long s = 0; s < steps; s++) {
    WL_PUT(r, x, wl_floats(r, BATCH * IN, -1, 1), BATCH * IN);
    WL_LAUNCH(r, "multiply", wl_2d(HIDDEN / TILE, BATCH / TILE), block, 0, &x, &w1, &h, &hidden, &in, &no, &no, &plain);
    LONG_LINE(r, "cut", hiddens, 256, &h, &h, &hiddens);
    WL_LAUNCH(r, "multiply", wl_2d(OUT / TILE, BATCH / TILE), block, 0, &h, &w2, &y, &out, &hidden, &no, &no, &plain);
    LONG_LINE(r, "differences", outs, 256, &y, &want, &dy, &outs);
    WL_LAUNCH(r, "multiply", wl_2d(HIDDEN / TILE, BATCH / TILE), block, 0, &dy, &w2, &dh, &hidden, &out, &no, &yes, &plain);
    LONG_LINE(r, "cut", hiddens, 256, &dh, &h, &hiddens);
    WL_LAUNCH(r, "multiply", wl_2d(OUT / TILE, HIDDEN / TILE), block, 0, &h, &dy, &w2, &out, &batch, &yes, &no, &step);
    WL_LAUNCH(r, "multiply", wl_2d(HIDDEN / TILE, IN / TILE), block, 0, &x, &dh, &w1, &hidden, &batch, &yes, &no, &step);
  }
  return long_sum(r, w1, IN * HIDDEN * sizeof(float));
}

const struct long_program long_networks[] = {
    {"convnet", "inference of a convolution network of 16 layers, a step an image", 12, convnet},
    {"decode", "a transformer's decoding, ten layers of width 512, a step a token", 64, decode},
    {"training", "training of a network of two layers, a step a batch of 64", 150, training},
    {0},
};
