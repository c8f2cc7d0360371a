// Overflows the front end's stack.
// clang: compile_error crashed
// hiprtc: compile_error crashed
__global__ void k(float* x) { x[0] = @repeat(200000){!}x[1]; }
