// kernels: k
// expect: compile_error
// expect cpu: usable
__global__ void k(float* x) {
  __shared__ float buffer[20000];
  buffer[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = buffer[19999 - threadIdx.x];
}
