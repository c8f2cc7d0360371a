// clang: compile_error source is larger
// hiprtc: compile_error source is larger
@repeat(240000){__device__ int g@i(int x) { return x + @i; }@line}
__global__ void k(float* x) { x[0] = 1; }
