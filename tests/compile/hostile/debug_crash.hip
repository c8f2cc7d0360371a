// clang: compile_error __debug crash
// hiprtc: compile_error crashed
#pragma clang __debug crash
__global__ void k(float* x) { x[0] = 1; }
