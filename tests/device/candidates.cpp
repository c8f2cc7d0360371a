#include "tests/device/candidates.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "kvgen/plan/resolved.h"

namespace kvgen::test {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message());
  return std::move(result).value();
}
void must(Result<void> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message());
}

// Names of tensors and buffers, in order, to places.
using Places = std::map<std::string, ResolvedPlace>;

ResolvedScalar scalar(const Json& json) {
  const auto kind = json.begin().key();
  ResolvedScalar value;
  if (kind == "f32") {
    const auto number = json.begin()->get<float>();
    std::memcpy(&value.bits, &number, sizeof number);
  } else {
    value.bytes = kind == "i64" ? 8 : 4;
    value.bits = static_cast<std::uint64_t>(json.begin()->get<std::int64_t>());
    if (value.bytes == 4) value.bits &= 0xffffffffU;
  }
  return value;
}

std::vector<ResolvedStep> steps(const Json& list, const Places& places) {
  std::vector<ResolvedStep> all;
  for (const Json& json : list) {
    ResolvedStep step;
    step.place = "run[" + std::to_string(all.size()) + "]";
    if (json.contains("fill")) {
      step.what = ResolvedFill{places.at(json["fill"]), json["bytes"], 4, json["bits"]};
    } else if (json.contains("copy")) {
      step.what = ResolvedCopy{places.at(json["copy"]), places.at(json["to"]), json["bytes"]};
    } else {
      ResolvedLaunch launch;
      launch.name = launch.symbol = json["kernel"];
      for (std::size_t i = 0; i < json["grid"].size(); ++i) launch.grid[i] = json["grid"][i];
      for (std::size_t i = 0; i < json["block"].size(); ++i) launch.block[i] = json["block"][i];
      launch.dynamic_lds = json.value("lds", 0);
      for (const Json& argument : json["args"]) {
        if (argument.is_string()) {
          launch.arguments.emplace_back(places.at(argument));
        } else {
          launch.arguments.emplace_back(scalar(argument));
        }
      }
      step.what = launch;
    }
    all.push_back(std::move(step));
  }
  return all;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

SharedFd test_object(const std::string& name) {
  return must(
      sealed_blob("object", read_file(std::string(KVGEN_TEST_OBJECTS) + "/" + name + ".so")));
}

Candidate::Candidate(const Json& json) : Candidate(json, test_object(json.at("object")), {}) {}

Candidate::Candidate(const Json& json, SharedFd object,
                     const std::map<std::string, std::string>& symbols)
    : object_(std::move(object)) {
  Places places;
  const Json dtypes = json.value("dtype", Json::object());
  const auto specs = [&](const char* list, TensorRole role, ResolvedPlace::Space space) {
    std::vector<TensorSpec> all;
    const Json tensors = json.value(list, Json::object());
    for (const auto& [name, shape] : tensors.items()) {
      TensorSpec spec{name, role, DType::kFloat32, shape.get<Shape>()};
      spec.dtype = dtype_from(dtypes.value(name, "float32")).value();
      places[name] = {space, static_cast<int>(all.size()), 0};
      all.push_back(spec);
    }
    return all;
  };
  const auto inputs = specs("inputs", TensorRole::kInput, ResolvedPlace::Space::kInput);
  const auto outputs = specs("outputs", TensorRole::kOutput, ResolvedPlace::Space::kOutput);
  const auto buffers = specs("buffers", TensorRole::kBuffer, ResolvedPlace::Space::kBuffer);
  inputs_.push_back(must(Arena::create("inputs", must(lay_out(inputs, 1LL << 32)))));
  outputs_.push_back(must(Arena::create("outputs", must(lay_out(outputs, 1LL << 32)))));
  must(inputs_.front().seal(true));
  must(outputs_.front().seal(false));
  for (const TensorSpec& spec : inputs) {
    if (spec.dtype != DType::kFloat32) continue;
    const auto values = input<float>(spec.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::sin(static_cast<float>(i % 1009) * 0.37F + 1);
    }
  }
  poison_outputs(0xfb);

  ResolvedPlan plan;
  for (const TensorSpec& spec : buffers) {
    plan.buffers.push_back({spec.name, spec.dtype, spec.bytes(), false});
  }
  plan.prepare = steps(json.value("prepare", Json::array()), places);
  plan.run = steps(json.at("run"), places);
  for (ResolvedStep& step : plan.run) {
    auto* const launch = std::get_if<ResolvedLaunch>(&step.what);
    if (launch != nullptr && symbols.contains(launch->name)) {
      launch->symbol = symbols.at(launch->name);
    }
  }
  RunCall call;
  call.plan = to_json(plan);
  call.inputs = inputs_.front().layout();
  call.outputs = outputs_.front().layout();
  call.poison_seed = 5;
  call.budget_ms = json.value("budget_ms", 20'000);
  call.cores = json.value("cores", 2);
  call.schedule = json.value("schedule", "forward");
  call_ = to_json(call);
}

Candidate& Candidate::set(const std::string& field, const Json& value) {
  call_[field] = value;
  return *this;
}

void Candidate::poison_outputs(unsigned char byte) const {
  for (const ArenaTensor& tensor : outputs_.front().layout().tensors) {
    const auto bytes = outputs_.front().data(tensor);
    std::memset(bytes.data(), byte, bytes.size());
  }
}

Message Candidate::call() const {
  return {call_, {object_, inputs_.front().fd(), outputs_.front().fd()}};
}

RunReport run(const Handler& handler, const Candidate& candidate, const std::string& op) {
  return must(run_report_from(must(handler(op, candidate.call())).json));
}

RunReport sample(const Handler& handler, int runs, bool cold) {
  return must(time_sample_answer_from(
                  must(handler("time_sample", {to_json(TimeSampleCall{runs, cold}), {}})).json))
      .report;
}

Json load_cases() {
  return Json::parse(read_file(std::string(KVGEN_SOURCE_DIR) + "/tests/device/cases.json"), nullptr,
                     true, true);
}

}  // namespace kvgen::test
