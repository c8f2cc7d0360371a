/* {"kernels": ["hello"], "outputs": {"out": [64]}, "cores": 1,
    "run": [{"kernel": "hello", "grid": [2], "block": [64], "args": ["out"]}],
    "expect": {"status": "finished", "values": "hello", "printed": ["thread 1 of block 1"]}} */
__global__ void hello(float* out) {
  if (threadIdx.x < 2) printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
  out[threadIdx.x] = 1;
}
