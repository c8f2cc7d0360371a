// expect: ok
__global__ void waits(float* a) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  __builtin_amdgcn_sched_barrier(0);
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_s_waitcnt(0);
  __builtin_amdgcn_s_setprio(1);
  __builtin_amdgcn_s_sleep(1);
  __builtin_amdgcn_sched_group_barrier(0x8, 1, 0);
  a[0] = s[threadIdx.x ^ 1];
}
