// expect: ok
#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void groups(float* a, int* i) {
  cg::thread_block block = cg::this_thread_block();
  a[0] = block.thread_rank() + block.size() + block.group_index().x + block.thread_index().y;
  block.sync();
  auto tile = cg::tiled_partition<32>(block);
  float v = a[tile.thread_rank()];
  for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
  v += tile.shfl_xor(v, 1) + tile.shfl_up(v, 1) + tile.shfl(v, 0);
  i[0] = tile.any(v > 0) + tile.all(v > 0) + (int)tile.ballot(v > 0) + tile.meta_group_rank();
  tile.sync();
  cg::thread_block_tile<64> wave = cg::tiled_partition<64>(block);
  a[1] = cg::reduce(wave, v, cg::plus<float>()) + cg::reduce(tile, v, cg::greater<float>());
  cg::sync(block);
  if (threadIdx.x < 10) {
    cg::coalesced_group active = cg::coalesced_threads();
    i[1] = active.size() + active.thread_rank() + active.shfl(i[2], 0);
  }
}
