#include "agreement.h"

#include <algorithm>

#include "kvgen/base/hash.h"
#include "kvgen/profile/measurement.h"
#include "text.h"

namespace kvgen::tools {
namespace {

using State = Agreement::State;

// Eager moved as the kernel did, within this factor: it is the machine.
constexpr double kAlike = 1.1;

class Comparison {
 public:
  void add(std::string what, State state, std::string detail) {
    list_.push_back({std::move(what), state, std::move(detail)});
  }

  void values(const std::string& what, const std::string& then, const std::string& now) {
    if (then == now) return add(what, State::kSame, then);
    add(what, State::kDiffers, then + " then, " + now + " now");
  }

  // Hashes are shown only where they differ.
  void hashes(const std::string& what, const std::string& then, const std::string& now) {
    if (then == now) return add(what, State::kSame, short_id(then));
    add(what, State::kDiffers, short_id(then) + " then, " + short_id(now) + " now");
  }

  std::vector<Agreement> take() { return std::move(list_); }

 private:
  std::vector<Agreement> list_;
};

void compare_outcomes(Comparison& out, const Outcome& then, const Outcome& now) {
  const std::string kind(to_string(now.kind));
  if (then.kind == now.kind) return out.add("outcome", State::kSame, kind);
  if (now.kind == OutcomeKind::kNotJudgedHere) {
    return out.add("outcome", State::kNotCompared, now.reason);
  }
  out.add("outcome", State::kDiffers,
          std::string(to_string(then.kind)) + " then, " + kind + " now: " + now.reason);
}

void compare_facts(Comparison& out, const std::string& what, const Build& then, const Build& now) {
  for (const KernelInfo& before : then.kernels) {
    const KernelInfo* after = now.kernel(before.expression);
    const std::string kernel = what + " " + before.expression;
    if (after == nullptr) {
      out.add(kernel, State::kDiffers, "not there now");
      continue;
    }
    const Json old_facts = to_json(before);
    const Json new_facts = to_json(*after);
    std::string changes;
    const Json& old_numbers = old_facts.value("facts", Json::object());
    const Json& new_numbers = new_facts.value("facts", Json::object());
    if (old_numbers.is_object() && new_numbers.is_object()) {
      for (const auto& [name, value] : old_numbers.items()) {
        if (new_numbers.value(name, Json()) == value) continue;
        changes += (changes.empty() ? "" : ", ") + name + " " + to_line(value) + " then, " +
                   to_line(new_numbers.value(name, Json())) + " now";
      }
    }
    if (changes.empty() && old_facts == new_facts) continue;
    out.add(kernel, State::kDiffers, changes.empty() ? "its signature changed" : changes);
  }
}

void compare_builds(Comparison& out, const Attempt& then, const Attempt& now) {
  for (const Build& before : then.builds) {
    const auto after = std::find_if(now.builds.begin(), now.builds.end(), [&](const Build& build) {
      return build.target == before.target && build.compiler == before.compiler;
    });
    const std::string what = before.target + " " + before.compiler;
    if (after == now.builds.end()) {
      out.add(what, State::kNotCompared, "this machine made no such build");
      continue;
    }
    out.values(what + " version", before.compiler_version, after->compiler_version);
    out.hashes(what + " prelude and options", before.options_hash, after->options_hash);
    out.hashes(what + " tokens", before.tokens_hash, after->tokens_hash);
    out.hashes(what + " object", before.object_hash, after->object_hash);
    const auto result = [](const Build& build) {
      return build.failure ? std::string(to_string(build.failure->kind)) : "compiled";
    };
    out.values(what, result(before), result(*after));
    compare_facts(out, what, before, *after);
  }
}

void compare_verdicts(Comparison& out, const Attempt& then, const Attempt& now) {
  if (!then.verdict) return;
  if (!now.verdict) {
    return out.add("cases", State::kNotCompared, "none was judged now");
  }
  out.values("policy", std::to_string(then.verdict->policy), std::to_string(now.verdict->policy));
  out.values("device", then.verdict->verified_on, now.verdict->verified_on);
  for (const CaseVerdict& before : then.verdict->cases) {
    const std::string what = "case " + before.variant + ", " + before.distribution;
    const auto& cases = now.verdict->cases;
    const auto after = std::find_if(cases.begin(), cases.end(), [&](const CaseVerdict& one) {
      return one.variant == before.variant && one.distribution == before.distribution;
    });
    if (after == cases.end()) {
      out.add(what, State::kNotCompared, "not reached now");
      continue;
    }
    const std::string errors = format("worst error %.3g of the limit then, %.3g now",
                                      before.worst_ratio, after->worst_ratio);
    if (before.within != after->within) {
      out.add(what, State::kDiffers, errors);
    } else if (before.output_digest == after->output_digest) {
      out.add(what, State::kSame,
              before.within ? "within the limit, the same bits" : "outside, the same bits");
    } else {
      out.add(what, State::kSame,
              (before.within ? "within" : "outside") + std::string(", other bits: ") + errors);
    }
  }
  const auto repeatable = [](const Verdict& verdict) {
    return verdict.repeatable ? "bitwise" : "not bitwise";
  };
  out.values("repeatable", repeatable(*then.verdict), repeatable(*now.verdict));
}

void compare_times(Comparison& out, const Attempt& then, const Attempt& now) {
  if (!then.profile) return;
  if (!now.profile) return out.add("time", State::kNotCompared, "not timed now");
  const Profile& before = *then.profile;
  const Profile& after = *now.profile;
  const std::string medians =
      time_text(before.candidate.median) + " then, " + time_text(after.candidate.median) + " now";
  const bool same_machine = before.timed_on == after.timed_on && before.device == after.device &&
                            before.cores == after.cores && before.source == after.source;
  if (!same_machine) {
    return out.add("time", State::kNotCompared,
                   medians + "; timed on " + before.timed_on + " then, on " + after.timed_on);
  }
  if (before.variant != after.variant || before.cache != after.cache) {
    return out.add("time", State::kNotCompared,
                   medians + "; of " + before.variant + ", " + before.cache + " then, of " +
                       after.variant + ", " + after.cache + " now");
  }
  if (!intervals_apart(before.candidate.samples, after.candidate.samples)) {
    return out.add("time", State::kSame, medians + ": their quartile intervals overlap");
  }
  const bool slower = after.candidate.median > before.candidate.median;
  std::string detail = medians;
  const bool measured =
      before.candidate.median > 0 && before.reference.median > 0 && after.reference.median > 0;
  if (measured && intervals_apart(before.reference.samples, after.reference.samples)) {
    const double kernel = after.candidate.median / before.candidate.median;
    const double eager = after.reference.median / before.reference.median;
    detail += format("; eager took %.2f times as long", eager);
    if (std::max(kernel / eager, eager / kernel) < kAlike) {
      return out.add("time", State::kNotCompared,
                     detail + ", and so did the kernel: the machine changed");
    }
  }
  out.add("time", slower ? State::kSlower : State::kFaster, detail);
}

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::kSame:
      return "same";
    case State::kDiffers:
      return "differs";
    case State::kSlower:
      return "slower";
    case State::kFaster:
      return "faster";
    case State::kNotCompared:
      return "not compared";
  }
  return "not compared";
}

std::vector<Agreement> compare(const StoredAttempt& then, const Attempt& now) {
  Comparison out;
  for (const std::string& fault : then.faults) out.add("record", State::kDiffers, fault);
  compare_outcomes(out, then.attempt.outcome, now.outcome);
  compare_verdicts(out, then.attempt, now);
  compare_builds(out, then.attempt, now);
  compare_times(out, then.attempt, now);
  return out.take();
}

bool agrees(const std::vector<Agreement>& list) {
  return std::none_of(list.begin(), list.end(),
                      [](const Agreement& one) { return one.state == State::kDiffers; });
}

}  // namespace kvgen::tools
