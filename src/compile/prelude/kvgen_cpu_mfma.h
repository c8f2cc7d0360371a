#pragma once
// Matrix instructions of CDNA in software: float products of the operands' exact values, summed
// in float. Layouts follow the CDNA instruction set guide.
//
// An instruction is M x N x K with `blocks` independent blocks. Of a block, lane l holds K/L
// elements of A's row l % M and of B's column l % N, where L = 64 / (M * blocks) lanes share a
// row; of D, element i belongs to row 8 * (i / 4) ... as in __kvgen_mfma_row.

template <class In, class Out, int count_in, int count_out>
struct __kvgen_mfma_lane {
  In a[count_in], b[count_in];
  Out c[count_out];
};

template <class In, class Out, int m, int k, int blocks>
static __attribute__((device)) void __kvgen_mfma_wave(void** lanes, unsigned long long active) {
  constexpr int in = m * k * blocks / 64, out = m * m * blocks / 64;
  constexpr int sharing = 64 / (m * blocks);  // lanes along k
  using Lane = __kvgen_mfma_lane<In, Out, in, out>;
  Out a[blocks][m][k] = {}, b[blocks][k][m] = {}, d[blocks][m][m];
  for (unsigned long long left = active; left; left &= left - 1) {
    const int l = __builtin_ctzll(left);
    const Lane& lane = *(const Lane*)lanes[l];
    const int block = l / m % blocks, along = l / (m * blocks) * in, across = l % m;
    static_assert(sharing * in == k, "every k is held by a lane");
    for (int i = 0; i < in; ++i) {
      a[block][across][along + i] = (Out)lane.a[i];
      b[block][along + i][across] = (Out)lane.b[i];
    }
  }
  for (int n = 0; n < blocks; ++n) {
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < m; ++column) {
        Out sum = 0;
        for (int i = 0; i < k; ++i) sum += a[n][row][i] * b[n][i][column];
        d[n][row][column] = sum;
      }
    }
  }
  for (unsigned long long left = active; left; left &= left - 1) {
    const int l = __builtin_ctzll(left);
    Lane& lane = *(Lane*)lanes[l];
    for (int i = 0; i < out; ++i) {
      int block, row;
      if constexpr (m == 4) {
        block = l / 4, row = i;
      } else {
        constexpr int per_block = out / blocks, rows_at_once = 4 * (64 / m);
        block = i / per_block;
        const int j = i % per_block;
        row = j / 4 * rows_at_once + l / m * 4 + j % 4;
      }
      lane.c[i] += d[block][row][l % m];
    }
  }
}

template <class In, class Out, int m, int k, int blocks, class A, class C>
__KVGEN_FN C __kvgen_mfma(A a, A b, C c, unsigned site) {
  constexpr int in = m * k * blocks / 64, out = m * m * blocks / 64;
  static_assert(sizeof(A) == in * sizeof(In) && sizeof(C) == out * sizeof(Out),
                "operands of a matrix instruction have its sizes");
  __kvgen_mfma_lane<In, Out, in, out> mine;
  __builtin_memcpy(mine.a, &a, sizeof a);
  __builtin_memcpy(mine.b, &b, sizeof b);
  __builtin_memcpy(mine.c, &c, sizeof c);
  kvgen_cpu_wave_exec(&mine, __kvgen_mfma_wave<In, Out, m, k, blocks>, site);
  __builtin_memcpy(&c, mine.c, sizeof c);
  return c;
}

struct __kvgen_bf16_bits {
  unsigned short bits;
  __attribute__((always_inline, device)) explicit operator float() const {
    return __builtin_bit_cast(float, (unsigned)bits << 16);
  }
};

// Broadcast controls (cbsz, abid, blgp) other than 0 are not imitated.
#define __KVGEN_MFMA(name, In, Out, m, k, blocks)                                        \
  template <class A, class C>                                                            \
  __KVGEN_FN C __builtin_amdgcn_mfma_##name(A a, A b, C c, int cbsz, int abid, int blgp, \
                                            unsigned site = __KVGEN_CPU_SITE) {          \
    if (cbsz | abid | blgp) kvgen_cpu_trap(site);                                        \
    return __kvgen_mfma<In, Out, m, k, blocks>(a, b, c, site);                           \
  }
__KVGEN_MFMA(f32_32x32x1f32, float, float, 32, 1, 2)
__KVGEN_MFMA(f32_16x16x1f32, float, float, 16, 1, 4)
__KVGEN_MFMA(f32_4x4x1f32, float, float, 4, 1, 16)
__KVGEN_MFMA(f32_32x32x2f32, float, float, 32, 2, 1)
__KVGEN_MFMA(f32_16x16x4f32, float, float, 16, 4, 1)
__KVGEN_MFMA(f32_32x32x4f16, _Float16, float, 32, 4, 2)
__KVGEN_MFMA(f32_16x16x4f16, _Float16, float, 16, 4, 4)
__KVGEN_MFMA(f32_4x4x4f16, _Float16, float, 4, 4, 16)
__KVGEN_MFMA(f32_32x32x8f16, _Float16, float, 32, 8, 1)
__KVGEN_MFMA(f32_16x16x16f16, _Float16, float, 16, 16, 1)
__KVGEN_MFMA(f32_32x32x8bf16_1k, __kvgen_bf16_bits, float, 32, 8, 1)
__KVGEN_MFMA(f32_16x16x16bf16_1k, __kvgen_bf16_bits, float, 16, 16, 1)
#undef __KVGEN_MFMA
