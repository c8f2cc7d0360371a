#include "device/cpu/report.h"

#include <algorithm>
#include <cstring>

#include "device/cpu/regions.h"
#include "kvgen/cpu/machine.h"

namespace kvgen {
namespace {

using Kind = CpuFault::Kind;
using Status = RunReport::Status;

constexpr std::uint64_t kNullPages = 64 << 10;

std::string text_of(const kvgen_cpu_index& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

Json json_of(const kvgen_cpu_index& index) { return Json::array({index.x, index.y, index.z}); }

std::string plain(std::string_view text) {
  std::string kept(text);
  for (char& c : kept) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  }
  return kept;
}

// The plan's launch with this number, counting `prepare` once and then `run` again and again.
const ResolvedStep* launch_step(const ResolvedPlan& plan, std::uint32_t number) {
  std::vector<const ResolvedStep*> prepare;
  std::vector<const ResolvedStep*> run;
  const auto collect = [](const std::vector<ResolvedStep>& steps, auto& list) {
    for (const ResolvedStep& step : steps) {
      if (std::holds_alternative<ResolvedLaunch>(step.what)) list.push_back(&step);
    }
  };
  collect(plan.prepare, prepare);
  collect(plan.run, run);
  if (number < prepare.size()) return prepare[number];
  if (run.empty()) return nullptr;
  return run[(number - prepare.size()) % run.size()];
}

class Writer {
 public:
  Writer(const ChildControl& control, const DeviceRun& run)
      : fault_(control.fault), control_(control), run_(run) {}

  RunReport write() {
    const ResolvedStep* const step = launch_step(run_.plan, fault_.launch);
    if (step != nullptr) {
      kernel_ = std::get<ResolvedLaunch>(step->what).name;
      report_.detail["kernel"] = kernel_;
      report_.detail["place"] = step->place;
    }
    report_.detail["block"] = json_of(fault_.block);
    if (fault_.thread_known != 0) report_.detail["thread"] = json_of(fault_.thread);
    if (const unsigned line = KVGEN_CPU_SITE_LINE(fault_.site); line != 0) {
      report_.detail["line"] = line;
    }
    describe();
    return std::move(report_);
  }

 private:
  void describe() {
    switch (fault_.kind) {
      case Kind::kBarrierSites:
        report_.detail["other_line"] = KVGEN_CPU_SITE_LINE(fault_.other_site);
        return say(Status::kBarrierDivergence,
                   "threads of one block wait at different barriers, lines " +
                       std::to_string(KVGEN_CPU_SITE_LINE(fault_.site)) + " and " +
                       std::to_string(KVGEN_CPU_SITE_LINE(fault_.other_site)));
      case Kind::kBarrierExit:
        report_.detail["returned"] = fault_.count;
        return say(Status::kBarrierDivergence,
                   std::to_string(fault_.count) +
                       (fault_.count == 1 ? " thread has" : " threads have") +
                       " returned while others of the block wait at the barrier" + at_line());
      case Kind::kTrap:
        return say(Status::kCrash, "trap" + at_line());
      case Kind::kAssert:
        return say(Status::kCrash,
                   "assertion failed: " +
                       plain({fault_.text, ::strnlen(fault_.text, sizeof fault_.text)}) +
                       at_line());
      case Kind::kStackOverflow:
        return say(Status::kCrash, "stack overflow (128 KB a thread)");
      case Kind::kArithmetic:
        return say(Status::kCrash, "integer division by zero or overflow");
      case Kind::kIllegal:
        return say(Status::kCrash, "an instruction this machine does not have");
      case Kind::kAccess:
        return access();
      default:
        return say(Status::kCrash, "the kernel ended its process");
    }
  }

  void access() {
    report_.detail["access"] = fault_.writes != 0 ? "write" : "read";
    const std::string verb = fault_.writes != 0 ? "write" : "read";
    const auto regions = region_facts(run_);
    if (control_.region >= 0 && static_cast<std::size_t>(control_.region) < regions.size()) {
      return tensor_access(verb, regions[static_cast<std::size_t>(control_.region)]);
    }
    if (fault_.known_address == 0) {
      return say(Status::kCrash, verb + " through a pointer that is no address");
    }
    if (fault_.address < kNullPages) {
      return say(Status::kCrash, verb + " through a null pointer");
    }
    switch (static_cast<CpuArea>(control_.area)) {
      case CpuArea::kDynamicLds:
        report_.detail["tensor"] = "dynamic LDS";
        return say(Status::kOutOfBounds, verb + " outside the dynamic LDS of the launch");
      case CpuArea::kObject:
        return say(Status::kCrash, verb + " where code or constants lie");
      default:
        return say(Status::kOutOfBounds, verb + " far outside every tensor");
    }
  }

  void tensor_access(const std::string& verb, const RegionFacts& tensor) {
    const std::int64_t offset = control_.offset;
    const std::int64_t size = size_of(tensor.dtype);
    const std::int64_t element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
    const std::string what = tensor.name + "[" + std::to_string(element) + "]";
    report_.detail["tensor"] = tensor.name;
    report_.detail["element"] = element;
    report_.detail["byte_offset"] = offset;
    report_.detail["elements"] = tensor.bytes / size;
    if (offset >= tensor.bytes) {
      return say(Status::kOutOfBounds, verb + " of " + what + ", past the end of its " +
                                           std::to_string(tensor.bytes / size) + " elements");
    }
    if (offset < 0) {
      return say(Status::kOutOfBounds, verb + " of " + what + ", before its start");
    }
    if (!tensor.writable && fault_.writes != 0) {
      return say(Status::kMutatedInput, "write to " + what + ", an input");
    }
    say(Status::kCrash, verb + " of " + what + " failed");
  }

  [[nodiscard]] std::string at_line() const {
    const unsigned line = KVGEN_CPU_SITE_LINE(fault_.site);
    return line == 0 ? "" : ", line " + std::to_string(line);
  }

  void say(Status status, const std::string& what) {
    report_.status = status;
    report_.reason = what + " in kernel " + kernel_ + ", block " + text_of(fault_.block);
    if (fault_.thread_known != 0) report_.reason += ", thread " + text_of(fault_.thread);
  }

  const CpuFault fault_;  // a copy: the page may still change
  const ChildControl& control_;
  const DeviceRun& run_;
  std::string kernel_ = "?";
  RunReport report_;
};

}  // namespace

RunReport report_of_fault(const ChildControl& control, const DeviceRun& run) {
  return Writer(control, run).write();
}

std::string printed_text(const ChildControl& control) {
  const std::uint32_t bytes =
      std::min(control.printed.load(std::memory_order_acquire), ChildControl::kPrintedLimit);
  std::string text(control.text, bytes);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte > 0x7e) c = '?';
  }
  return text;
}

}  // namespace kvgen
