// expect: ok
__global__ void integer(int* i, unsigned* u, unsigned long long* q, long long* l) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, 1);
  atomicAdd(i, 1);
  atomicSub(i, 2);
  atomicMax(i, 3);
  atomicMin(i, 4);
  atomicAnd(i, 5);
  atomicOr(i, 6);
  atomicXor(i, 7);
  i[1] = atomicExch(i, 8) + atomicCAS(i, 9, 10);
  atomicAdd(u, 1u);
  atomicMax(u, 2u);
  atomicCAS(u, 1u, 2u);
  atomicInc(u, 100u);
  atomicDec(u, 100u);
  atomicAdd(q, 1ull);
  atomicMax(q, 2ull);
  atomicMin(q, 1ull);
  atomicCAS(q, 1ull, 2ull);
  atomicExch(q, 3ull);
  atomicMax(l, 3ll);
  atomicAdd_block(i, 1);
  atomicAdd_system(i, 1);
  atomicAdd(u + threadIdx.x, 1);
}
