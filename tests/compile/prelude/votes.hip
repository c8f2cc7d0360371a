// expect: ok
__global__ void votes(unsigned long long* a, int* i) {
  const unsigned long long mask = __ballot(threadIdx.x & 1);
  a[0] = mask + __activemask() + __ballot_sync(~0ull, i[0] > 0);
  i[0] = __any(i[1]) + __all(i[2]) + __any_sync(~0ull, i[3]) + __all_sync(~0ull, i[4]);
  i[1] = __popcll(mask) + __ffsll(mask) + __lane_id() + __popcll(mask & ((1ull << __lane_id()) - 1));
  i[2] = __reduce_add_sync(~0ull, i[2]) + __reduce_max_sync(~0ull, i[3]);
  a[1] = __match_any_sync(~0ull, i[5]);
}
