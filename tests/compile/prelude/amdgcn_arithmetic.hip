// expect: ok
__global__ void approximate(float* a, unsigned* u, int* i) {
  a[0] = __builtin_amdgcn_rcpf(a[0]) + __builtin_amdgcn_rsqf(a[1]) + __builtin_amdgcn_sqrtf(a[2]);
  a[1] = __builtin_amdgcn_exp2f(a[0]) + __builtin_amdgcn_logf(a[1]) + __builtin_amdgcn_fractf(a[2]);
  a[2] = __builtin_amdgcn_fmed3f(a[0], a[1], a[2]) + __builtin_amdgcn_ldexpf(a[3], 2);
  a[3] = __builtin_amdgcn_sinf(a[0]) + __builtin_amdgcn_cosf(a[0]);
  u[0] = __builtin_amdgcn_perm(u[0], u[1], 0x07060302u) + __builtin_amdgcn_alignbit(u[0], u[1], 3);
  u[1] = __builtin_amdgcn_ubfe(u[0], 3, 5) + __builtin_amdgcn_alignbyte(u[0], u[1], 1);
  auto pair = __builtin_amdgcn_cvt_pkrtz(a[0], a[1]);
  a[4] = (float)pair[0];
  i[0] = __builtin_amdgcn_sdot4(i[0], i[1], i[2], false);
}
