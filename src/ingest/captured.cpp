#include "kvgen/ingest/captured.h"

#include "ingest/checks.h"
#include "kvgen/graph/structure.h"

namespace kvgen {
namespace {

constexpr std::size_t kTextsLimit = 1000;  // of marks and of notes

}  // namespace

Json capture_request(const Source& source, const std::string& text) {
  Json request = {{"source", text}, {"filename", source.file()}};
  const CaptureOptions& options = source.capture;
  if (!options.entry.empty()) request["entry"] = options.entry;
  if (!options.mode.empty()) request["mode"] = options.mode;
  if (!options.dtype.empty()) request["dtype"] = options.dtype;
  return request;
}

Result<Task> task_from_capture(const Json& reply, const Source& source, const std::string& text) {
  const std::string where = source.where() + " (as captured)";
  Fields fields(reply, where);
  Task task;
  task.name = source.name;
  task.source = text;
  task.entry = fields.get<std::string>("entry");
  task.license = fields.get_or<std::string>("license", "");
  task.origin = fields.get_or<std::string>("origin", "");
  task.captured_by = fields.get_or<Json>("captured_by", Json::object());
  const Json& variants = fields.array("variants");
  task.marks = fields.get_or<std::vector<std::string>>("marks", {});
  task.notes = fields.get_or<std::vector<std::string>>("notes", {});
  if (task.marks.size() > kTextsLimit) fields.fail("marks", "are too many");
  if (task.notes.size() > kTextsLimit) fields.fail("notes", "are too many");
  TRY_VOID(fields.finish_allowing_unknown());
  if (task.license.empty()) task.license = source.license;
  if (task.origin.empty()) task.origin = source.origin;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    TRY(Variant variant,
        variant_from(variants[i], where + ": variants[" + std::to_string(i) + "]"));
    task.variants.push_back(std::move(variant));
  }
  TRY_VOID(check_task(task, where));
  task.structural_hash = structural_hash(task.variants.front().graph);
  seal(task);
  return task;
}

}  // namespace kvgen
