// A descriptor that never ends: only the clock helps where it can be opened.
// clang: compile_error #include
// hiprtc: compile_error
#include "/proc/self/fd/3"
__global__ void k(float* x) { x[0] = 1; }
