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

class RefusedObject : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RefusedObject, SaysWhy) {
  const auto read = read_cpu_object(object(GetParam().first));
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), testing::HasSubstr(GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(
    Objects, RefusedObject,
    testing::Values(std::pair("constructor", "a constructor"),
                    std::pair("thread_local", "thread-local storage"),
                    std::pair("undefined", "system, which the device does not have"),
                    std::pair("ifunc", "an ifunc: chosen"), std::pair("nothing", "no ELF")),
    [](const auto& info) { return std::string(info.param.first); });

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
