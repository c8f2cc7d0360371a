#include "kvgen/ingest/ingester.h"

#include <algorithm>

#include "kvgen/base/hash.h"
#include "kvgen/ingest/bundle.h"
#include "kvgen/ingest/captured.h"
#include "kvgen/stage/all_of.h"

namespace kvgen {
namespace {

// What stands in the way of every source, not only of this one.
bool concerns_all(const Error& error) {
  return error.code() == Code::kFull || error.code() == Code::kDenied || error.code() == Code::kIo;
}

// Whether capturing the source again would give this task.
bool made_from(const Task& task, const Source& source, const std::string& text) {
  const CaptureOptions& options = source.capture;
  const auto captured = [&](const char* key) {
    const auto at = task.captured_by.find(key);
    return at != task.captured_by.end() && at->is_string() ? at->get<std::string>() : "";
  };
  const bool names_license = text.find("SPDX-License-Identifier:") != std::string::npos;
  return task.source == text && task.origin == source.origin &&
         (names_license || task.license == source.license) &&
         task.entry.starts_with(fs::path(source.file()).filename().string() + ":") &&
         (options.entry.empty() || task.entry.ends_with(":" + options.entry)) &&
         captured("mode") == options.mode && captured("dtype") == options.dtype;
}

}  // namespace

Ingester::Ingester(Files& files, CaptureClient& capture, Referee& referee, fs::path bundles)
    : files_(files), capture_(capture), referee_(referee), bundles_(std::move(bundles)) {}

Awaitable<Result<std::vector<IngestedSource>>> Ingester::ingest(const std::vector<Source>& sources,
                                                                int jobs, Told told) {
  CO_TRY_VOID(files_.make_folder(bundles_));
  std::vector<IngestedSource> taken(sources.size());
  std::optional<Error> fatal;
  co_await all_of(sources.size(), jobs, [&](std::size_t i) -> Awaitable<void> {
    if (fatal) co_return;
    auto one = co_await take(sources[i]);
    if (!one.ok()) {
      fatal = std::move(one).error();
      co_return;
    }
    taken[i] = std::move(one).value();
    told(taken[i]);
  });
  if (fatal) co_return std::move(*fatal);
  co_return taken;
}

Awaitable<Result<IngestedSource>> Ingester::take(const Source& source) {
  IngestedSource result;
  result.source = source;
  if (source.kind == Source::Kind::kBundle) {
    auto task = read_bundle(files_, source.path);
    if (task.ok()) {
      result.task = std::move(task).value();
      result.reused = true;
    } else {
      result.reason = task.error().message();
    }
    co_return result;
  }

  const auto text = read_module(files_, source);
  if (!text.ok()) {
    result.reason = text.error().message();
    co_return result;
  }
  auto kept = read_bundle(files_, bundles_ / source.name);
  if (kept.ok() && made_from(*kept, source, *text)) {
    result.task = std::move(kept).value();
    result.reused = true;
    co_return result;
  }
  auto task = co_await captured(source, *text);
  if (!task.ok()) {
    result.reason = task.error().message();
    // A row's module has no file of its own that its messages could name.
    if (source.kind == Source::Kind::kRow) result.reason = source.where() + ": " + result.reason;
    co_return result;
  }
  auto written = write_bundle(files_, bundles_, *task);
  if (!written.ok()) {
    if (concerns_all(written.error())) co_return std::move(written).error();
    result.reason = written.error().message();
    co_return result;
  }
  result.task = std::move(task).value();
  co_return result;
}

Awaitable<Result<Task>> Ingester::captured(const Source& source, const std::string& text) {
  CO_TRY(const Json reply, co_await capture_.capture(capture_request(source, text)));
  CO_TRY(Task task, task_from_capture(reply, source, text));
  auto marks = co_await referee_.admit(task, seed_from("admit/" + task.hash) >> 1U);
  if (!marks.ok()) {
    Error error = std::move(marks).error();
    error.prepend(source.file() + ": the reference cannot be executed");
    co_return error;
  }
  for (std::string& mark : *marks) {
    // What the graph alone shows stands there already.
    if (std::find(task.marks.begin(), task.marks.end(), mark) == task.marks.end()) {
      task.marks.push_back(std::move(mark));
    }
  }
  co_return task;
}

}  // namespace kvgen
