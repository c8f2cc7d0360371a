// clang: compile_error
// hiprtc: compile_error
__global__ void k(float* x) { x[0] = @repeat(400000){(}1@repeat(400000){)}; }
