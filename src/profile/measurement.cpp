#include "kvgen/profile/measurement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvgen {
namespace {

constexpr int kRound = 4;              // A B B A
constexpr std::size_t kToCompare = 4;  // fewer separate by chance
constexpr double kOverrun = 4;         // budgets a second round may bring the total to
constexpr int kMostRuns = 100'000;
constexpr double kGrowth = 10;       // at most, from one warm-up step to the next
constexpr double kLongStep = 0.1;    // of the budget: not repeated to warm up
constexpr double kSpareSteps = 100;  // a clock that stands still must not hold us

struct Quartiles {
  double low = 0;
  double median = 0;
  double high = 0;
};

double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Quartiles quartiles_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.25), quantile(samples, 0.5), quantile(samples, 0.75)};
}

bool apart(const Quartiles& a, const Quartiles& b) { return a.high < b.low || b.high < a.low; }

}  // namespace

Measurement::Measurement(MeasurementOptions options) : options_(options) {}

std::optional<MeasurementStep> Measurement::next() {
  for (const Subject subject : {Subject::kCandidate, Subject::kReference}) {
    const Series& series = series_of(subject);
    if (!series.warm) return MeasurementStep{subject, series.runs, options_.cold};
  }
  const int place = turn_ % kRound;
  if (place == 0 && turn_ > 0 && finished()) return std::nullopt;
  const Subject subject = place == 0 || place == 3 ? Subject::kCandidate : Subject::kReference;
  return MeasurementStep{subject, series_of(subject).runs, options_.cold};
}

void Measurement::add(const MeasurementStep& step, double ns) {
  ns = std::max(ns, 0.0);
  spent_ns_ += ns;
  Series& series = series_of(step.subject);
  if (!series.warm) return warm_up(series, step.runs, ns);
  series.samples.push_back(ns / step.runs);
  ++turn_;
}

// The first call may load, allocate and fault pages in, so its time says little
// about the number of runs; unless it is so long that a second is too dear.
void Measurement::warm_up(Series& series, int runs, double ns) const {
  series.warm_up_ns += ns;
  ++series.warm_up_steps;
  const bool told = series.warm_up_steps > 1 || ns > kLongStep * options_.budget_ns;
  const double growth = ns > 0 ? std::clamp(options_.sample_ns / ns, 1.0, kGrowth) : kGrowth;
  const bool long_enough = growth == 1.0 || runs == kMostRuns;
  const double wanted = std::min(options_.warm_up_ns, kLongStep * options_.budget_ns);
  if ((told && long_enough && series.warm_up_ns >= wanted) ||
      series.warm_up_steps >= kSpareSteps + 2 * wanted / options_.sample_ns) {
    series.warm = true;
    return;
  }
  // A little more than asked, so that a sample a few percent faster is still long enough.
  if (!long_enough) {
    series.runs = static_cast<int>(
        std::min<double>(kMostRuns, std::ceil(runs * std::min(growth * 1.1, kGrowth))));
  }
}

bool Measurement::converged() const {
  return std::all_of(std::begin(series_), std::end(series_), [&](const Series& series) {
    return series.samples.size() >= static_cast<std::size_t>(options_.least_samples) &&
           relative_noise(series.samples) <= options_.noise;
  });
}

bool Measurement::finished() const {
  const std::size_t taken = std::min(series_[0].samples.size(), series_[1].samples.size());
  if (taken >= static_cast<std::size_t>(options_.most_samples)) return true;
  const bool can_compare = taken >= kToCompare || spent_ns_ >= kOverrun * options_.budget_ns;
  if (spent_ns_ >= options_.budget_ns && can_compare) return true;
  return converged();
}

void Measurement::fill(Profile& profile) const {
  const Series& candidate = series_[0];
  const Series& reference = series_[1];
  profile.candidate = summarise(candidate.samples);
  profile.reference = summarise(reference.samples);
  profile.converged = converged();
  profile.runs_per_sample = candidate.runs;
  profile.separated = intervals_apart(candidate.samples, reference.samples);
  profile.speedup.reset();
  if (profile.separated && profile.candidate.median > 0 && profile.reference.median > 0) {
    profile.speedup = profile.reference.median / profile.candidate.median;
  }
}

bool intervals_apart(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() >= kToCompare && b.size() >= kToCompare &&
         apart(quartiles_of(a), quartiles_of(b));
}

TimingSummary summarise(std::vector<double> samples) {
  TimingSummary summary;
  if (samples.empty()) return summary;
  const Quartiles quartiles = quartiles_of(samples);
  summary.median = quartiles.median;
  summary.iqr = quartiles.high - quartiles.low;
  summary.min = *std::min_element(samples.begin(), samples.end());
  summary.samples = std::move(samples);
  return summary;
}

double relative_noise(std::vector<double> samples) {
  const auto n = static_cast<double>(samples.size());
  const double half = 0.98 * std::sqrt(n);
  const double lower = std::floor(n / 2 - half);  // ranks from 1
  const double upper = std::ceil(n / 2 + half) + 1;
  if (lower < 1 || upper > n) return std::numeric_limits<double>::infinity();
  std::sort(samples.begin(), samples.end());
  const double median = quantile(samples, 0.5);
  if (median <= 0) return std::numeric_limits<double>::infinity();
  const double low = samples[static_cast<std::size_t>(lower) - 1];
  const double high = samples[static_cast<std::size_t>(upper) - 1];
  return (high - low) / 2 / median;
}

}  // namespace kvgen
