#include <cmath>

#include "tests/device/candidates.h"

namespace kvgen::test {

static double row_sum(const Candidate& c, std::size_t row, std::size_t cols) {
  double sum = 0;
  for (std::size_t i = 0; i < cols; ++i) sum += c.input<float>("x")[row * cols + i];
  return sum;
}

const std::map<std::string, Expected>& expected_floats() {
  static const std::map<std::string, Expected> all = {
      {"vector_add", [](const Candidate& c,
                        std::size_t i) { return c.input<float>("a")[i] + c.input<float>("b")[i]; }},
      {"block_sum", [](const Candidate& c, std::size_t i) { return row_sum(c, i, 1000); }},
      {"softmax",
       [](const Candidate& c, std::size_t i) {
         double sum = 0;
         for (std::size_t k = i / 777 * 777; k < i / 777 * 777 + 777; ++k) {
           sum += std::exp(static_cast<double>(c.input<float>("x")[k]));
         }
         return std::exp(static_cast<double>(c.input<float>("x")[i])) / sum;
       }},
      {"matmul",
       [](const Candidate& c, std::size_t i) {
         double sum = 0;
         for (std::size_t k = 0; k < 64; ++k) {
           sum += static_cast<double>(c.input<float>("a")[i / 64 * 64 + k]) *
                  c.input<float>("b")[k * 64 + i % 64];
         }
         return sum;
       }},
      {"scan",
       [](const Candidate& c, std::size_t i) {
         double sum = 0;
         for (std::size_t k = 0; k <= i; ++k) sum += c.input<float>("x")[k];
         return sum;
       }},
      {"hello", [](const Candidate&, std::size_t) { return 1; }}};
  return all;
}

const std::map<std::string, Expected>& expected_integers() {
  static const std::map<std::string, Expected> all = {
      {"count_signs",
       [](const Candidate& c, std::size_t i) {
         int count = 0;
         for (const float x : c.input<float>("x")) count += (x < 0) == (i == 1) ? 1 : 0;
         return count;
       }},
      // Of the lanes 0..63: 22, 21, 21 by remainder; of 0..35: 12 each.
      {"ballots",
       [](const Candidate&, std::size_t i) {
         const bool thirds = i % 64 % 3 == 0;
         return i < 64 ? (thirds ? 22 : 21) : 12;
       }},
      {"inactive_source", [](const Candidate&, std::size_t i) { return i < 32 ? 0 : -1; }},
      {"votes", [](const Candidate&, std::size_t) { return 5001; }},
      {"wave_execute",
       [](const Candidate&, std::size_t i) { return i < 64 ? 63 * 64 / 2 : 35 * 36 / 2; }}};
  return all;
}

std::string difference(const std::string& name, const Candidate& candidate) {
  const auto differs = [](std::size_t i, double got, double wanted) {
    return "out[" + std::to_string(i) + "] is " + std::to_string(got) + ", not " +
           std::to_string(wanted);
  };
  if (name == "twice_half") {
    const auto out = candidate.output<_Float16>("out");
    const auto x = candidate.input<_Float16>("x");
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (float(out[i]) != 2 * float(x[i])) return differs(i, float(out[i]), 2 * float(x[i]));
    }
    return {};
  }
  if (const auto at = expected_integers().find(name); at != expected_integers().end()) {
    const auto out = candidate.output<int>("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double wanted = at->second(candidate, i);
      if (out[i] != wanted) return differs(i, out[i], wanted);
    }
    return {};
  }
  const Expected& expected = expected_floats().at(name);
  const auto out = candidate.output<float>("out");
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double wanted = expected(candidate, i);
    if (!(std::fabs(out[i] - wanted) <= 1e-5 + 1e-5 * std::fabs(wanted))) {
      return differs(i, out[i], wanted);
    }
  }
  return {};
}

}  // namespace kvgen::test
