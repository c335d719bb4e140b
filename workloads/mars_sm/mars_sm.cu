// String match: a task looks for a keyword among the lines of its piece of a text, a word a line. Key: the addresses of text and
// keyword; value: the size of the keyword with its 0, place and size of the piece.
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"

// Whether the line is the keyword.
static __device__ bool sm_matches(const char *line, const char *keyword) {
  while (*line == *keyword && *keyword != 0) {
    line++;
    keyword++;
  }
  return *line == '\n';
}

// Walks over lines until as many bytes as the piece has have been seen; ends of lines are not counted, so that the walk goes on into the
// next piece. `found` is called with the place of each line that is the keyword, and the keyword's size.
template <class F> static __device__ void sm_walk(const mars_input &in, int task, F found) {
  int4 own = in.records[task];
  int *value = (int *)(in.values + own.z);
  char **key = (char **)(in.keys + own.x);
  int bytes = value[2], start = value[1];
  char *text = key[0], *keyword = key[1];
  int keyword_bytes = value[0], seen = 0;
  char *line = text + start, *at = line;
  while (true) {
#pragma unroll 1
    while (*at != '\n') {
      at++;
      seen++;
    }
    at++;
    if (seen >= bytes) break;
    if (at - line == keyword_bytes && sm_matches(line, keyword)) found((int)(line - text), keyword_bytes);
    line = at;
  }
}

static __device__ void sm_map_count_task(const mars_input &in, const mars_counts &counts, int task) {
  sm_walk(in, task, [&](int, int) { mars_count(counts, task, 4, 4); });
}

// 32 registers are enough for the assembler: four blocks an SM.
extern "C" __global__ void __maxnreg__(32) sm_map_count(MARS_INPUT, MARS_COUNTS) {
  mars_input in = MARS_IN;
  mars_counts counts = MARS_COUNTED;
  MARS_EACH(task, in.count) sm_map_count_task(in, counts, task);
}

static __device__ void sm_map_task(const mars_input &in, const mars_output &out, int task) {
  mars_begin(out, task);
  int *slot = mars_slot();
  sm_walk(in, task, [&](int place, int bytes) {
    slot[0] = place;
    slot[1] = bytes;
    mars_emit(out, task, mars_words<1>{slot}, mars_words<1>{slot + 1});
  });
}

extern "C" __global__ void sm_map(MARS_INPUT, MARS_OUTPUT) {
  mars_input in = MARS_IN;
  mars_output out = MARS_OUT;
  MARS_EACH(task, in.count) sm_map_task(in, out, task);
}
