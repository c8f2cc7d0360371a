// expect: ok
__global__ void votes(int* a) {
  a[0] = __syncthreads_count(a[threadIdx.x]) + __syncthreads_and(a[1]) + __syncthreads_or(a[2]);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __syncwarp();
  __syncthreads();
}
