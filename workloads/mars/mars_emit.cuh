// Map tasks of the map-reduce workloads: a thread a record. A first kernel counts what each task will emit, prefix sums of the
// counts say where it may write, and the second kernel emits.
//
// A record is an int4: place and bytes of its key, place and bytes of its value, both in buffers of bytes.

// The records that the tasks read.
struct mars_input {
  char *keys, *values;
  int4 *records;
  int count;
};

// A block takes as many records as it has threads at most; the task goes over them in steps of the block.
enum { MARS_TASKS = 256 };
#define MARS_EACH(task, items)                                                                                              \
  for (int task = mars_block() * MARS_TASKS + threadIdx.x, end_ = mars_end(items); task < end_; task += blockDim.x)

static __device__ int mars_block() { return blockIdx.y * gridDim.x + blockIdx.x; }

// What the block's records end before.
static __device__ int mars_end(int items) {
  int end = (mars_block() + 1) * MARS_TASKS;
  return end < items ? end : items;
}

// What each task will emit: bytes of keys, bytes of values, records.
struct mars_counts {
  int *key_bytes, *value_bytes, *records;
};

// Where the tasks write: the sums of the counts before each task, how many bytes of keys and values and how many records it has
// written so far, and the buffers.
struct mars_output {
  int *key_sum, *value_sum, *record_sum, *index;
  int2 *written;
  char *keys, *values;
  int4 *records;
};

static __device__ void mars_count(const mars_counts &counts, int task, int key_bytes, int value_bytes) {
  counts.key_bytes[task] += key_bytes;
  counts.value_bytes[task] += value_bytes;
  counts.records[task]++;
}

// The first record of a task begins where its sums say.
static __device__ void mars_begin(const mars_output &out, int task) {
  int place = out.record_sum[task];
  int4 record = out.records[place];
  record.z = out.value_sum[task];
  record.x = out.key_sum[task];
  out.records[place] = record;
}

// Five words of shared memory that a task may emit from.
static __device__ int *mars_slot() {
  extern __shared__ int slots[];
  return slots + 5 * threadIdx.x;
}

// What can be emitted: words of the task's slot, a known number of bytes, or any number of them.
template <int count> struct mars_words {
  int *from;
  __device__ int bytes() const { return 4 * count; }
  __device__ void copy(char *to) const {
#pragma unroll
    for (int i = 0; i < count; i++) {
      int word = from[i];
#pragma unroll
      for (int b = 0; b < 4; b++) to[4 * i + b] = (char)(word >> 8 * b);
    }
  }
};

template <int count> struct mars_bytes {
  char *from;
  __device__ int bytes() const { return count; }
  __device__ void copy(char *to) const {
#pragma unroll
    for (int i = 0; i < count; i++) to[i] = from[i];
  }
};

struct mars_string {
  char *from;
  int length;
  __device__ int bytes() const { return length; }
  __device__ void copy(char *to) const {
    for (int i = 0; i < length; i++) to[i] = from[i];
  }
};

// Writes a key and a value behind what the task has written, and their record. The tasks of a block wait for one another here;
// one that has ended is not waited for.
template <class K, class V> static __device__ void mars_emit(const mars_output &out, int task, K key, V value) {
  __syncthreads();
  int2 written = out.written[task];
  key.copy(out.keys + out.key_sum[task] + written.x);
  value.copy(out.values + out.value_sum[task] + written.y);
  out.written[task] = make_int2(written.x + key.bytes(), written.y + value.bytes());
  int before = out.record_sum[task], index = out.index[task];
  int4 record = out.records[before + index];
  if (index != 0) {
    int4 last = out.records[before + index - 1];
    record.x = last.x + last.y;
    record.z = last.z + last.w;
  }
  record.y = key.bytes();
  record.w = value.bytes();
  out.records[before + index] = record;
  out.index[task] = index + 1;
}
