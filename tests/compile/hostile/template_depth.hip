// Recursion 100,000 deep.
// clang: compile_error maximum depth
// hiprtc: compile_error maximum depth
template <int N> struct R { static constexpr int v = R<N - 1>::v + 1; };
template <> struct R<0> { static constexpr int v = 0; };
__global__ void k(float* x) { x[0] = R<100000>::v; }
