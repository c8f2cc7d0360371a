// kernels: k
// expect: cheating the attribute "alias"
extern "C" __device__ void real() {}
extern "C" __device__ void other() __attribute__((alias("real")));
__global__ void k(float* out) { other(); out[0] = 1; }
