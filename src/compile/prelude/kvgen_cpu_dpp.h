#pragma once
// Data-parallel primitives and swizzles of the GCN instruction set, lane by lane.

// The lane that a DPP control reads from, or -1 where it has none.
__KVGEN_FN int __kvgen_dpp_source(int lane, int control) {
  const int row = lane & ~15, column = lane & 15;
  if (control <= 0xff) return (lane & ~3) | (control >> 2 * (lane & 3) & 3);  // quad_perm
  if (control > 0x100 && control <= 0x10f) {                                  // row_shl
    const int from = column + (control & 15);
    return from < 16 ? row + from : -1;
  }
  if (control > 0x110 && control <= 0x11f) {  // row_shr
    const int from = column - (control & 15);
    return from >= 0 ? row + from : -1;
  }
  if (control > 0x120 && control <= 0x12f)
    return row + ((column - (control & 15)) & 15);  // row_ror
  switch (control) {
    case 0x130:  // wave_shl:1
      return lane + 1 < 64 ? lane + 1 : -1;
    case 0x134:  // wave_rol:1
      return (lane + 1) & 63;
    case 0x138:  // wave_shr:1
      return lane - 1;
    case 0x13c:  // wave_ror:1
      return (lane - 1) & 63;
    case 0x140:  // row_mirror
      return row + 15 - column;
    case 0x141:  // row_half_mirror
      return (lane & ~7) + 7 - (lane & 7);
    case 0x142:  // row_bcast:15
      return row == 0 ? -1 : row - 1;
    case 0x143:  // row_bcast:31
      return lane < 32 ? -1 : 31;
    default:
      if (control >= 0x150 && control <= 0x15f) return row + (control & 15);  // row_newbcast
      return -1;
  }
}

__KVGEN_FN unsigned long long __kvgen_dpp(unsigned long long old, unsigned long long v, int control,
                                          int row_mask, int bank_mask, bool bound_control,
                                          unsigned site) {
  const int lane = (int)__kvgen_lane();
  const int source = __kvgen_dpp_source(lane, control);
  const unsigned long long read = kvgen_cpu_shuffle(v, source < 0 ? lane : source, site);
  const bool written = row_mask >> lane / 16 & 1 && bank_mask >> (lane / 4 & 3) & 1;
  if (!written) return old;
  if (source >= 0 && kvgen_cpu_last_active() >> source & 1) return read;
  return bound_control ? 0 : old;
}

template <class T>
__KVGEN_FN T __builtin_amdgcn_update_dpp(T old, T v, int control, int row_mask, int bank_mask,
                                         bool bound_control, unsigned site = __KVGEN_CPU_SITE) {
  unsigned long long from = 0, to = 0;
  __builtin_memcpy(&from, &old, sizeof(T));
  __builtin_memcpy(&to, &v, sizeof(T));
  to = __kvgen_dpp(from, to, control, row_mask, bank_mask, bound_control, site);
  __builtin_memcpy(&v, &to, sizeof(T));
  return v;
}
template <class T>
__KVGEN_FN T __builtin_amdgcn_mov_dpp(T v, int control, int row_mask, int bank_mask,
                                      bool bound_control, unsigned site = __KVGEN_CPU_SITE) {
  return __builtin_amdgcn_update_dpp(v, v, control, row_mask, bank_mask, bound_control, site);
}
__KVGEN_FN int __builtin_amdgcn_ds_swizzle(int v, int pattern, unsigned site = __KVGEN_CPU_SITE) {
  const int lane = (int)__kvgen_lane();
  int source;
  if (pattern & 0x8000) {
    source = (lane & ~3) | (pattern >> 2 * (lane & 3) & 3);
  } else {
    const int and_mask = pattern & 31, or_mask = pattern >> 5 & 31, xor_mask = pattern >> 10 & 31;
    source = (lane & 32) | ((((lane & 31) & and_mask) | or_mask) ^ xor_mask);
  }
  return (int)kvgen_cpu_shuffle((unsigned)v, source, site);
}
