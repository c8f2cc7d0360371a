#include "kvgen/profile/measurement.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

namespace kvgen {
namespace {

using ::testing::Each;
using ::testing::Le;

// Nanoseconds of one run, given how many nanoseconds have been spent before.
using Sampler = std::function<double(double spent)>;

struct Seen {
  Profile profile;
  std::vector<MeasurementStep> steps;
  double spent = 0;
  double longest_step = 0;
};

Seen measure(MeasurementOptions options, const Sampler& candidate, const Sampler& reference) {
  Measurement measurement(options);
  Seen seen;
  while (const auto step = measurement.next()) {
    double ns = 0;
    for (int i = 0; i < step->runs; ++i) {
      ns += (step->subject == Subject::kCandidate ? candidate : reference)(seen.spent + ns);
    }
    measurement.add(*step, ns);
    seen.spent += ns;
    seen.longest_step = std::max(seen.longest_step, ns);
    seen.steps.push_back(*step);
    if (seen.steps.size() > 100'000) break;
  }
  measurement.fill(seen.profile);
  return seen;
}

Sampler steady(double ns) {
  return [ns](double) { return ns; };
}

// Independent relative noise, the same for the same seed on every library.
Sampler noisy(double ns, double relative, std::uint32_t seed) {
  return [=, random = std::mt19937(seed)](double) mutable {
    const double unit = static_cast<double>(random()) / 4294967295.0;
    return ns * (1 + relative * (2 * unit - 1));
  };
}

TEST(Measurement, SteadySubjectsAreSeparatedAtTheFirstChance) {
  const Seen seen = measure({}, steady(50e3), steady(100e3));
  EXPECT_TRUE(seen.profile.converged);
  EXPECT_TRUE(seen.profile.separated);
  EXPECT_DOUBLE_EQ(seen.profile.speedup.value(), 2.0);
  EXPECT_DOUBLE_EQ(seen.profile.candidate.median, 50e3);
  EXPECT_DOUBLE_EQ(seen.profile.reference.iqr, 0);
  EXPECT_EQ(seen.profile.candidate.samples.size(), 20U);
}

TEST(Measurement, ShortRunsAreRepeatedUntilASampleLastsLongEnough) {
  for (const double ns : {30.0, 500.0, 20e3, 0.9e6, 5e6}) {
    const Seen seen = measure({}, steady(ns), steady(2 * ns));
    EXPECT_GE(seen.profile.runs_per_sample * ns, 1e6) << ns;
    EXPECT_LE(seen.profile.runs_per_sample * ns, 1.2e6 + ns) << ns;
    EXPECT_DOUBLE_EQ(seen.profile.candidate.median, ns) << "per run, not per sample";
  }
}

TEST(Measurement, TheOrderIsABBA) {
  const Seen seen = measure({}, steady(1e6), steady(1e6));
  std::string order;
  for (const MeasurementStep& step : seen.steps) {
    order += step.subject == Subject::kCandidate ? 'A' : 'B';
  }
  ASSERT_GE(order.size(), 40U);
  EXPECT_EQ(order.substr(order.size() - 40), "ABBAABBAABBAABBAABBAABBAABBAABBAABBAABBA");
}

TEST(Measurement, WarmUpIsNotKept) {
  // The first 15 ms run ten times as slowly.
  const auto warming = [](double ns) {
    return [=, used = 0.0](double) mutable {
      const double now = used < 15e6 ? 10 * ns : ns;
      used += now;
      return now;
    };
  };
  const Seen seen = measure({}, warming(10e3), warming(30e3));
  EXPECT_THAT(seen.profile.candidate.samples, Each(Le(10e3 * 1.0001)));
  EXPECT_THAT(seen.profile.reference.samples, Each(Le(30e3 * 1.0001)));
}

TEST(Measurement, OneSlowFirstCallDoesNotDecideTheNumberOfRuns) {
  const auto loading = [](double ns) {
    return [=, first = true](double) mutable {
      const double now = first ? 40e6 : ns;
      first = false;
      return now;
    };
  };
  const Seen seen = measure({}, loading(10e3), loading(10e3));
  EXPECT_GE(seen.profile.runs_per_sample, 100);
}

TEST(Measurement, NoiseIsAveragedUntilTheMedianIsKnown) {
  MeasurementOptions options;
  const Seen quiet = measure(options, noisy(1e6, 0.01, 1), noisy(2e6, 0.01, 2));
  const Seen loud = measure(options, noisy(1e6, 0.1, 3), noisy(2e6, 0.1, 4));
  EXPECT_TRUE(quiet.profile.converged);
  EXPECT_TRUE(loud.profile.converged);
  EXPECT_GT(loud.profile.candidate.samples.size(), quiet.profile.candidate.samples.size());
  EXPECT_NEAR(loud.profile.speedup.value(), 2.0, 0.1);
  EXPECT_LE(relative_noise(loud.profile.candidate.samples), options.noise);
}

TEST(Measurement, EqualSubjectsAreHardlyEverCalledFasterAndThenByLittle) {
  constexpr int kTrials = 1000;
  int separated = 0;
  for (std::uint32_t seed = 0; seed < kTrials; ++seed) {
    const Seen seen = measure({}, noisy(1e6, 0.1, 2 * seed), noisy(1e6, 0.1, 2 * seed + 1));
    EXPECT_EQ(seen.profile.speedup.has_value(), seen.profile.separated);
    if (!seen.profile.separated) continue;
    ++separated;
    EXPECT_NEAR(*seen.profile.speedup, 1.0, 0.06);
  }
  EXPECT_LE(separated, kTrials / 100);
}

TEST(Measurement, ADriftingMachineDoesNotFavourEither) {
  // 30 % slower over a second of measuring; the subjects are equal.
  const auto drifting = [](double spent) { return 1e6 * (1 + 0.3 * spent / 1e9); };
  const Seen same = measure({.noise = 0.0001}, drifting, drifting);
  EXPECT_FALSE(same.profile.separated);
  EXPECT_NEAR(same.profile.reference.median / same.profile.candidate.median, 1.0, 0.005);
  const Seen half =
      measure({.noise = 0.0001}, drifting, [&](double spent) { return 2 * drifting(spent); });
  EXPECT_NEAR(half.profile.speedup.value(), 2.0, 0.03);
}

TEST(Measurement, AFewOutliersMoveNeitherMedianNorVerdict) {
  const auto disturbed = [](double ns) {
    return [=, n = 0](double) mutable { return ++n % 9 == 0 ? 50 * ns : ns; };
  };
  const Seen seen = measure({}, disturbed(2e6), disturbed(4e6));
  EXPECT_DOUBLE_EQ(seen.profile.candidate.median, 2e6);
  EXPECT_DOUBLE_EQ(seen.profile.speedup.value(), 2.0);
  EXPECT_TRUE(seen.profile.converged);
}

TEST(Measurement, TwoModesDoNotConverge) {
  const auto bimodal = [n = 0](double) mutable { return n++ % 2 == 0 ? 1e6 : 2e6; };
  const Seen seen = measure({}, bimodal, steady(1.5e6));
  EXPECT_FALSE(seen.profile.converged);
  EXPECT_FALSE(seen.profile.speedup.has_value());
  EXPECT_LE(seen.spent, 1.02e9) << "the budget ended it";
}

TEST(Measurement, TheBudgetHoldsWhateverTheNoise) {
  for (const double ns : {2e3, 1e5, 1e7, 5e7}) {
    const Seen seen = measure({.noise = 0}, noisy(ns, 0.5, 1), noisy(ns, 0.5, 2));
    EXPECT_LE(seen.spent, 1.25e9) << ns;
    EXPECT_LE(seen.profile.candidate.samples.size(), 200U);
  }
}

TEST(Measurement, SubjectsTooSlowForTheBudgetStillGetARound) {
  const Seen slow = measure({}, steady(0.4e9), steady(0.9e9));
  EXPECT_EQ(slow.profile.candidate.samples.size(), 4U);
  EXPECT_TRUE(slow.profile.separated);
  const Seen slower = measure({}, steady(10e9), steady(20e9));
  EXPECT_EQ(slower.steps.size(), 6U) << "a warm-up of each and A B B A";
  EXPECT_FALSE(slower.profile.speedup.has_value()) << "two samples of each separate by chance";
  EXPECT_DOUBLE_EQ(slower.profile.candidate.median, 10e9);
}

TEST(Measurement, AClockThatStandsStillEndsToo) {
  const Seen seen = measure({}, steady(0), steady(0));
  EXPECT_FALSE(seen.profile.speedup.has_value());
  EXPECT_FALSE(seen.profile.converged);
}

TEST(Measurement, ColdIsPassedOn) {
  for (const MeasurementStep& step : measure({.cold = true}, steady(1e6), steady(1e6)).steps) {
    EXPECT_TRUE(step.cold);
  }
}

TEST(Measurement, NothingMeasuredIsNothingSaid) {
  Profile profile;
  Measurement({}).fill(profile);
  EXPECT_FALSE(profile.separated);
  EXPECT_TRUE(profile.candidate.samples.empty());
}

struct SummaryRow {
  std::vector<double> samples;
  double median, iqr, min;
};

TEST(Summary, MedianQuartilesAndMinimum) {
  const SummaryRow rows[] = {
      {{}, 0, 0, 0},
      {{7}, 7, 0, 7},
      {{2, 1}, 1.5, 0.5, 1},
      {{5, 1, 3, 2, 4}, 3, 2, 1},
      {{1, 1, 1, 100}, 1, 24.75, 1},
  };
  for (const SummaryRow& row : rows) {
    const TimingSummary summary = summarise(row.samples);
    EXPECT_DOUBLE_EQ(summary.median, row.median);
    EXPECT_DOUBLE_EQ(summary.iqr, row.iqr);
    EXPECT_DOUBLE_EQ(summary.min, row.min);
    EXPECT_EQ(summary.samples, row.samples) << "raw, in the order taken";
  }
}

TEST(Noise, IsTheMediansIntervalByOrderStatistics) {
  EXPECT_EQ(relative_noise({1, 1, 1, 1, 1}), std::numeric_limits<double>::infinity());
  // Ten samples: ranks 1 and 10 (5 -+ 3.1, outwards).
  EXPECT_DOUBLE_EQ(relative_noise({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}), 4.5 / 5.5);
}

TEST(Noise, CoversTheTrueMedian) {
  // 95 % intervals: at least 93 of 100 hold the true value.
  std::mt19937 random(7);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples;
    for (int i = 0; i < 40; ++i) {
      const double unit = (static_cast<double>(random()) + 0.5) / 4294967296.0;
      samples.push_back(100 - 10 * std::log(unit));  // skewed, as times are
    }
    const double truth = 100 + 10 * std::log(2.0);
    std::sort(samples.begin(), samples.end());
    // The interval is not symmetric about the median; its ends are what must cover.
    const double half = 0.98 * std::sqrt(40.0);
    const double low = samples[static_cast<std::size_t>(std::floor(20 - half)) - 1];
    const double high = samples[static_cast<std::size_t>(std::ceil(20 + half))];
    covered += low <= truth && truth <= high ? 1 : 0;
    const double median = (samples[19] + samples[20]) / 2;
    EXPECT_DOUBLE_EQ(relative_noise(samples), (high - low) / 2 / median);
  }
  EXPECT_GE(covered, kTrials * 93 / 100);
}

}  // namespace
}  // namespace kvgen
