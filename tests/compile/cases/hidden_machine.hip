// The cpu device looks like a GPU to the preprocessor.
// kernels: k
// expect: usable
// tokens: same
__global__ void k(float* x) {
#if defined(__x86_64__) || defined(__AVX2__) || defined(__SSE2__) || defined(__linux__) || !defined(__AMDGCN__)
  x[0] = 2;
#elif defined(__HIP_PLATFORM_AMD__) && __AMDGCN_WAVEFRONT_SIZE == 64 && defined(__HIP_DEVICE_COMPILE__)
  x[0] = sizeof(long double);
#endif
}
