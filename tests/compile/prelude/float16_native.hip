// expect: ok
__global__ void native(_Float16* a, float* f, double* d) {
  a[0] = a[1] * (_Float16)2.f + a[2];
  f[0] = (float)a[0] + a[1];
  a[3] = f[1];
  d[0] = (double)a[0];
  const _Float16 x = (_Float16)d[1];
  a[4] = x < a[5] ? x : a[5];
}
