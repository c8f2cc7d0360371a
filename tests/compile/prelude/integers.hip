// expect: ok
#include <cstddef>
#include <cstdint>

__global__ void widths(uint32_t* a, int64_t n, size_t m, uint8_t q, uint16_t r, int8_t s, uint64_t t) {
  a[0] = (uint32_t)(n + m + q + r + s + t + (uintptr_t)a);
  std::uint32_t u = a[1];
  std::size_t z = sizeof(std::int64_t);
  a[2] = u + z + UINT32_MAX + INT32_MAX + (uint32_t)INT64_MAX + UINT8_MAX + CHAR_BIT;
  uint v = 3;
  uchar w = 4;
  ushort x = 5;
  ulong y = 6;
  a[3] = v + w + x + y + (uint32_t)UINT64_C(7) + (uint32_t)offsetof(dim3, y);
}
