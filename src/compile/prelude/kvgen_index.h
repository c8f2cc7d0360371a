#pragma once
// threadIdx, blockIdx, blockDim, gridDim, warpSize and the barriers.

#define __KVGEN_SITE                  \
  ((unsigned)__builtin_LINE() << 10 | \
   (unsigned)(__builtin_COLUMN() > 1023 ? 1023 : __builtin_COLUMN()))

#define __KVGEN_INDEX(name, source)                                 \
  struct __kvgen_##source##_t {                                     \
    __declspec(property(get = __x)) unsigned x;                     \
    __declspec(property(get = __y)) unsigned y;                     \
    __declspec(property(get = __z)) unsigned z;                     \
    __KVGEN_FN unsigned __x() { return __kvgen_##source##_x(); }    \
    __KVGEN_FN unsigned __y() { return __kvgen_##source##_y(); }    \
    __KVGEN_FN unsigned __z() { return __kvgen_##source##_z(); }    \
    __attribute__((always_inline, device)) operator dim3() const {  \
      return dim3(__x(), __y(), __z());                             \
    }                                                               \
    __attribute__((always_inline, device)) operator uint3() const { \
      return uint3(__x(), __y(), __z());                            \
    }                                                               \
  };                                                                \
  static constexpr __kvgen_##source##_t name{};
__KVGEN_INDEX(threadIdx, thread)
__KVGEN_INDEX(blockIdx, block)
__KVGEN_INDEX(blockDim, block_dim)
__KVGEN_INDEX(gridDim, grid_dim)
#undef __KVGEN_INDEX

static constexpr int warpSize = 64;

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

__KVGEN_FN unsigned __lane_id() { return __kvgen_lane(); }

__KVGEN_FN void __syncthreads(unsigned site = __KVGEN_SITE) { __kvgen_barrier(site); }
__KVGEN_FN int __syncthreads_count(int predicate, unsigned site = __KVGEN_SITE) {
  return __kvgen_barrier_count(predicate, site);
}
__KVGEN_FN int __syncthreads_and(int predicate, unsigned site = __KVGEN_SITE) {
  return __kvgen_barrier_and(predicate, site);
}
__KVGEN_FN int __syncthreads_or(int predicate, unsigned site = __KVGEN_SITE) {
  return __kvgen_barrier_or(predicate, site);
}
__KVGEN_FN void __threadfence() { __kvgen_fence_device(); }
__KVGEN_FN void __threadfence_block() { __kvgen_fence_block(); }
__KVGEN_FN void __threadfence_system() { __kvgen_fence_system(); }

__KVGEN_FN long long clock64() { return (long long)__kvgen_clock(); }
__KVGEN_FN long clock() { return (long)__kvgen_clock(); }
__KVGEN_FN long long wall_clock64() { return (long long)__kvgen_wall_clock(); }

#define assert(condition) \
  ((condition) ? (void)0 : __kvgen_assert_fail(#condition, __FILE__, __LINE__))
__KVGEN_FN void abort() { __builtin_trap(); }

__KVGEN_FN void* memcpy(void* to, const void* from, size_t n) {
  return __builtin_memcpy(to, from, n);
}
__KVGEN_FN void* memmove(void* to, const void* from, size_t n) {
  return __builtin_memmove(to, from, n);
}
__KVGEN_FN void* memset(void* to, int value, size_t n) { return __builtin_memset(to, value, n); }
namespace std {
using ::abort;
using ::memcpy;
using ::memmove;
using ::memset;
using ::printf;
}  // namespace std
