#include "generate/llm/patience.h"

#include <algorithm>

namespace kvgen::generate {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kFirst{500};
constexpr milliseconds kLongest{60'000};
constexpr int kMostDoublings = 10;

}  // namespace

milliseconds Backoff::next() {
  const auto full = std::min(kLongest, kFirst * (1 << std::min(tries_++, kMostDoublings)));
  const double less = 0.25 * chance_();
  return milliseconds(static_cast<std::int64_t>(static_cast<double>(full.count()) * (1 - less)));
}

}  // namespace kvgen::generate
