// clang: compile_error too much
// hiprtc: compile_error
__global__ void k(float* x) { asm volatile(".rept 1000000000\n s_nop 0\n .endr"); x[0] = 1; }
