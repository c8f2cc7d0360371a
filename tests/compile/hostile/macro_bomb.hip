// clang: compile_error too much
// hiprtc: compile_error too much
#define A0 x[1] + x[2]
@repeat(31){#define A@j A@i + A@i@line}
__global__ void k(float* x) { x[0] = A31; }
