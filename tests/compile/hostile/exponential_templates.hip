// Four million instantiations.
// clang: compile_error too much
// hiprtc: compile_error too much
template <int A, int B> struct F {
  static constexpr long v = F<A - 1, 2 * B>::v + F<A - 1, 2 * B + 1>::v;
};
template <int B> struct F<0, B> { static constexpr long v = B; };
__global__ void k(float* x) { x[0] = F<22, 0>::v; }
