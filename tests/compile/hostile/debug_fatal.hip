// clang: compile_error __debug
// hiprtc: compile_error crashed or gave up
#pragma clang __debug llvm_fatal_error
__global__ void k(float* x) { x[0] = 1; }
