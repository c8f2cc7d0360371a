#include "kvgen/worker/arena.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace kvgen {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

TensorSpec floats(const std::string& name, Shape shape) {
  return {name, TensorRole::kInput, DType::kFloat32, std::move(shape)};
}

const std::vector<TensorSpec> kSpecs = {floats("x", {3, 5}),
                                        floats("empty", {0, 4}),
                                        floats("scalar", {}),
                                        floats("page", {1024}),
                                        {"flags", TensorRole::kInput, DType::kBool, {4097}}};

SharedFd memfd(std::int64_t bytes, int seals) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(fd.get(), bytes), 0);
  if (seals != 0) EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
  return share(std::move(fd));
}

TEST(Layout, DataEndsAtTheEndOfItsPages) {
  const auto layout = lay_out(kSpecs, 1 << 20);
  ASSERT_TRUE(layout.ok());
  std::int64_t end = 0;
  for (const ArenaTensor& tensor : layout->tensors) {
    EXPECT_EQ(tensor.region_offset, end) << tensor.spec.name;
    EXPECT_GE(tensor.region_bytes, kArenaPage);
    EXPECT_EQ(tensor.region_bytes % kArenaPage, 0);
    EXPECT_EQ(tensor.data_offset % kArenaAlignment, 0);
    EXPECT_EQ(tensor.data_bytes, tensor.spec.bytes());
    end = tensor.region_offset + tensor.region_bytes;
    const std::int64_t behind = end - tensor.data_offset - tensor.data_bytes;
    EXPECT_GE(behind, 0);
    EXPECT_LT(behind, kArenaAlignment) << "one element past the end is caught";
  }
  EXPECT_EQ(layout->bytes, end);
}

TEST(Layout, TheLimitHolds) {
  EXPECT_EQ(lay_out({floats("x", {1 << 20})}, 1 << 20).error().code(), Code::kFull);
  EXPECT_TRUE(lay_out({floats("x", {1 << 18})}, 1 << 20).ok());
  EXPECT_EQ(lay_out({}, 1 << 20)->bytes, kArenaPage) << "an arena of nothing can be mapped";
}

TEST(Layout, GoesThroughJson) {
  const auto layout = lay_out(kSpecs, 1 << 20);
  const auto again = arena_layout_from(to_json(*layout), "l");
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(to_json(*again), to_json(*layout));
  EXPECT_EQ(again->tensors[0].data_bytes, 60);
}

struct LayoutRow {
  const char* name;
  void (*change)(Json& layout);
};

class LyingLayout : public ::testing::TestWithParam<LayoutRow> {};

TEST_P(LyingLayout, IsRefused) {
  Json json = to_json(*lay_out({floats("x", {3, 5}), floats("y", {2})}, 1 << 20));
  GetParam().change(json);
  EXPECT_FALSE(arena_layout_from(json, "l").ok());
}

INSTANTIATE_TEST_SUITE_P(
    Table, LyingLayout,
    ::testing::Values(
        LayoutRow{"negative_region", [](Json& l) { l["tensors"][0]["region_offset"] = -4096; }},
        LayoutRow{"region_off_a_page", [](Json& l) { l["tensors"][1]["region_offset"] = 4100; }},
        LayoutRow{"overlap", [](Json& l) { l["tensors"][1]["region_offset"] = 0; }},
        LayoutRow{"region_past_the_end",
                  [](Json& l) { l["tensors"][1]["region_bytes"] = 1 << 20; }},
        LayoutRow{"region_of_nearly_2_63",
                  [](Json& l) { l["tensors"][1]["region_bytes"] = 9223372036854771712; }},
        LayoutRow{"negative_size", [](Json& l) { l["tensors"][0]["region_bytes"] = -4096; }},
        LayoutRow{"data_before_region", [](Json& l) { l["tensors"][1]["data_offset"] = 4080; }},
        LayoutRow{"data_off_16", [](Json& l) { l["tensors"][0]["data_offset"] = 4; }},
        LayoutRow{"data_past_region", [](Json& l) { l["tensors"][0]["data_offset"] = 4080; }},
        LayoutRow{"data_past_2_62",
                  [](Json& l) { l["tensors"][0]["data_offset"] = 4611686018427387904; }},
        LayoutRow{"larger_tensor", [](Json& l) { l["tensors"][0]["spec"]["shape"] = {2000}; }},
        LayoutRow{
            "absurd_tensor",
            [](Json& l) { l["tensors"][0]["spec"]["shape"] = {1099511627776, 1099511627776}; }},
        LayoutRow{"smaller_arena", [](Json& l) { l["bytes"] = 4096; }},
        LayoutRow{"negative_arena", [](Json& l) { l["bytes"] = -1; }},
        LayoutRow{"unknown_key", [](Json& l) { l["tensors"][0]["more"] = 1; }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ArenaTest, IsSharedThroughItsDescriptor) {
  auto arena = Arena::create("test", *lay_out(kSpecs, 1 << 20));
  ASSERT_TRUE(arena.ok());
  ASSERT_TRUE(arena->seal(false).ok());
  const ArenaTensor& x = arena->layout().tensors[0];
  EXPECT_THAT(arena->region(x), Each(std::byte{0}));
  arena->data(x)[59] = std::byte{7};
  auto other = Arena::open(arena->fd(), arena->layout(), true);
  ASSERT_TRUE(other.ok()) << other.error().message();
  EXPECT_EQ(other->data(x)[59], std::byte{7});
  other->data(x)[0] = std::byte{9};
  EXPECT_EQ(arena->data(x)[0], std::byte{9});
}

TEST(ArenaTest, AFrozenOneIsWrittenByItsMakerOnly) {
  auto arena = Arena::create("test", *lay_out(kSpecs, 1 << 20));
  ASSERT_TRUE(arena->seal(true).ok());
  EXPECT_FALSE(Arena::open(arena->fd(), arena->layout(), true).ok());
  auto reader = Arena::open(arena->fd(), arena->layout(), false);
  ASSERT_TRUE(reader.ok());
  arena->data(arena->layout().tensors[0])[0] = std::byte{3};
  EXPECT_EQ(reader->data(arena->layout().tensors[0])[0], std::byte{3});
  EXPECT_LT(::pwrite(arena->fd()->get(), "x", 1, 0), 0) << "nor through the descriptor";
}

TEST(ArenaTest, SealsHold) {
  auto arena = Arena::create("test", *lay_out(kSpecs, 1 << 20));
  ASSERT_TRUE(arena->seal(false).ok());
  EXPECT_NE(::ftruncate(arena->fd()->get(), 0), 0);
  EXPECT_NE(::ftruncate(arena->fd()->get(), 1 << 24), 0);
  EXPECT_NE(::fcntl(arena->fd()->get(), F_ADD_SEALS, F_SEAL_WRITE), 0) << "seals are final";
  EXPECT_FALSE(arena->seal(true).ok());
}

TEST(ArenaTest, OneThatCouldShrinkOrHasAnotherSizeIsRefused) {
  const ArenaLayout layout = *lay_out({floats("x", {4})}, 1 << 20);
  const int sealed = F_SEAL_SHRINK | F_SEAL_GROW;
  EXPECT_TRUE(Arena::open(memfd(4096, sealed), layout, false).ok());
  for (const SharedFd& fd :
       {memfd(4096, 0), memfd(4096, F_SEAL_GROW), memfd(0, sealed), memfd(8192, sealed)}) {
    const auto opened = Arena::open(fd, layout, false);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code(), Code::kInvalid);
  }
  const SharedFd file = share(UniqueFd(::open("/dev/zero", O_RDWR | O_CLOEXEC)));
  EXPECT_FALSE(Arena::open(file, layout, false).ok());
}

TEST(Blob, CannotBeChangedAndIsReadUpToALimit) {
  const auto blob = sealed_blob("test", std::string("a\0b", 3));
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ(*read_blob(**blob, 3), std::string("a\0b", 3));
  EXPECT_EQ(read_blob(**blob, 2).error().code(), Code::kInvalid);
  EXPECT_LT(::pwrite((*blob)->get(), "x", 1, 0), 0);
  EXPECT_EQ(::mmap(nullptr, 3, PROT_WRITE, MAP_SHARED, (*blob)->get(), 0), MAP_FAILED);
  EXPECT_EQ(*read_blob(**sealed_blob("empty", ""), 0), "");
  EXPECT_FALSE(read_blob(UniqueFd(), 10).ok());
}

}  // namespace
}  // namespace kvgen
