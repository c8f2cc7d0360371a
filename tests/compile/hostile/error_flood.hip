// More diagnostics than anyone reads.
// clang: compile_error
// hiprtc: compile_error
@repeat(20000){int a@i = unknown_@i;@line}
__global__ void k(float* x) { x[0] = 1; }
