#include "device.h"

static void vector_add(const float* a, const float* b, float* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n)) out[i] = a[i] + b[i];
}
KERNEL(vector_add)

static void block_sum(const float* x, float* out, int cols) {
  SHARED float partial[16];
  const float* row = x + static_cast<long>(blockIdx.x) * cols;
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < cols; i += static_cast<int>(blockDim.x)) {
    sum += row[i];
  }
  for (int by = 32; by > 0; by /= 2) sum += shuffle_down(sum, by, HERE);
  if (LANE == 0) partial[threadIdx.x / 64] = sum;
  SYNC();
  if (threadIdx.x == 0) {
    float all = 0;
    for (unsigned w = 0; w < blockDim.x / 64; ++w) all += partial[w];
    out[blockIdx.x] = all;
  }
}
KERNEL(block_sum)

extern "C" float expf(float x);
static float reduce(float value, float* scratch, bool largest) {
  scratch[threadIdx.x] = value;
  SYNC();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = scratch[threadIdx.x + half];
      float& mine = scratch[threadIdx.x];
      mine = largest ? (mine > other ? mine : other) : mine + other;
    }
    SYNC();
  }
  const float result = scratch[0];
  SYNC();
  return result;
}

static void softmax(const float* x, float* out, int cols) {
  SHARED float scratch[1024];
  const float* row = x + static_cast<long>(blockIdx.x) * cols;
  float* to = out + static_cast<long>(blockIdx.x) * cols;
  const int first = static_cast<int>(threadIdx.x);
  const int step = static_cast<int>(blockDim.x);
  float most = -1e30F;
  for (int i = first; i < cols; i += step) most = row[i] > most ? row[i] : most;
  most = reduce(most, scratch, true);
  float sum = 0;
  for (int i = first; i < cols; i += step) sum += expf(row[i] - most);
  sum = reduce(sum, scratch, false);
  for (int i = first; i < cols; i += step) to[i] = expf(row[i] - most) / sum;
}
KERNEL(softmax)

// C = A B, square; two tiles of 16 x 16 in dynamic LDS.
static void matmul(const float* a, const float* b, float* c, int n) {
  auto* const tile_a = reinterpret_cast<float*>(kvgen_cpu_dynamic_lds);
  float* const tile_b = tile_a + 256;
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int col = static_cast<int>(blockIdx.x) * 16 + x;
  const int row = static_cast<int>(blockIdx.y) * 16 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    tile_a[y * 16 + x] = a[row * n + k + x];
    tile_b[y * 16 + x] = b[(k + y) * n + col];
    SYNC();
    for (int i = 0; i < 16; ++i) sum += tile_a[y * 16 + i] * tile_b[i * 16 + x];
    SYNC();
  }
  c[row * n + col] = sum;
}
KERNEL(matmul)

// One doubling step of an inclusive scan.
static void scan_step(const float* from, float* to, int n, int distance) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[i] = i >= distance ? from[i] + from[i - distance] : from[i];
}
KERNEL(scan_step)

static void count_signs(const float* x, int* counts, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) __atomic_fetch_add(&counts[x[i] < 0 ? 1 : 0], 1, __ATOMIC_RELAXED);
}
KERNEL(count_signs)

static void twice_half(const _Float16* x, _Float16* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = static_cast<_Float16>(static_cast<float>(x[i]) * 2.0F);
}
KERNEL(twice_half)

static void hello(float* out) {
  if (threadIdx.x < 2) kvgen_cpu_printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
  out[threadIdx.x] = 1;
}
KERNEL(hello)

// Lanes that diverge: each side of the branch votes among its own.
static void ballots(int* out) {
  unsigned long long mask = 0;
  if (LANE % 3 == 0) {
    mask = kvgen_cpu_ballot(1, HERE);
  } else {
    mask = kvgen_cpu_ballot(LANE % 3 == 1, HERE);
  }
  out[threadIdx.x] = __builtin_popcountll(mask);
}
KERNEL(ballots)

// Reads a lane that does not take part: 0.
static void inactive_source(int* out) {
  int got = -1;
  if (LANE < 32) got = static_cast<int>(kvgen_cpu_shuffle(7, LANE + 32, HERE));
  out[threadIdx.x] = got;
}
KERNEL(inactive_source)

static void votes(int* out) {
  const int count = kvgen_cpu_barrier_vote(KVGEN_CPU_VOTE_COUNT, threadIdx.x % 2 == 0, HERE);
  const int all = kvgen_cpu_barrier_vote(KVGEN_CPU_VOTE_AND, threadIdx.x != 5, HERE);
  const int any = kvgen_cpu_barrier_vote(KVGEN_CPU_VOTE_OR, threadIdx.x == 5, HERE);
  out[threadIdx.x] = count * 100 + all * 10 + any;
}
KERNEL(votes)

static void sum_lanes(void** lanes, unsigned long long active) {
  int sum = 0;
  for (int l = 0; l < 64; ++l) {
    if (active >> l & 1) sum += *static_cast<int*>(lanes[l]);
  }
  for (int l = 0; l < 64; ++l) {
    if (active >> l & 1) *static_cast<int*>(lanes[l]) = sum;
  }
}

static void wave_execute(int* out) {
  int mine = LANE;
  kvgen_cpu_wave_exec(&mine, sum_lanes, HERE);
  out[threadIdx.x] = mine;
}
KERNEL(wave_execute)

static void barriers(float* out, int times) {
  for (int i = 0; i < times; ++i) SYNC();
  out[threadIdx.x] = static_cast<float>(times);
}
KERNEL(barriers)

static void shuffles(float* out, int times) {
  float value = static_cast<float>(LANE);
  for (int i = 0; i < times; ++i) value = shuffle(value, LANE ^ 1, HERE);
  out[threadIdx.x] = value;
}
KERNEL(shuffles)
