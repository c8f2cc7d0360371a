// clang: usable
// hiprtc: compile_error
__global__ void k(float* x) { int n = x[0]; float b[n]; b[0] = 1; x[1] = b[n - 1]; }
