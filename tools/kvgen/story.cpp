#include "story.h"

#include "kvgen/base/hash.h"
#include "text.h"

namespace kvgen::tools {
namespace {

std::string tensor_text(const TensorSpec& spec) {
  return spec.name + " " + std::string(to_string(spec.dtype)) + to_text(spec.shape);
}

void tell_task(std::string& out, const Task& task) {
  std::string text = task.entry + " (" + short_id(task.hash) + ")";
  if (!task.variants.empty()) {
    const Variant& variant = task.variants.front();
    text += ", " + variant.name + ":";
    for (const TensorSpec& spec : variant.tensors()) {
      if (text.size() > 400) {
        text += " ...";
        break;
      }
      text += " " + tensor_text(spec) + ",";
    }
    if (text.ends_with(',')) text.pop_back();
  }
  add_line(out, "task", text);
  for (const std::string& mark : task.marks) add_line(out, "task mark", mark);
}

void tell_generator(std::string& out, const Attempt& attempt) {
  if (!attempt.reply) return;
  std::string text;
  for (const char* key : {"generator", "model", "file", "path"}) {
    const auto value = attempt.reply->origin.find(key);
    if (value == attempt.reply->origin.end() || !value->is_string()) continue;
    text += (text.empty() ? "" : ", ") + value->get<std::string>();
  }
  add_line(out, "generator",
           (text.empty() ? "unknown" : text) + ", turn " + std::to_string(attempt.turn + 1));
}

void tell_candidate(std::string& out, const Attempt& attempt) {
  if (!attempt.candidate) return;
  add_line(out, "candidate", attempt.candidate->hash.substr(0, 16));
  for (const std::string& remark : attempt.candidate->remarks) add_line(out, "note", remark);
}

void tell_kernel(std::string& out, const KernelInfo& kernel) {
  std::string text = kernel.expression + ": ";
  if (!kernel.facts) {
    if (kernel.static_lds == 0) return;
    return add_line(out, "", text + std::to_string(kernel.static_lds) + " B LDS");
  }
  const KernelFacts& facts = *kernel.facts;
  text += format("%d VGPRs, %d SGPRs, %d spilled, %d B LDS, %d B scratch", facts.vgprs, facts.sgprs,
                 facts.vgpr_spills + facts.sgpr_spills, facts.lds_bytes, facts.scratch_bytes);
  add_line(out, "", text);
}

void tell_builds(std::string& out, const Attempt& attempt) {
  for (const Build& build : attempt.builds) {
    std::string text = build.target + ": ";
    if (build.failure) {
      text += std::string(to_string(build.failure->kind)) + ", " + build.failure->reason;
    } else {
      text += "compiled by " + build.compiler + " " + build.compiler_version;
    }
    add_line(out, "build", text);
    for (const KernelInfo& kernel : build.kernels) tell_kernel(out, kernel);
  }
}

void tell_cases(std::string& out, const Attempt& attempt) {
  if (!attempt.verdict) return;
  for (const CaseVerdict& one : attempt.verdict->cases) {
    const bool fooled = one.allclose_1e2 && !one.within;
    add_line(out, "case",
             one.variant + ", " + one.distribution + ": " +
                 format("%s, worst error %.3g of the limit", one.within ? "within" : "outside",
                        one.worst_ratio) +
                 (fooled ? " (allclose at 1e-2 would have accepted it)" : ""));
  }
  if (!attempt.verdict->repeatable && attempt.outcome.verified()) {
    add_line(out, "note", "not bitwise repeatable: floating-point atomics add in any order");
  }
}

void tell_detail(std::string& out, const Json& detail) {
  const auto first = detail.find("first");
  if (first != detail.end() && first->is_array()) {
    for (const Json& item : *first) {
      if (!item.is_object()) continue;
      add_line(out, "at",
               to_line(item.value("index", Json())) + ": expected " +
                   to_line(item.value("expected", Json())) + ", got " +
                   to_line(item.value("got", Json())));
    }
  }
  for (const char* key : {"suggestion", "place", "output", "variant", "target", "line"}) {
    const auto value = detail.find(key);
    if (value == detail.end()) continue;
    const std::string text = value->is_string() ? value->get<std::string>() : to_line(*value);
    if (!text.empty() && text != "null") add_line(out, key, text);
  }
}

void tell_diagnostics(std::string& out, const Attempt& attempt) {
  for (const Build& build : attempt.builds) {
    if (!build.failure || build.diagnostics.empty()) continue;
    out += "\n" + build.diagnostics;
    if (!build.diagnostics.ends_with('\n')) out += '\n';
    return;
  }
}

void tell_time(std::string& out, const Attempt& attempt) {
  if (!attempt.profile) return;
  const Profile& profile = *attempt.profile;
  add_line(out, "time",
           time_text(profile.candidate.median) + " (quartiles " + time_text(profile.candidate.iqr) +
               " apart) against " + time_text(profile.reference.median) + " of " +
               profile.baseline + " (" + profile.variant + ", " + profile.cache + ", " +
               profile.timed_on + ")");
  add_line(out, "speedup",
           profile.speedup ? format("%.2fx on ", *profile.speedup) + profile.variant
                           : std::string("no clear difference"));
  for (const std::string& flag : profile.flags) add_line(out, "flag", flag);
}

const char* what_next(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kVerified:
      return "";
    case OutcomeKind::kNoCandidate:
      return "the reply needs one ```hip block and, after it, one ```json block with the plan: "
             "docs/contract.md; of a generator that declined, the reason names what it lacks";
    case OutcomeKind::kBadPlan:
      return "correct the plan at the place named; `kvgen show TASK` lists the names it may use";
    case OutcomeKind::kCompileError:
      return "correct the lines named; only the device code's own text is compiled, with "
             "kvgen's prelude before it";
    case OutcomeKind::kLaunchError:
      return "compare grid, block, shared and args with the kernel's signature and bounds";
    case OutcomeKind::kCrash:
    case OutcomeKind::kOutOfBounds:
      return "check every index against the sizes that the plan passes, at the smallest "
             "variant first: its tails are where this shows";
    case OutcomeKind::kTimeout:
      return "look for a loop whose end depends on data or on another block";
    case OutcomeKind::kDataRace:
    case OutcomeKind::kBarrierDivergence:
      return "let every lane of a block reach each __syncthreads(), and put one between a "
             "write to shared memory and another lane's read";
    case OutcomeKind::kUninitialisedRead:
      return "write or fill what is read first: buffers and outputs begin as garbage";
    case OutcomeKind::kUnwrittenOutput:
      return "cover all of the output: a grid rounded down leaves its tail unwritten";
    case OutcomeKind::kMutatedInput:
      return "write to outputs and plan buffers only";
    case OutcomeKind::kWrongOutput:
      return "compute the named elements by hand, then run `kvgen verify --task T --candidate "
             "FILE` on the corrected reply";
    case OutcomeKind::kNondeterministic:
      return "an order of blocks and lanes changes the result: look for a missing barrier or a "
             "read of what another block writes";
    case OutcomeKind::kCheating:
      return "the kernel must be the same text on every target and compute from its inputs";
    case OutcomeKind::kNotJudgedHere:
      return "nothing is held against the candidate: judge it on a machine that can";
  }
  return "";
}

}  // namespace

std::string story(const Task& task, const Attempt& attempt) {
  std::string out = task.name + ": " + std::string(to_string(attempt.outcome.kind)) + "\n";
  add_line(out, "why", attempt.outcome.reason);
  tell_detail(out, attempt.outcome.detail);
  const std::string next = what_next(attempt.outcome.kind);
  if (!next.empty()) add_line(out, "next", next);
  tell_task(out, task);
  tell_generator(out, attempt);
  tell_candidate(out, attempt);
  tell_builds(out, attempt);
  tell_cases(out, attempt);
  tell_time(out, attempt);
  tell_diagnostics(out, attempt);
  return out;
}

}  // namespace kvgen::tools
