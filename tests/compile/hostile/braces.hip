// clang: compile_error nesting
// hiprtc: compile_error nesting
__global__ void k(float* x) { x[0] = 1; @repeat(100000){{}@repeat(100000){@close} }
