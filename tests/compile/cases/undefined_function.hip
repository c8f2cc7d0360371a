// kernels: k
// expect: compile_error function "missing(float*)" is declared but nobody defines it
__device__ void missing(float* x);
__global__ void k(float* out) { missing(out); }
