#pragma once
// __builtin_amdgcn_* of tuned kernels as functions: same arguments, same results.

#define __KVGEN_ID(name, source)                                                       \
  __KVGEN_FN unsigned __builtin_amdgcn_##name##_x() { return __kvgen_##source##_x(); } \
  __KVGEN_FN unsigned __builtin_amdgcn_##name##_y() { return __kvgen_##source##_y(); } \
  __KVGEN_FN unsigned __builtin_amdgcn_##name##_z() { return __kvgen_##source##_z(); }
__KVGEN_ID(workitem_id, thread)
__KVGEN_ID(workgroup_id, block)
__KVGEN_ID(workgroup_size, block_dim)
#undef __KVGEN_ID
__KVGEN_FN unsigned __builtin_amdgcn_grid_size_x() {
  return __kvgen_grid_dim_x() * __kvgen_block_dim_x();
}
__KVGEN_FN unsigned __builtin_amdgcn_grid_size_y() {
  return __kvgen_grid_dim_y() * __kvgen_block_dim_y();
}
__KVGEN_FN unsigned __builtin_amdgcn_grid_size_z() {
  return __kvgen_grid_dim_z() * __kvgen_block_dim_z();
}
__KVGEN_FN unsigned __builtin_amdgcn_wavefrontsize() { return 64; }

// Barriers and scheduling.
#define __KVGEN_CPU_SITE              \
  ((unsigned)__builtin_LINE() << 10 | \
   (unsigned)(__builtin_COLUMN() > 1023 ? 1023 : __builtin_COLUMN()))
__KVGEN_FN void __builtin_amdgcn_s_barrier(unsigned site = __KVGEN_CPU_SITE) {
  kvgen_cpu_barrier(site);
}
__KVGEN_FN void __builtin_amdgcn_wave_barrier(unsigned site = __KVGEN_CPU_SITE) {
  kvgen_cpu_wave_sync(site);
}
template <class... Scope>
__KVGEN_FN void __builtin_amdgcn_fence(unsigned, Scope...) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
__KVGEN_FN void __builtin_amdgcn_sched_barrier(int) {}
__KVGEN_FN void __builtin_amdgcn_sched_group_barrier(int, int, int) {}
__KVGEN_FN void __builtin_amdgcn_iglp_opt(int) {}
__KVGEN_FN void __builtin_amdgcn_s_waitcnt(int) {}
__KVGEN_FN void __builtin_amdgcn_s_setprio(short) {}
__KVGEN_FN void __builtin_amdgcn_s_sleep(int) {}
__KVGEN_FN unsigned long __builtin_amdgcn_s_memtime() { return kvgen_cpu_clock(); }
__KVGEN_FN unsigned long __builtin_amdgcn_s_memrealtime() { return kvgen_cpu_clock(); }

// Lanes.
__KVGEN_FN unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned add) {
  const unsigned lane = __kvgen_lane();
  return add + (unsigned)__builtin_popcount(lane < 32 ? mask & ((1u << lane) - 1) : mask);
}
__KVGEN_FN unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned add) {
  const unsigned lane = __kvgen_lane();
  return add + (lane < 32 ? 0u : (unsigned)__builtin_popcount(mask & ((1u << (lane - 32)) - 1)));
}
__KVGEN_FN int __builtin_amdgcn_readfirstlane(int v, unsigned site = __KVGEN_CPU_SITE) {
  return (int)kvgen_cpu_shuffle((unsigned)v, KVGEN_CPU_FIRST_LANE, site);
}
__KVGEN_FN int __builtin_amdgcn_readlane(int v, int lane, unsigned site = __KVGEN_CPU_SITE) {
  return (int)kvgen_cpu_shuffle((unsigned)v, lane & 63, site);
}
__KVGEN_FN int __builtin_amdgcn_ds_bpermute(int address, int v, unsigned site = __KVGEN_CPU_SITE) {
  return (int)kvgen_cpu_shuffle((unsigned)v, address >> 2 & 63, site);
}
__KVGEN_FN unsigned long __builtin_amdgcn_ballot_w64(bool p, unsigned site = __KVGEN_CPU_SITE) {
  return kvgen_cpu_ballot(p, site);
}
__KVGEN_FN unsigned long __builtin_amdgcn_read_exec(unsigned site = __KVGEN_CPU_SITE) {
  return kvgen_cpu_ballot(1, site);
}

struct __kvgen_permute {
  int to, in, out;
};
static __attribute__((device)) void __kvgen_permute_wave(void** lanes, unsigned long long active) {
  for (unsigned long long left = active; left; left &= left - 1) {
    ((__kvgen_permute*)lanes[__builtin_ctzll(left)])->out = 0;
  }
  for (unsigned long long left = active; left; left &= left - 1) {
    const __kvgen_permute* from = (const __kvgen_permute*)lanes[__builtin_ctzll(left)];
    if (active >> from->to & 1) ((__kvgen_permute*)lanes[from->to])->out = from->in;
  }
}
__KVGEN_FN int __builtin_amdgcn_ds_permute(int address, int v, unsigned site = __KVGEN_CPU_SITE) {
  __kvgen_permute mine{address >> 2 & 63, v, 0};
  kvgen_cpu_wave_exec(&mine, __kvgen_permute_wave, site);
  return mine.out;
}

// Single-lane arithmetic. The hardware's approximations are within 1 ulp; these are exact.
__KVGEN_FN float __builtin_amdgcn_rcpf(float x) { return 1.0f / x; }
__KVGEN_FN double __builtin_amdgcn_rcp(double x) { return 1.0 / x; }
__KVGEN_FN _Float16 __builtin_amdgcn_rcph(_Float16 x) { return (_Float16)(1.0f / (float)x); }
__KVGEN_FN float __builtin_amdgcn_rsqf(float x) { return 1.0f / __builtin_sqrtf(x); }
__KVGEN_FN double __builtin_amdgcn_rsq(double x) { return 1.0 / __builtin_sqrt(x); }
__KVGEN_FN float __builtin_amdgcn_sqrtf(float x) { return __builtin_sqrtf(x); }
__KVGEN_FN double __builtin_amdgcn_sqrt(double x) { return __builtin_sqrt(x); }
__KVGEN_FN float __builtin_amdgcn_exp2f(float x) { return exp2f(x); }
__KVGEN_FN float __builtin_amdgcn_logf(float x) { return log2f(x); }
__KVGEN_FN float __builtin_amdgcn_sinf(float x) {
  return (float)sin(6.283185307179586 * (double)x);
}
__KVGEN_FN float __builtin_amdgcn_cosf(float x) {
  return (float)cos(6.283185307179586 * (double)x);
}
__KVGEN_FN float __builtin_amdgcn_fractf(float x) {
  const float f = x - __builtin_floorf(x);
  return f < 1.0f ? f : 0x1.fffffep-1f;
}
__KVGEN_FN float __builtin_amdgcn_ldexpf(float x, int e) { return ldexpf(x, e); }
__KVGEN_FN float __builtin_amdgcn_fmed3f(float a, float b, float c) {
  return __builtin_fmaxf(__builtin_fminf(a, b), __builtin_fminf(__builtin_fmaxf(a, b), c));
}
__KVGEN_FN int __builtin_amdgcn_mul_i24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__KVGEN_FN unsigned __builtin_amdgcn_mul_u24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
__KVGEN_FN unsigned __builtin_amdgcn_ubfe(unsigned x, unsigned offset, unsigned width) {
  offset &= 31, width &= 31;
  return width == 0 ? 0
                    : x << (offset + width < 32 ? 32 - offset - width : 0) >>
                          (offset + width < 32 ? 32 - width : offset);
}
__KVGEN_FN unsigned __builtin_amdgcn_alignbit(unsigned high, unsigned low, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
__KVGEN_FN unsigned __builtin_amdgcn_alignbyte(unsigned high, unsigned low, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> 8 * (shift & 3));
}
__KVGEN_FN unsigned __builtin_amdgcn_perm(unsigned high, unsigned low, unsigned select) {
  const unsigned long long bytes = (unsigned long long)high << 32 | low;
  unsigned out = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = select >> 8 * i & 0xff;
    unsigned byte = 0;
    if (pick < 8) {
      byte = (unsigned)(bytes >> 8 * pick) & 0xff;
    } else if (pick < 12) {
      byte = bytes >> (16 * (pick - 8) + 15) & 1 ? 0xff : 0;
    } else if (pick > 12) {
      byte = 0xff;
    }
    out |= byte << 8 * i;
  }
  return out;
}
typedef __fp16 __kvgen_fp16x2 __attribute__((ext_vector_type(2)));
typedef _Float16 __kvgen_f16x2 __attribute__((ext_vector_type(2)));
// Toward zero: the nearest half, or its neighbour when that is further out.
__KVGEN_FN _Float16 __kvgen_half_toward_zero(float x) {
  const _Float16 nearest = (_Float16)x;
  const unsigned short bits = __builtin_bit_cast(unsigned short, nearest);
  const bool outward = __builtin_fabsf((float)nearest) > __builtin_fabsf(x);
  return outward ? __builtin_bit_cast(_Float16, (unsigned short)(bits - 1)) : nearest;
}
__KVGEN_FN __kvgen_f16x2 __builtin_amdgcn_cvt_pkrtz(float a, float b) {
  return __kvgen_f16x2{__kvgen_half_toward_zero(a), __kvgen_half_toward_zero(b)};
}
template <class V>
__KVGEN_FN float __builtin_amdgcn_fdot2(V a, V b, float c, bool) {
  return c + (float)a[0] * (float)b[0] + (float)a[1] * (float)b[1];
}
__KVGEN_FN int __builtin_amdgcn_sdot4(int a, int b, int c, bool) {
  for (int i = 0; i < 4; ++i) c += (int)(signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
  return c;
}
__KVGEN_FN unsigned __builtin_amdgcn_udot4(unsigned a, unsigned b, unsigned c, bool) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return c;
}
