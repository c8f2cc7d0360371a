// expect: ok
#include <algorithm>
__global__ void all(float* a, double* d, int* i, unsigned* u, long long* l, short* s) {
  a[0] = max(a[0], a[1]) + min(a[0], 1.0f) + fmaxf(a[0], a[1]);
  d[0] = max(d[0], d[1]) + min(d[0], 1.0);
  i[0] = max(i[0], i[1]) + min(i[0], 1) + abs(i[2]);
  u[0] = max(u[0], u[1]) + min(u[0], 1u) + min((int)u[0], i[0]);
  l[0] = max(l[0], l[1]) + min(l[0], 1ll) + abs(l[2]);
  s[0] = max(s[0], s[1]);
  a[2] = std::max(a[0], a[1]) + std::min<float>(a[0], 1) + std::clamp(a[0], 0.f, 1.f);
  i[1] = std::max({i[0], i[1], 3}) + std::min({1, 2});
  float x = a[3], y = a[4];
  std::swap(x, y);
  a[5] = x;
}
