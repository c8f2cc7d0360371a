// expect: ok
__global__ void integer(int* a, unsigned* u, unsigned long long* q) {
  a[0] = __popc(u[0]) + __popcll(q[0]) + __clz(a[0]) + __clzll(q[0]) + __ffs(a[0]) + __ffsll(q[0]);
  u[1] = __brev(u[0]) + (unsigned)__brevll(q[0]) + __umulhi(u[0], u[1]) + __mulhi(a[0], a[1]);
  a[1] = __mul24(a[0], a[1]) + (int)__umul24(u[0], u[1]) + (int)__byte_perm(u[0], u[1], 0x3210);
  q[1] = __umul64hi(q[0], q[1]) + __funnelshift_l(u[0], u[1], 3) + __sad(a[0], a[1], u[0]);
}
__global__ void casts(float* a, int* i, unsigned* u, double* d, long long* l) {
  i[0] = __float_as_int(a[0]) + __float2int_rn(a[0]) + __float2int_rz(a[1]) + __float2int_rd(a[2]);
  u[0] = __float_as_uint(a[0]) + __float2uint_rn(a[0]);
  a[1] = __int_as_float(i[0]) + __uint_as_float(u[0]) + __int2float_rn(i[1]) + __uint2float_rn(u[1]);
  l[0] = __double_as_longlong(d[0]) + __float2ll_rn(a[0]);
  d[1] = __longlong_as_double(l[0]) + __hiloint2double(i[0], i[1]) + __double2hiint(d[0]);
  a[2] = __double2float_rn(d[0]);
}
