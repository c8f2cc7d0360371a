// kernels: plain; vectors; halves; opaque; scalars; typed<long>; enumerated; arrays
// expect: usable
// signature plain: x: const float* floating 4 const; out: float* floating 4; n: int signed 4
// signature vectors: a: const float4* floating 4 x4 const; b: int2* signed 4 x2; c: const uchar4* unsigned 1 x4 const; d: const double2* floating 8 x2 const
// signature halves: a: const __half* floating 2 const; b: const half2* floating 2 x2 const; c: const __hip_bfloat16* bfloat16 2 const; d: _Float16* floating 2; e: __bf16* bfloat16 2; f: hip_bfloat16* bfloat16 2; g: __hip_bfloat162* bfloat16 2 x2
// signature opaque: a: void* opaque 1; b: const char* opaque 1 const
// signature scalars: a: bool bool 1; b: unsigned long unsigned 8; c: float floating 4; d: double floating 8; e: __half floating 2; f: size_t unsigned 8; g: int64_t signed 8; h: short signed 2; i: __hip_bfloat16 bfloat16 2; j: uint8_t unsigned 1
// signature typed<long>: x: const long* signed 8 const; n: long signed 8
// signature enumerated: m: Mode signed 4
// signature arrays: x: float* floating 4; m: bool* bool 1; u: const unsigned char* unsigned 1 const; w: const Wide* floating 2 x8 const
#include <hip/hip_runtime.h>
__global__ void plain(const float* __restrict__ x, float* out, int n) {}
__global__ void vectors(const float4* a, int2* b, const uchar4* c, const double2* d) {}
__global__ void halves(const __half* a, const half2* b, const __hip_bfloat16* c, _Float16* d,
                       __bf16* e, hip_bfloat16* f, __hip_bfloat162* g) {}
__global__ void opaque(void* a, const char* b) {}
__global__ void scalars(bool a, unsigned long b, float c, double d, __half e, size_t f, int64_t g,
                        const short h, __hip_bfloat16 i, uint8_t j) {}
template <typename T>
__global__ void typed(const T* x, T n) {}
enum Mode : int { kA, kB };
__global__ void enumerated(Mode m) {}
struct alignas(16) Wide {
  __half v[8];
};
__global__ void arrays(float x[], bool* m, const unsigned char* u, const Wide* w) {}
