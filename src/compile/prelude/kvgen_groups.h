#pragma once
// cooperative_groups within a block: thread_block, tiled_partition<N>, coalesced_threads.

namespace cooperative_groups {

class thread_block {
 public:
  __KVGEN_FN void sync(unsigned site = __KVGEN_SITE) { __kvgen_barrier(site); }
  __KVGEN_FN unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  __KVGEN_FN unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  __KVGEN_FN unsigned num_threads() { return size(); }
  __KVGEN_FN dim3 group_index() { return blockIdx; }
  __KVGEN_FN dim3 thread_index() { return threadIdx; }
  __KVGEN_FN dim3 group_dim() { return blockDim; }
  __KVGEN_FN dim3 dim_threads() { return blockDim; }
};
__KVGEN_FN thread_block this_thread_block() { return thread_block(); }

// n consecutive threads of a block; n is a power of two of at most a wave.
template <unsigned n, class Parent = thread_block>
class thread_block_tile {
  static_assert(n >= 1 && n <= 64 && (n & (n - 1)) == 0,
                "a tile has a power of two of threads, at most 64");

 public:
  static constexpr unsigned numThreads = n;
  __KVGEN_FN void sync(unsigned site = __KVGEN_SITE) { __kvgen_wave_sync(site); }
  __KVGEN_FN unsigned thread_rank() { return thread_block::thread_rank() & (n - 1); }
  __KVGEN_FN unsigned meta_group_rank() { return thread_block::thread_rank() / n; }
  __KVGEN_FN unsigned meta_group_size() { return (thread_block::size() + n - 1) / n; }
  __KVGEN_FN unsigned size() { return n; }
  __KVGEN_FN unsigned num_threads() { return n; }

  template <class T>
  __KVGEN_FN T shfl(T v, int lane, unsigned site = __KVGEN_SITE) {
    return __kvgen_from_lane(v, __kvgen_lane_at(lane, n), site);
  }
  template <class T>
  __KVGEN_FN T shfl_down(T v, unsigned by, unsigned site = __KVGEN_SITE) {
    return __kvgen_from_lane(v, __kvgen_lane_down(by, n), site);
  }
  template <class T>
  __KVGEN_FN T shfl_up(T v, unsigned by, unsigned site = __KVGEN_SITE) {
    return __kvgen_from_lane(v, __kvgen_lane_up(by, n), site);
  }
  template <class T>
  __KVGEN_FN T shfl_xor(T v, unsigned mask, unsigned site = __KVGEN_SITE) {
    return __kvgen_from_lane(v, __kvgen_lane_xor((int)mask, n), site);
  }
  __KVGEN_FN unsigned long long ballot(int predicate, unsigned site = __KVGEN_SITE) {
    return __kvgen_ballot(predicate, site) >> __first() & __members();
  }
  __KVGEN_FN int any(int predicate, unsigned site = __KVGEN_SITE) {
    return ballot(predicate, site) != 0;
  }
  __KVGEN_FN int all(int predicate, unsigned site = __KVGEN_SITE) {
    return ballot(!predicate, site) == 0;
  }

 private:
  __KVGEN_FN unsigned __first() { return __kvgen_lane() & ~(n - 1); }
  __KVGEN_FN unsigned long long __members() { return n == 64 ? ~0ull : (1ull << (n & 63)) - 1; }
};
template <unsigned n, class Parent>
__KVGEN_FN thread_block_tile<n, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<n, Parent>();
}

// The lanes of the wave that got here together.
class coalesced_group {
  unsigned long long mask_;

 public:
  explicit __attribute__((always_inline, device)) coalesced_group(unsigned long long mask)
      : mask_(mask) {}
  __KVGEN_MEMBER unsigned size() const { return __builtin_popcountll(mask_); }
  __KVGEN_MEMBER unsigned num_threads() const { return size(); }
  __KVGEN_MEMBER unsigned thread_rank() const {
    return __builtin_popcountll(mask_ & ((1ull << __kvgen_lane()) - 1));
  }
  __KVGEN_MEMBER void sync(unsigned site = __KVGEN_SITE) const { __kvgen_wave_sync(site); }
  template <class T>
  __KVGEN_MEMBER T shfl(T v, int rank, unsigned site = __KVGEN_SITE) const {
    return __kvgen_from_lane(v, __lane((unsigned)rank % size()), site);
  }
  template <class T>
  __KVGEN_MEMBER T shfl_down(T v, unsigned by, unsigned site = __KVGEN_SITE) const {
    const unsigned rank = thread_rank();
    return __kvgen_from_lane(v, __lane(rank + by < size() ? rank + by : rank), site);
  }
  template <class T>
  __KVGEN_MEMBER T shfl_up(T v, unsigned by, unsigned site = __KVGEN_SITE) const {
    const unsigned rank = thread_rank();
    return __kvgen_from_lane(v, __lane(rank >= by ? rank - by : rank), site);
  }
  __KVGEN_MEMBER int any(int predicate, unsigned site = __KVGEN_SITE) const {
    return __kvgen_ballot(predicate, site) != 0;
  }
  __KVGEN_MEMBER int all(int predicate, unsigned site = __KVGEN_SITE) const {
    return __kvgen_ballot(!predicate, site) == 0;
  }

 private:
  __KVGEN_MEMBER int __lane(unsigned rank) const {
    unsigned long long left = mask_;
    for (; rank; --rank) left &= left - 1;
    return __builtin_ctzll(left);
  }
};
__KVGEN_FN coalesced_group coalesced_threads(unsigned site = __KVGEN_SITE) {
  return coalesced_group(__kvgen_active(site));
}

template <class Group>
__KVGEN_FN void sync(const Group& group, unsigned site = __KVGEN_SITE) {
  group.sync(site);
}

template <class T>
using plus = std::plus<T>;
template <class T>
struct less {
  __KVGEN_MEMBER T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __KVGEN_MEMBER T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned n, class Parent, class T, class Op>
__KVGEN_FN T reduce(const thread_block_tile<n, Parent>& tile, T v, Op op,
                    unsigned site = __KVGEN_SITE) {
  for (unsigned by = n / 2; by; by /= 2) v = op(v, tile.shfl_xor(v, by, site));
  return v;
}

}  // namespace cooperative_groups
