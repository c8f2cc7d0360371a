// kernels: k
// expect: usable
// remark: host_code_dropped: launch
// remark: host_code_dropped: main
// remark: host_code_dropped: clamp_host
// line k: 16
#include <hip/hip_runtime.h>
template <typename T>
T clamp_host(T v) { return v < 0 ? 0 : v; }
extern "C" void launch(float* x, int n) {
  const char* brace = "}{";  // a brace in a string: }
  k<<<dim3(1), dim3(n)>>>(x);
  undeclared_thing(x);
}

__global__ void k(float* x) { x[threadIdx.x] = 1; }
int main() { return clamp_host(0); }
