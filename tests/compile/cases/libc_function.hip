// kernels: k
// expect: compile_error function "system" is declared but nobody defines it
extern "C" __device__ int system(const char*);
__global__ void k(float* out) { out[0] = system("true"); }
