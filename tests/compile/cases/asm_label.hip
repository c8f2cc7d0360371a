// kernels: k
// expect: cheating
__device__ void trap() __asm__("kvgen_cpu_trap");
__global__ void k(float* out) { trap(); out[0] = 1; }
