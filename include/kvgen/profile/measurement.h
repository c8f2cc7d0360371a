#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kvgen/model/profile.h"

namespace kvgen {

enum class Subject { kCandidate, kReference };

struct MeasurementOptions {
  double warm_up_ns = 20e6;  // of each subject, not kept
  double sample_ns = 1e6;    // a sample repeats the run until it lasts this long
  // Of everything together, warm-up too; the stopping rule may end it earlier. A
  // subject too slow for it still gets warm-up and one or two rounds of A B B A.
  double budget_ns = 1e9;
  int least_samples = 20;  // of each subject, before the stopping rule may hold
  int most_samples = 200;
  double noise = 0.02;  // half width of the median's 95 % interval, relative
  bool cold = false;
};

// What to time next: `runs` runs of the subject, one after another.
struct MeasurementStep {
  Subject subject = Subject::kCandidate;
  int runs = 1;
  bool cold = false;
};

// Compares two subjects in the order A B B A, with a stopping rule on noise.
// Does no timing itself, so that it works on any two samplers:
//
//   while (auto step = m.next()) m.add(*step, ns_of_all_runs_together(*step));
//
// Source of the method: DESIGN in docs/design.md, "Profile".
class Measurement {
 public:
  explicit Measurement(MeasurementOptions options);

  // None: done.
  std::optional<MeasurementStep> next();
  // Wall time of all of the step's runs together, in nanoseconds.
  void add(const MeasurementStep& step, double ns);

  [[nodiscard]] bool converged() const;

  // Fills the times, the speedup (only when the quartile intervals are apart and
  // there are at least four samples of each), `separated`, `converged` and
  // `runs_per_sample` (the candidate's). Nothing when no sample was taken.
  void fill(Profile& profile) const;

 private:
  struct Series {
    std::vector<double> samples;  // nanoseconds per run
    double warm_up_ns = 0;
    int warm_up_steps = 0;
    int runs = 1;
    bool warm = false;
  };
  Series& series_of(Subject subject) { return series_[subject == Subject::kReference ? 1 : 0]; }
  void warm_up(Series& series, int runs, double ns) const;
  [[nodiscard]] bool finished() const;

  MeasurementOptions options_;
  Series series_[2];
  double spent_ns_ = 0;
  int turn_ = 0;  // of the sequence A B B A A B B A ...
};

// Median, interquartile range (quartiles by linear interpolation) and minimum;
// zeros when there is no sample.
TimingSummary summarise(std::vector<double> samples);

// Whether the quartile intervals of two series are apart; at least four samples of each.
bool intervals_apart(const std::vector<double>& a, const std::vector<double>& b);

// Half the width of the median's 95 % confidence interval over the median, by
// order statistics (binomial ranks n/2 -+ 0.98 sqrt(n)): no assumption about the
// distribution. Infinite below six samples, where no such interval exists.
double relative_noise(std::vector<double> samples);

}  // namespace kvgen
