// Just below the limit of size: legal, and in time.
// clang: usable or too much
// hiprtc: usable or too much
@repeat(18000){__device__ int g@i(int x) { return x + @i; }@line}
__global__ void k(float* x) { x[0] = g7(1); }
