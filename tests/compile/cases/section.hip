// kernels: k
// expect: cheating the attribute "section"
__attribute__((section(".init_array"))) __device__ const int x = 1;
__global__ void k(int* out) { out[0] = x; }
