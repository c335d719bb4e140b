/* Texels: from their bytes to four channels and back.
 *
 * Channels that a texel does not have read as 0, the fourth too. Whole numbers that are read as floats are divided by their largest value;
 * sRGB is decoded after that, except in alpha. */
#include "exec/float_bits.h"
#include "exec/texture/texture_sample.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static uint32_t channel_bytes(const struct exec_texture *t) { return t->texel_bytes / t->channels; }

/* The hardware keeps eight significant bits. */
static float decode_srgb(float x) {
  double linear = x <= 0.04045f ? (double)x / 12.92 : pow(((double)x + 0.055) / 1.055, 2.4);
  int exponent;
  double mantissa = frexp(linear, &exponent);
  return (float)ldexp(rint(mantissa * 256.0) / 256.0, exponent);
}

static float linear[256];

static void fill_linear(void) {
  for (unsigned i = 0; i < 256; i++) linear[i] = decode_srgb((float)i / 255.0f);
}

const float *exec_srgb_to_linear(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_linear);
  return linear;
}

static uint32_t normal_unsigned(uint32_t x, float most) { return exec_bits32((float)x / most); }
static uint32_t normal_signed(int32_t x, float most) {
  float f = (float)x / most;
  return exec_bits32(f < -1.0f ? -1.0f : f);
}

static uint32_t read_channel(const struct exec_texture *t, const unsigned char *p, unsigned i) {
  uint32_t x = 0;
  uint32_t bytes = channel_bytes(t);
  memcpy(&x, p + i * bytes, bytes);
  switch (t->texel) {
  case EXEC_TEXEL_U8:
    if (!t->as_float) return x;
    if (t->srgb && i < 3) return exec_bits32(exec_srgb_to_linear()[x]);
    return normal_unsigned(x, 255.0f);
  case EXEC_TEXEL_U16: return t->as_float ? normal_unsigned(x, 65535.0f) : x;
  case EXEC_TEXEL_S8: return t->as_float ? normal_signed((int8_t)x, 127.0f) : (uint32_t)(int8_t)x;
  case EXEC_TEXEL_S16: return t->as_float ? normal_signed((int16_t)x, 32767.0f) : (uint32_t)(int16_t)x;
  case EXEC_TEXEL_F16: return exec_bits32(exec_f16_to_float(x));
  default: return x;
  }
}

void exec_texel_read(const struct exec_texture *t, const unsigned char *p, uint32_t out[4]) {
  out[0] = out[1] = out[2] = out[3] = 0;
  for (unsigned i = 0; i < t->channels; i++) out[i] = read_channel(t, p, i);
}

/* A formatted store: floats are truncated to f16 (towards zero), whole numbers are clamped to the channel's range. */
static uint32_t write_channel(const struct exec_texture *t, uint32_t x) {
  int32_t s = (int32_t)x;
  switch (t->texel) {
  case EXEC_TEXEL_U8: return x > 255 ? 255 : x;
  case EXEC_TEXEL_U16: return x > 65535 ? 65535 : x;
  case EXEC_TEXEL_S8: return (uint32_t)(s > 127 ? 127 : s < -128 ? -128 : s);
  case EXEC_TEXEL_S16: return (uint32_t)(s > 32767 ? 32767 : s < -32768 ? -32768 : s);
  case EXEC_TEXEL_F16: return exec_narrow((double)exec_float(x), &EXEC_FORMAT_F16, EXEC_RZ, false);
  default: return x;
  }
}

void exec_texel_write(const struct exec_texture *t, unsigned char *p, const uint32_t in[4]) {
  uint32_t bytes = channel_bytes(t);
  for (unsigned i = 0; i < t->channels; i++) {
    uint32_t x = write_channel(t, in[i]);
    memcpy(p + i * bytes, &x, bytes);
  }
}
