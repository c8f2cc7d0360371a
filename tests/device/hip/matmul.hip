/* {"kernels": ["matmul"],
    "inputs": {"a": [64, 64], "b": [64, 64]}, "outputs": {"out": [64, 64]},
    "run": [{"kernel": "matmul", "grid": [4, 4], "block": [16, 16], "lds": 2048, "args": ["a", "b", "out", {"i32": 64}]}],
    "expect": {"status": "finished", "values": "matmul"}} */
extern __shared__ float tiles[];

__global__ void __launch_bounds__(256) matmul(const float* __restrict__ a, const float* __restrict__ b,
                                              float* __restrict__ c, int n) {
  float* ta = tiles;
  float* tb = tiles + 256;
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[y * 16 + x] = a[row * n + k + x];
    tb[y * 16 + x] = b[(k + y) * n + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += ta[y * 16 + i] * tb[i * 16 + x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
