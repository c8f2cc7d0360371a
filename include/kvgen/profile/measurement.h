#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kvgen/model/profile.h"

namespace kvgen {

enum class Subject { kCandidate, kReference };

struct MeasurementOptions {
  double warm_up_ns = 20e6;      // of each subject, not kept
  double sample_ns = 1e6;        // a sample repeats the run until it lasts this long
  double budget_ns = 1e9;        // of everything together; the stopping rule may end it earlier
  int least_samples = 10;        // of each subject
  int most_samples = 200;
  double noise = 0.02;           // half width of the median's 95 % interval, relative
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

  // Fills the times, the speedup (only when the quartile intervals are apart),
  // `separated`, `converged` and `runs_per_sample`.
  void fill(Profile& profile) const;

 private:
  struct Series {
    std::vector<double> samples;  // nanoseconds per run
    double warm_up_ns = 0;
    int runs = 1;
    bool warm = false;
  };
  MeasurementOptions options_;
  Series series_[2];
  double spent_ns_ = 0;
  int turn_ = 0;
};

// Median, interquartile range and minimum of at least one sample.
TimingSummary summarise(std::vector<double> samples);

}  // namespace kvgen
