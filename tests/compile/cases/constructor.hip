// kernels: k
// expect: cheating the attribute "constructor"
__attribute__((constructor)) __device__ void before() {}
__global__ void k(float* out) { out[0] = 1; }
