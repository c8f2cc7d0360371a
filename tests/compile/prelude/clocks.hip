// expect: ok
__global__ void times(long long* a) {
  a[0] = clock64() + clock();
  a[1] = wall_clock64();
}
