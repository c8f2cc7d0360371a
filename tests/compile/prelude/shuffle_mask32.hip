// expect: compile_error
__global__ void masked(float* f) { f[0] = __shfl_down_sync(0xffffffff, f[0], 1); }
