// kernels: sum; count; direct
// expect: usable
// atomics: sum direct
__device__ void add_to(float* p, float v) { atomicAdd(p, v); }
__global__ void sum(const float* x, float* out) { add_to(out, x[threadIdx.x]); }
__global__ void count(const int* x, int* out) { atomicAdd(out, x[threadIdx.x]); }
__global__ void direct(double* out) { atomicAdd(out, 1.0); }
