// clang: compile_error
// hiprtc: compile_error
__global__ void k(float* x) { asm volatile("no_such_instruction v0"); x[0] = 1; }
