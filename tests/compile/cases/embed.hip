// kernels: k
// expect: compile_error
__device__ const unsigned char bytes[] = {
#embed "/etc/passwd"
};
__global__ void k(float* x) { x[0] = bytes[0]; }
