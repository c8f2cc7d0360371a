// expect: ok
__global__ void sum(float* a) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) a[0] = s[0];
}
__global__ void bytes(float* a) {
  extern __shared__ __align__(16) unsigned char raw[];
  float* s = reinterpret_cast<float*>(raw);
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[0] = s[1];
}
__global__ void macro(int* a) {
  HIP_DYNAMIC_SHARED(int, words)
  words[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[0] = words[1];
}
