/* {"kernels": ["stop"], "inputs": {"x": [64]}, "outputs": {"out": [64]},
    "run": [{"kernel": "stop", "grid": [1], "block": [64], "args": ["x", "out"]}],
    "expect": {"status": "crash", "says": ["assertion failed", "line 6"]}} */
#include <cassert>
__global__ void stop(const float* x, float* out) {
  assert(x[threadIdx.x] > 100.0f);
  out[threadIdx.x] = 1;
}
