// kernels: k
// expect: cheating assembly outside a function
asm(".globl evil\nevil:\n");
__global__ void k(float* out) { out[0] = 1; }
