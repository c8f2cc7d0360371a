/* {"kernels": ["count_signs"],
    "inputs": {"x": [50000]}, "outputs": {"out": [2]}, "dtype": {"out": "int32"},
    "run": [{"fill": "out", "bytes": 8, "bits": 0},
            {"kernel": "count_signs", "grid": [196], "block": [256], "args": ["x", "out", {"i32": 50000}]}],
    "expect": {"status": "finished", "values": "count_signs"}} */
__global__ void count_signs(const float* x, int* counts, int n) {
  __shared__ int local[2];
  if (threadIdx.x < 2) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&local[x[i] < 0 ? 1 : 0], 1);
  __syncthreads();
  if (threadIdx.x < 2) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
