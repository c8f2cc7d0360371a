// clang: compile_error
// hiprtc: compile_error
constexpr int f(int n) { int s = 0; while (true) s ^= n++; return s; }
__global__ void k(float* x) { constexpr int v = f(1); x[0] = v; }
