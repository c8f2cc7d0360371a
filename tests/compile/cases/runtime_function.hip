// The runtime's functions are not the candidate's to name.
// kernels: k
// expect: compile_error
extern "C" __device__ void* kvgen_cpu_clock_fake(void);
__global__ void k(float* out) { out[0] = *(float*)kvgen_cpu_clock_fake(); }
