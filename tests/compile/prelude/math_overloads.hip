// expect: ok
#include <cmath>
#include <type_traits>

__global__ void stays_float(float* a, const float* b, int n) {
  static_assert(std::is_same_v<decltype(exp(1.0f)), float> && std::is_same_v<decltype(sqrt(1.0f)), float>);
  static_assert(std::is_same_v<decltype(pow(1.0f, 2.0f)), float> && std::is_same_v<decltype(fabs(1.0f)), float>);
  static_assert(std::is_same_v<decltype(abs(1.0f)), float> && std::is_same_v<decltype(abs(1)), int>);
  static_assert(std::is_same_v<decltype(std::exp(1.0f)), float> && std::is_same_v<decltype(std::sqrt(2)), double>);
  static_assert(std::is_same_v<decltype(floor(1.0f)), float> && std::is_same_v<decltype(tanh(1.0f)), float>);
  const float x = b[0];
  a[0] = exp(x) + log(x) + sqrt(x) + tanh(x) + erf(x) + fabs(x) + abs(x) + floor(x) + round(x) + sin(x);
  a[1] = std::exp(x) + std::log(x) + std::sqrt(x) + std::tanh(x) + std::erf(x) + std::fabs(x) + std::abs(x);
  a[2] = std::pow(x, 2.0f) + std::pow(x, 2) + pow(x, 0.5) + fmax(x, 0.0f) + std::fmin(x, 1.0f) + std::ceil(x);
  a[3] = std::log1p(x) + std::expf(x) + std::sqrtf(x) + rsqrt(x) + fma(x, x, x) + std::fma(x, x, x);
  a[4] = log2(n) + sqrt(n) + std::max(x, 0.f) + ceil((float)n / 2) + ldexp(x, 2) + std::round(x);
  a[5] = isnan(x) + isinf(x) + isfinite(x) + std::isnan(x) + std::isinf(x) + signbit(x) + std::isfinite(x);
}
using namespace std;
__global__ void using_std(float* a, int n) {
  a[0] = max(a[0], 0.0f) + min(n, 3) + exp(a[1]) + abs(a[2]) + fabs(a[3]) + sqrt(a[4]) + floor(a[5]);
}
