#include "plan/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace kvgen {
namespace {

TEST(EncodeReal, AgreesWithTheMachineForFloatsOfAllSizes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const auto narrow = static_cast<float>(value);
    const Encoded encoded = encode_real(value, DType::kFloat32);
    if (std::isinf(narrow)) {
      EXPECT_NE(encoded.problem, "");
    } else {
      ASSERT_EQ(encoded.bits, std::bit_cast<std::uint32_t>(narrow)) << value;
    }
    ASSERT_EQ(encode_real(value, DType::kFloat64).bits, std::bit_cast<std::uint64_t>(value));
  }
}

TEST(EncodeReal, RoundsSubnormalFloatsToEven) {
  for (const double value :
       {0x1p-149, 0x1p-150, 0x1.8p-149, 0x1.4p-149, 0x1.fffffep-127, -0x1p-151}) {
    const Encoded encoded = encode_real(value, DType::kFloat32);
    EXPECT_EQ(encoded.bits, std::bit_cast<std::uint32_t>(static_cast<float>(value))) << value;
  }
}

struct Row {
  DType dtype;
  double value;
  std::uint64_t bits;
};

TEST(EncodeReal, KnowsTheSmallFormats) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Row& row :
       {Row{DType::kFloat16, 1.0, 0x3c00}, Row{DType::kFloat16, 65504, 0x7bff},
        Row{DType::kFloat16, 65519, 0x7bff}, Row{DType::kFloat16, 0x1p-24, 0x1},
        Row{DType::kFloat16, -inf, 0xfc00}, Row{DType::kBFloat16, 1.0, 0x3f80},
        Row{DType::kBFloat16, 0.1, 0x3dcd}, Row{DType::kBFloat16, inf, 0x7f80},
        Row{DType::kFloat8E4M3, 448, 0x7e}, Row{DType::kFloat8E4M3, 0x1p-9, 0x1},
        Row{DType::kFloat8E4M3, -1, 0xb8}, Row{DType::kFloat8E5M2, 57344, 0x7b},
        Row{DType::kFloat8E5M2, inf, 0x7c}, Row{DType::kFloat8E4M3Fnuz, 240, 0x7f},
        Row{DType::kFloat8E4M3Fnuz, -0.0, 0}, Row{DType::kFloat8E5M2Fnuz, 1, 0x40}}) {
    const Encoded encoded = encode_real(row.value, row.dtype);
    EXPECT_EQ(encoded.problem, "");
    EXPECT_EQ(encoded.bits, row.bits) << to_string(row.dtype) << " " << row.value;
  }
  EXPECT_NE(encode_real(65520, DType::kFloat16).problem, "");
  EXPECT_NE(encode_real(465, DType::kFloat8E4M3).problem, "");
  EXPECT_NE(encode_real(inf, DType::kFloat8E4M3).problem, "");
}

TEST(DecodeReal, GivesBackEveryHalfAndEveryFloat8) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat8E4M3,
                            DType::kFloat8E5M2, DType::kFloat8E4M3Fnuz, DType::kFloat8E5M2Fnuz}) {
    int seen = 0;
    for (std::uint64_t bits = 0; bits < (1ULL << (8 * size_of(dtype))); ++bits) {
      const double value = decode_real(bits, dtype);
      const Encoded encoded = encode_real(value, dtype);
      if (!encoded.problem.empty() || encoded.bits != bits) continue;  // NaN, -0 of fnuz
      ++seen;
    }
    const int all = 1 << (8 * size_of(dtype));
    const int nans = dtype == DType::kFloat16      ? 2 * 1023
                     : dtype == DType::kBFloat16   ? 2 * 127
                     : dtype == DType::kFloat8E5M2 ? 2 * 3
                     : dtype == DType::kFloat8E4M3 ? 2
                                                   : 1;
    EXPECT_EQ(seen, all - nans) << to_string(dtype);
  }
}

TEST(EncodeInteger, IsExactOrAProblem) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(encode_integer(-1, DType::kInt8).bits, 0xffU);
  EXPECT_EQ(encode_integer(-128, DType::kInt8).problem, "");
  EXPECT_NE(encode_integer(-129, DType::kInt8).problem, "");
  EXPECT_NE(encode_integer(256, DType::kUInt8).problem, "");
  EXPECT_EQ(encode_integer(most, DType::kUInt64).bits, 0x7fff'ffff'ffff'ffffU);
  EXPECT_NE(encode_integer(-1, DType::kUInt64).problem, "");
  EXPECT_EQ(encode_integer(least, DType::kFloat64).bits, std::bit_cast<std::uint64_t>(-0x1p63));
  EXPECT_NE(encode_integer(most, DType::kFloat64).problem, "");
  EXPECT_NE(encode_integer(2049, DType::kFloat16).problem, "");
  EXPECT_EQ(encode_integer(2050, DType::kFloat16).bits, 0x6801U);
}

}  // namespace
}  // namespace kvgen
