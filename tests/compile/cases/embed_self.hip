// kernels: k
// expect: cheating #embed of a file
__device__ const unsigned char bytes[] = {
#embed "kernel.hip"
};
__global__ void k(float* x) { x[0] = bytes[0]; }
