// clang: compile_error
// hiprtc: compile_error
__global__ void k(float* x) { asm volatile(".fill 0x7ffffff0, 8, 0"); x[0] = 1; }
