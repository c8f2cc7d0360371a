/* {"kernels": ["shift"], "inputs": {"x": [1024]}, "outputs": {"out": [1024]},
    "run": [{"kernel": "shift", "grid": [4], "block": [256], "args": ["x", "out"]}],
    "expect": {"status": "out_of_bounds", "says": ["read of x[1024], past the end of its 1024 elements", "kernel shift, block (3,0,0)"]}} */
__global__ void shift(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i + 1];
}
