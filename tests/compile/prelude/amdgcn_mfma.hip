// expect: ok
typedef float floatx4 __attribute__((ext_vector_type(4)));
typedef float floatx16 __attribute__((ext_vector_type(16)));
typedef _Float16 halfx4 __attribute__((ext_vector_type(4)));
typedef short shortx4 __attribute__((ext_vector_type(4)));
__global__ void matrix(float* a, const halfx4* h, const shortx4* s, floatx16* wide) {
  floatx4 c = {0, 0, 0, 0};
  c = __builtin_amdgcn_mfma_f32_16x16x4f32(a[0], a[1], c, 0, 0, 0);
  c = __builtin_amdgcn_mfma_f32_16x16x16f16(h[0], h[1], c, 0, 0, 0);
  c = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(s[0], s[1], c, 0, 0, 0);
  c = __builtin_amdgcn_mfma_f32_4x4x4f16(h[0], h[1], c, 0, 0, 0);
  c = __builtin_amdgcn_mfma_f32_4x4x1f32(a[0], a[1], c, 0, 0, 0);
  floatx16 d = wide[0];
  d = __builtin_amdgcn_mfma_f32_32x32x8f16(h[0], h[1], d, 0, 0, 0);
  d = __builtin_amdgcn_mfma_f32_32x32x2f32(a[0], a[1], d, 0, 0, 0);
  d = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(s[0], s[1], d, 0, 0, 0);
  wide[0] = d;
  for (int i = 0; i < 4; ++i) a[threadIdx.x * 4 + i] = c[i];
}
