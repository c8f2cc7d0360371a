// expect: ok
__constant__ float table[4] = {1, 2, 3, 4};
static constexpr int kTile = 16;
__device__ constexpr float kHalf = 0.5f;
static __device__ const float kWeights[3] = {0.25f, 0.5f, 0.25f};
static_assert(kTile == 16, "");
enum class Mode { kSum, kMax };
__global__ void constant(float* a) {
  constexpr int lanes = warpSize;
  a[0] = table[threadIdx.x & 3] * kHalf + kTile + lanes + kWeights[threadIdx.x % 3];
  const Mode mode = a[1] > 0 ? Mode::kSum : Mode::kMax;
  if (mode == Mode::kMax) a[2] = 1;
}
