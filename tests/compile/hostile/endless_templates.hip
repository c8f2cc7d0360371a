// clang: compile_error maximum depth
// hiprtc: compile_error maximum depth
template <int N> struct T { static const int v = T<N + 1>::v; };
__global__ void k(float* x) { x[0] = T<0>::v; }
