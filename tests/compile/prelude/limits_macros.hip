// expect: ok
__global__ void largest(float* a, double* d, int* i) {
  a[0] = -INFINITY + NAN + HUGE_VALF;
  a[1] = FLT_MAX + FLT_MIN + FLT_EPSILON;
  d[0] = DBL_MAX + DBL_MIN + DBL_EPSILON + M_PI + M_SQRT1_2 + M_SQRT2 + M_LOG2E + M_2_SQRTPI;
  i[0] = INT_MAX + INT_MIN + SHRT_MAX + UCHAR_MAX;
  i[1] = (int)(LLONG_MAX + (long long)UINT_MAX);
}
