// expect: ok
typedef float floatx4 __attribute__((ext_vector_type(4)));
typedef _Float16 halfx8 __attribute__((ext_vector_type(8)));
using float4v = __attribute__((__vector_size__(4 * sizeof(float)))) float;
__global__ void native(floatx4* a, halfx8* h, float4v* v) {
  a[0] = a[1] * a[2] + 1.0f;
  a[0].xy = a[1].zw;
  h[0] = h[1] + h[2];
  v[0] = v[1] + v[2];
  a[1][2] = 3;
  a[2] = __builtin_nontemporal_load(a + 3);
  __builtin_nontemporal_store(a[2], a + 4);
}
