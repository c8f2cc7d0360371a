// kernels: k
// expect: usable
// tokens: differ
template <int n>
struct Chosen { static constexpr float value = 0.0f; };
template <>
struct Chosen<24> { static constexpr float value = 1.0f; };
__global__ void k(float* out) { out[0] = Chosen<sizeof(__builtin_va_list)>::value; }
