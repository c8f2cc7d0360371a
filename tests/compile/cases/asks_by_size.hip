// kernels: k
// expect: usable
// tokens: differ
// The list of variadic arguments is 24 bytes on one target and 8 on another.
__global__ void k(float* out) { out[0] = sizeof(__builtin_va_list) == 24 ? 1.0f : 0.0f; }
