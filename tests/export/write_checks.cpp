// write_checks [RUN]: prints one C++ file that holds the launchers exported from the plans
// of tests/plan/cases/right.txt and from every attempt of RUN that was compiled, and checks
// each against the plan as resolve() gives it. Compiled against libtorch alone.
#include <fstream>
#include <iostream>
#include <sstream>

#include "kvgen/export/extension.h"
#include "kvgen/plan/plan.h"
#include "kvgen/plan/resolve.h"
#include "kvgen/store/run_journal.h"
#include "tests/plan/subject.h"

namespace {

using namespace kvgen;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string place_text(const ResolvedPlace& place) {
  const char space = "iob"[static_cast<int>(place.space)];
  return std::string("{'") + space + "', " + std::to_string(place.index) + ", " +
         std::to_string(place.byte_offset) + ", 0}";
}

std::string step_text(const ResolvedStep& step, const std::vector<std::string>& kernels) {
  std::ostringstream out;
  const auto three = [&](const std::int64_t* values) {
    out << "{" << values[0] << ", " << values[1] << ", " << values[2] << "}, ";
  };
  constexpr const char* kNoLaunch = "0, {0, 0, 0}, {0, 0, 0}, 0, ";
  if (const auto* launch = std::get_if<ResolvedLaunch>(&step.what)) {
    const auto kernel = std::find(kernels.begin(), kernels.end(), launch->name);
    out << "{'l', " << kernel - kernels.begin() << ", ";
    three(launch->grid);
    three(launch->block);
    out << launch->dynamic_lds << ", {";
    for (const ResolvedArgument& argument : launch->arguments) {
      if (const auto* place = std::get_if<ResolvedPlace>(&argument)) {
        out << place_text(*place) << ", ";
      } else {
        out << "{'s', 0, 0, " << std::get<ResolvedScalar>(argument).bits << "ULL}, ";
      }
    }
    out << "}, 0, 1, 0},\n";
  } else if (const auto* fill = std::get_if<ResolvedFill>(&step.what)) {
    out << "{'f', " << kNoLaunch << "{" << place_text(fill->to) << "}, " << fill->bytes << ", "
        << fill->element_bytes << ", " << fill->bits << "ULL},\n";
  } else {
    const auto& copy = std::get<ResolvedCopy>(step.what);
    out << "{'c', " << kNoLaunch << "{" << place_text(copy.from) << ", " << place_text(copy.to)
        << "}, " << copy.bytes << ", 1, 0},\n";
  }
  return out.str();
}

std::string at_type(DType dtype) {
  return "check::type_of(\"" + std::string(to_string(dtype)) + "\")";
}

class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {}

  void add(const std::string& name, const Task& task, const Attempt& attempt) {
    const auto extension = make_extension(task, attempt);
    const Checked<Plan> plan = parse_plan(attempt.candidate->plan_text);
    if (!extension.ok() || !plan.ok()) {
      std::cerr << name << ": " << (plan.ok() ? extension.error().message() : plan.outcome().reason)
                << "\n";
      failed_ = true;
      return;
    }
    const Build& build = attempt.builds.front();
    const std::string number = std::to_string(count_++);
    const std::vector<std::string> kernels = kernels_of(*plan);
    if (count_ == 1) out_ << extension->support;
    out_ << "static StubKernel kernels_" << number << "[] = {";
    for (const std::string& kernel : kernels) {
      out_ << "{{";
      for (const KernelParameter& one : build.kernel(kernel)->parameters) {
        out_ << (one.form == KernelParameter::Form::kPointer ? 8 : one.element_bytes) << ", ";
      }
      out_ << "}}, ";
    }
    out_ << "{{}}};\n";
    std::string host = replaced(extension->host, " forward(", " forward_" + number + "(");
    out_ << replaced(host, "kvgen_kernels[", "&kernels_" + number + "[");
    out_ << "static void check_" << number << "() {\n";
    for (const Variant& variant : task.variants) {
      add_case(name, number, task, variant, *plan, build, kernels);
    }
    out_ << "}\n";
  }

  int finish() {
    out_ << "int main() {\n";
    for (int i = 0; i < count_; ++i) out_ << "  check_" << i << "();\n";
    out_ << "  return check::finish();\n}\n";
    return failed_ ? 1 : 0;
  }

 private:
  void add_case(const std::string& name, const std::string& number, const Task& task,
                const Variant& variant, const Plan& plan, const Build& build,
                const std::vector<std::string>& kernels) {
    const auto resolved = resolve(plan, variant, build, limits_of("cpu"));
    if (!resolved.ok()) {
      std::cerr << name << ", " << variant.name << ": " << resolved.outcome().reason << "\n";
      failed_ = true;
      return;
    }
    out_ << "{\n  check::Case one{\"" << name << ", " << variant.name << "\", {\n";
    for (const ResolvedStep& step : resolved->prepare) out_ << step_text(step, kernels);
    for (const ResolvedStep& step : resolved->run) out_ << step_text(step, kernels);
    out_ << "}, {";
    for (const ResolvedBuffer& buffer : resolved->buffers) out_ << buffer.bytes << ", ";
    out_ << "}};\n  std::vector<at::Tensor> inputs;\n";
    std::string arguments;
    int inputs = 0;
    bool plain = true;  // in-place outputs are not returned
    for (const TensorSpec& spec : variant.tensors()) {
      if (spec.role == TensorRole::kInPlace) plain = false;
      if (spec.written()) continue;
      out_ << "  inputs.push_back(at::zeros({";
      for (const std::int64_t extent : spec.shape) out_ << extent << ", ";
      out_ << "}, " << at_type(spec.dtype) << "));\n";
      arguments +=
          (arguments.empty() ? "" : ", ") + std::string("inputs[") + std::to_string(inputs++) + "]";
    }
    for (const Symbol& symbol : variant.symbols) {
      std::ostringstream value;
      value.precision(17);
      std::visit([&](auto one) { value << one; }, symbol.value);
      // "inf" is a macro below.
      arguments += (arguments.empty() ? "" : ", ") + value.str();
    }
    if (!plain) return void(out_ << "  (void)one;\n}\n");
    (void)task;
    out_ << "  check::run(one, kernels_" << number
         << ", inputs, [&] { return kvgen_launch::forward_" << number << "(" << arguments
         << "); });\n}\n";
  }

  std::ostream& out_;
  int count_ = 0;
  bool failed_ = false;
};

// The plans of right.txt on the subject of the plan's tests, without its in-place tensor.
void add_tables(Writer& writer) {
  const test::Subject with = test::subject();
  for (const test::Case& one : test::cases_in("right.txt")) {
    Task task;
    task.name = "subject";
    Variant variant = with.variant;
    std::erase_if(variant.graph.outputs, [](const GraphOutput& output) {
      return output.spec.role == TensorRole::kInPlace;
    });
    task.variants.push_back(std::move(variant));
    Attempt attempt;
    attempt.candidate = Candidate{"", one.text, "", {}};
    if (one.text.rfind("step ", 0) == 0) {
      attempt.candidate->plan_text = "{\"plan\": 1, \"run\": [" + one.text.substr(5) + "]}";
    }
    if (attempt.candidate->plan_text.find("running.out") != std::string::npos) continue;
    attempt.builds.push_back(with.build);
    writer.add(one.name, task, attempt);
  }
}

int add_run(Writer& writer, const fs::path& run) {
  const auto journal = RunJournal::open_existing(run, real_files(), real_clock());
  if (!journal.ok()) {
    std::cerr << journal.error().message() << "\n";
    return 1;
  }
  const auto hashes = (*journal)->task_hashes();
  for (const std::string& hash : *hashes) {
    const auto task = (*journal)->task(hash);
    const auto attempts = (*journal)->finished_attempts(hash);
    if (!task.ok() || !attempts.ok()) return 1;
    for (const Attempt& attempt : *attempts) {
      if (attempt.outcome.verified()) writer.add(task->name, *task, attempt);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::cout << "#include <ATen/ATen.h>\n#include <c10/core/DeviceGuard.h>\n"
               "#include <c10/core/impl/VirtualGuardImpl.h>\n#include <cmath>\n#include <cstring>\n"
               "#include <functional>\n#include <optional>\n#include <tuple>\n#include <vector>\n"
               "#define inf __builtin_inf()\n#include \"stub_hip.h\"\n#include \"stub_main.h\"\n";
  Writer writer(std::cout);
  add_tables(writer);
  if (argc > 1 && add_run(writer, argv[1]) != 0) return 1;
  return writer.finish();
}
