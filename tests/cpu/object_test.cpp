#include "kvgen/cpu/object.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <random>

#include "kvgen/cpu/importable.h"

namespace kvgen {
namespace {

std::string object(const std::string& name) {
  std::ifstream file(std::string(KVGEN_TEST_OBJECTS) + "/" + name + ".so", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CpuObject, HasItsKernelsAndLds) {
  const auto read = read_cpu_object(object("good"));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_NE(read->entry("softmax"), 0U);
  EXPECT_EQ(read->entry("nobody"), 0U);
  EXPECT_EQ(read->loop("softmax"), 0U);
  EXPECT_GE(read->static_lds(), 4096U + 64U);
}

TEST(CpuObject, ThatWasTornIsRefusedNotTrusted) {
  const std::string whole = object("good");
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string torn = whole;
    if (i % 4 == 0) torn.resize(random() % whole.size());
    for (int k = 0; k < 3 && !torn.empty(); ++k) {
      torn[random() % std::min<std::size_t>(torn.size(), 4096)] = static_cast<char>(random());
    }
    const auto read = read_cpu_object(torn);  // either; never a crash
    if (read.ok()) EXPECT_LE(read->span, 256UL << 20);
  }
}

}  // namespace
}  // namespace kvgen
