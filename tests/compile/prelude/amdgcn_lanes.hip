// expect: ok
__global__ void lanes(int* a, unsigned* u) {
  a[0] = __builtin_amdgcn_readfirstlane(a[0]) + __builtin_amdgcn_ds_bpermute(a[1] << 2, a[2]);
  a[1] = __builtin_amdgcn_ds_permute(a[1] << 2, a[2]) + __builtin_amdgcn_readlane(a[3], 5);
  u[0] = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
  u[1] = (unsigned)__builtin_amdgcn_ballot_w64(a[4] > 0);
  u[2] = __builtin_amdgcn_workitem_id_x() + __builtin_amdgcn_workgroup_id_y();
  a[5] = __builtin_amdgcn_ds_swizzle(a[5], 0x401f);
}
