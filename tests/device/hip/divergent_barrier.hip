/* {"kernels": ["tail"], "inputs": {"x": [256]}, "outputs": {"out": [256]},
    "run": [{"kernel": "tail", "grid": [1], "block": [256], "args": ["x", "out", {"i32": 200}]}],
    "expect": {"status": "barrier_divergence", "says": ["56 threads have returned", "line 8"]}} */
__global__ void tail(const float* x, float* out, int n) {
  __shared__ float tile[256];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
