/* {"kernels": ["twice_half"],
    "inputs": {"x": [1000]}, "outputs": {"out": [1000]}, "dtype": {"x": "float16", "out": "float16"},
    "run": [{"kernel": "twice_half", "grid": [4], "block": [256], "args": ["x", "out", {"i32": 1000}]}],
    "expect": {"status": "finished", "values": "twice_half"}} */
#include <hip/hip_fp16.h>
__global__ void twice_half(const __half* x, __half* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(__half2float(x[i]) * 2.0f);
}
