// clang: compile_error __debug
// hiprtc: compile_error
#pragma clang __debug overflow_stack
__global__ void k(float* x) { x[0] = 1; }
