// expect: ok
#include <limits>

template <class T>
__device__ T lowest() {
  return std::numeric_limits<T>::lowest();
}
__global__ void limits(float* a, double* d, int* i) {
  a[0] = std::numeric_limits<float>::max() + std::numeric_limits<float>::infinity() -
         std::numeric_limits<float>::min() + std::numeric_limits<float>::epsilon() +
         std::numeric_limits<float>::quiet_NaN();
  d[0] = lowest<double>() + lowest<float>();
  i[0] = std::numeric_limits<int>::max() + lowest<int>() + std::numeric_limits<int64_t>::max();
  static_assert(std::numeric_limits<float>::has_infinity && !std::numeric_limits<int>::is_signed == false);
}
