/* {"kernels": ["reverse"], "inputs": {"x": [256]}, "outputs": {"out": [256]},
    "run": [{"kernel": "reverse", "grid": [1], "block": [256], "args": ["x", "out"]}],
    "expect": {"status": "finished", "schedules_differ": true}} */
__global__ void reverse(const float* x, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
