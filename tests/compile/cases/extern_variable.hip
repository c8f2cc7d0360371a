// kernels: k
// expect: compile_error variable "elsewhere" is declared but nobody defines it
extern __device__ int elsewhere;
__global__ void k(int* out) { out[0] = elsewhere; }
