// kernels: k
// expect: usable
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__device__ const int table[2] = {3, 4};
static constexpr float kScale = 2.0f;
__global__ void k(float* out, int i) {
  static const int steps[2] = {1, 2};
  out[0] = weights[i] * kScale + table[i & 1] + steps[i & 1];
}
