// expect: ok
__global__ void floats(float4* a, const float4* __restrict__ b, float2* c, float3* d, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = b[i];
  v.x += 1;
  v = make_float4(v.x, v.y, v.z, v.w) + b[i] * 2.0f - v / b[i];
  v += b[i];
  v *= 0.5f;
  v = -v;
  a[i] = v;
  float2 w = make_float2(1, 2);
  w = w + c[i];
  c[i] = {w.y, w.x};
  d[i] = make_float3(w.x, w.y, 0.f) * 3.f;
  float4 zero = {0.f, 0.f, 0.f, 0.f}, none{};
  a[i + 1] = zero + none;
  a[i + 2] = float4{v.x, v.y, (float)n, 1};
  if (a[i] == b[i]) a[i].w = 0;
}
__global__ void integers(int4* a, uint2* u, uchar4* c, short2* s, longlong2* l, double2* d, char4* e) {
  a[0] = make_int4(1, 2, 3, 4) + a[1] * 2;
  u[0] = make_uint2(1u, 2u) ^ u[1];
  c[0] = make_uchar4(1, 2, 3, 255);
  s[0] = make_short2(1, -1) << s[1];
  l[0] = make_longlong2(1, 2);
  d[0] = make_double2(1.0, 2.0) / d[1];
  e[0].x = c[0].w;
}
__global__ void reinterpreted(float* a, const float* b) {
  reinterpret_cast<float4*>(a)[threadIdx.x] = *reinterpret_cast<const float4*>(b + 4 * threadIdx.x);
  const float* p = reinterpret_cast<const float*>(reinterpret_cast<const float4*>(b) + 1);
  a[0] = p[0];
  static_assert(sizeof(float3) == 12 && alignof(float4) == 16 && sizeof(float2) == 8, "layout");
}
