// kernels: k
// expect: bad_plan line 3: writable device variable "counter"
__device__ int counter;
__global__ void k(int* out) { out[0] = ++counter; }
