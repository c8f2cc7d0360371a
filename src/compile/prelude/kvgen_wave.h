#pragma once
// Shuffles and votes over the 64 lanes of a wave.

template <class T>
__KVGEN_FN T __kvgen_from_lane(T value, int lane, unsigned site) {
  static_assert(__is_trivially_copyable(T) && (sizeof(T) <= 8 || sizeof(T) % 8 == 0),
                "a shuffle moves values of at most 8 bytes, or of a multiple of 8");
  if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T,
                              __kvgen_shuffle32(__builtin_bit_cast(unsigned, value), lane, site));
  } else if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(
        T, __kvgen_shuffle64(__builtin_bit_cast(unsigned long long, value), lane, site));
  } else if constexpr (sizeof(T) < 4) {
    unsigned bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = __kvgen_shuffle32(bits, lane, site);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
  } else if constexpr (sizeof(T) < 8) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = __kvgen_shuffle64(bits, lane, site);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
  } else {
    unsigned long long bits[sizeof(T) / 8];
    __builtin_memcpy(bits, &value, sizeof(T));
    for (unsigned i = 0; i < sizeof(T) / 8; ++i) bits[i] = __kvgen_shuffle64(bits[i], lane, site);
    __builtin_memcpy(&value, bits, sizeof(T));
    return value;
  }
}

// A source outside the lane's own group of `width` is the lane itself.
__KVGEN_FN int __kvgen_lane_at(int index, int width) {
  return (int)(__kvgen_lane() & ~(unsigned)(width - 1)) | (index & (width - 1));
}
__KVGEN_FN int __kvgen_lane_up(unsigned delta, int width) {
  const int self = (int)__kvgen_lane();
  const int source = self - (int)delta;
  return source < (self & ~(width - 1)) ? self : source;
}
__KVGEN_FN int __kvgen_lane_down(unsigned delta, int width) {
  const int self = (int)__kvgen_lane();
  return (int)((self & (width - 1)) + delta) >= width ? self : self + (int)delta;
}
__KVGEN_FN int __kvgen_lane_xor(int mask, int width) {
  const int self = (int)__kvgen_lane();
  const int source = self ^ mask;
  return source >= ((self + width) & ~(width - 1)) ? self : source;
}

#define __KVGEN_SHUFFLE(name, lane, D)                                                             \
  template <class T>                                                                               \
  __KVGEN_FN T name(T value, D by, int width = warpSize, unsigned site = __KVGEN_SITE) {           \
    return __kvgen_from_lane(value, lane(by, width), site);                                        \
  }                                                                                                \
  template <class M, class T>                                                                      \
  __KVGEN_FN T name##_sync(M, T value, D by, int width = warpSize, unsigned site = __KVGEN_SITE) { \
    static_assert(sizeof(M) == 8,                                                                  \
                  "the mask of a HIP _sync function has 64 bits: 0xffffffffffffffffull");          \
    return __kvgen_from_lane(value, lane(by, width), site);                                        \
  }
__KVGEN_SHUFFLE(__shfl, __kvgen_lane_at, int)
__KVGEN_SHUFFLE(__shfl_up, __kvgen_lane_up, unsigned)
__KVGEN_SHUFFLE(__shfl_down, __kvgen_lane_down, unsigned)
__KVGEN_SHUFFLE(__shfl_xor, __kvgen_lane_xor, int)
#undef __KVGEN_SHUFFLE

__KVGEN_FN unsigned long long __ballot(int predicate, unsigned site = __KVGEN_SITE) {
  return __kvgen_ballot(predicate, site);
}
__KVGEN_FN unsigned long long __ballot64(int predicate, unsigned site = __KVGEN_SITE) {
  return __kvgen_ballot(predicate, site);
}
__KVGEN_FN int __any(int predicate, unsigned site = __KVGEN_SITE) {
  return __kvgen_ballot(predicate, site) != 0;
}
__KVGEN_FN int __all(int predicate, unsigned site = __KVGEN_SITE) {
  return __kvgen_ballot(!predicate, site) == 0;
}
__KVGEN_FN unsigned long long __activemask(unsigned site = __KVGEN_SITE) {
  return __kvgen_active(site);
}
__KVGEN_FN void __syncwarp(unsigned long long = ~0ull, unsigned site = __KVGEN_SITE) {
  __kvgen_wave_sync(site);
}

#define __KVGEN_VOTE_MASK(M)    \
  static_assert(sizeof(M) == 8, \
                "the mask of a HIP _sync function has 64 bits: 0xffffffffffffffffull")
template <class M>
__KVGEN_FN unsigned long long __ballot_sync(M mask, int predicate, unsigned site = __KVGEN_SITE) {
  __KVGEN_VOTE_MASK(M);
  return __kvgen_ballot(predicate, site) & (unsigned long long)mask;
}
template <class M>
__KVGEN_FN int __any_sync(M mask, int predicate, unsigned site = __KVGEN_SITE) {
  return __ballot_sync(mask, predicate, site) != 0;
}
template <class M>
__KVGEN_FN int __all_sync(M mask, int predicate, unsigned site = __KVGEN_SITE) {
  return __ballot_sync(mask, !predicate, site) == 0;
}

#define __KVGEN_REDUCE_SYNC(name, T, expression)                               \
  template <class M>                                                           \
  __KVGEN_FN T name(M mask, T v, unsigned site = __KVGEN_SITE) {               \
    __KVGEN_VOTE_MASK(M);                                                      \
    unsigned long long left = __kvgen_active(site) & (unsigned long long)mask; \
    T r = __kvgen_from_lane(v, __builtin_ctzll(left), site);                   \
    for (left &= left - 1; left; left &= left - 1) {                           \
      const T o = __kvgen_from_lane(v, __builtin_ctzll(left), site);           \
      r = expression;                                                          \
    }                                                                          \
    return r;                                                                  \
  }
__KVGEN_REDUCE_SYNC(__reduce_add_sync, int, (int)((unsigned)r + (unsigned)o))
__KVGEN_REDUCE_SYNC(__reduce_min_sync, int, o < r ? o : r)
__KVGEN_REDUCE_SYNC(__reduce_max_sync, int, r < o ? o : r)
__KVGEN_REDUCE_SYNC(__reduce_and_sync, unsigned, r& o)
__KVGEN_REDUCE_SYNC(__reduce_or_sync, unsigned, r | o)
__KVGEN_REDUCE_SYNC(__reduce_xor_sync, unsigned, r ^ o)
#undef __KVGEN_REDUCE_SYNC

// The lanes of the mask that hold the same value.
template <class M, class T>
__KVGEN_FN unsigned long long __match_any_sync(M mask, T value, unsigned site = __KVGEN_SITE) {
  __KVGEN_VOTE_MASK(M);
  unsigned long long same = 0;
  for (unsigned long long left = __kvgen_active(site) & (unsigned long long)mask; left;
       left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    if (__kvgen_from_lane(value, lane, site) == value) same |= 1ull << lane;
  }
  return same;
}
