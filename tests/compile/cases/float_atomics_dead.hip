// kernels: dead; unused; counted; swapped; largest; narrow
// expect: usable
// atomics: swapped largest narrow
// A sum that no launch can reach explains no difference between two runs.
__device__ void never(float* p) { atomicAdd(p, 1.0f); }
__global__ void dead(const float* x, float* out) {
  if (sizeof(float) == 8) atomicAdd(out, 1.0f);
  out[threadIdx.x] = x[threadIdx.x];
}
__global__ void unused(float* out) {
  float part = 0.0f;
  atomicAdd(&part, 1.0f);
  out[threadIdx.x] = 2.0f;
}
__global__ void counted(int* out) {
  int old = *out;
  while (atomicCAS(out, old, old + 1) != old) old = *out;
}
// Written by hand.
__global__ void swapped(const float* x, float* out) {
  unsigned* word = (unsigned*)out;
  unsigned old = *word;
  unsigned seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, __float_as_uint(__uint_as_float(seen) + x[threadIdx.x]));
  } while (seen != old);
}
__global__ void largest(const float* x, float* out) { atomicMax(out, x[threadIdx.x]); }
__global__ void narrow(const __half* x, __half* out) { atomicAdd(out, x[threadIdx.x]); }
