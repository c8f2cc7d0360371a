/* {"kernels": ["vector_add"],
    "inputs": {"a": [100003], "b": [100003]}, "outputs": {"out": [100003]},
    "run": [{"kernel": "vector_add", "grid": [391], "block": [256], "args": ["a", "b", "out", {"i32": 100003}]}],
    "expect": {"status": "finished", "values": "vector_add"}} */
__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
