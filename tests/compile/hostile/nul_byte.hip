// clang: compile_error NUL
// hiprtc: compile_error NUL
__global__ void k(float* x) { x[0] = 1; }@nul
