// expect: ok
#include <array>
#include <functional>
#include <type_traits>
#include <utility>
template <class T>
__device__ float pick(T x) {
  if constexpr (std::is_same<T, float>::value) return x;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) return 2;
  else return 0;
}
template <class T, class = std::enable_if_t<std::is_floating_point_v<T>>>
__device__ T half_of(T x) { return x / 2; }
template <bool wide>
using Sum = std::conditional_t<wide, double, float>;
template <class T>
__device__ std::decay_t<T> copy(T&& x) { return std::forward<T>(x); }
template <int... i>
__device__ int total(std::integer_sequence<int, i...>) { return (i + ... + 0); }
__global__ void traits(float* a) {
  a[0] = pick(a[0]) + pick(1) + half_of(a[1]) + copy(a[2]) + total(std::make_integer_sequence<int, 4>());
  Sum<true> s = a[3];
  std::array<float, 4> r{};
  r[1] = s;
  r.fill(2.f);
  for (float x : r) a[4] += x;
  std::pair<int, float> p = std::make_pair(1, 2.f);
  a[5] = p.first + p.second + r.size() + std::plus<float>()(1.f, 2.f) + std::move(a[6]);
  static_assert(std::is_same_v<std::remove_reference_t<float&>, float>);
  static_assert(std::is_same_v<std::common_type_t<int, float>, float>);
  static_assert(std::is_convertible_v<int, float> && std::is_pointer_v<float*>);
}
