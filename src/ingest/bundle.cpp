#include "kvgen/ingest/bundle.h"

#include "ingest/checks.h"
#include "kvgen/graph/structure.h"
#include "kvgen/ingest/source.h"

namespace kvgen {
namespace {

constexpr std::uint64_t kBundleBytesLimit = 64UL << 20U;
constexpr const char* kTaskFile = "task.json";
constexpr const char* kSourceFile = "source.py";

Result<Task> read_task(Files& files, const fs::path& file) {
  const std::string where = file.string();
  TRY(const std::string text, files.read(file, kBundleBytesLimit));
  auto json = parse_json(text, {.bytes = kBundleBytesLimit, .depth = 64});
  if (!json.ok()) {
    return Error(Code::kInvalid, where + " is torn or was edited (" + json.error().message() +
                                     "); ingest the source again");
  }
  TRY(Task task, task_from(*json, where));
  TRY_VOID(check_task(task, where));
  if (task.structural_hash != structural_hash(task.variants.front().graph)) {
    return Error(Code::kInvalid,
                 where + ": the structural hash does not fit the graph; ingest the source again");
  }
  return task;
}

}  // namespace

Result<fs::path> write_bundle(Files& files, const fs::path& dir, const Task& task) {
  if (task.name != sanitised_name(task.name)) {
    return Error(Code::kInternal, "the task name \"" + task.name + "\" cannot be a folder's");
  }
  const fs::path folder = dir / task.name;
  if (files.exists(folder / kTaskFile)) {
    const auto there = read_task(files, folder / kTaskFile);
    if (there.ok() && there->hash == task.hash && there->marks == task.marks) return folder;
  }
  TRY_VOID(files.make_folder(folder));
  TRY_VOID(files.write_atomically(folder / kSourceFile, task.source));
  TRY_VOID(files.write_atomically(folder / kTaskFile, to_line(to_json(task)) + "\n"));
  return folder;
}

Result<Task> read_bundle(Files& files, const fs::path& path) {
  const fs::path file = path.filename() == kTaskFile ? path : path / kTaskFile;
  TRY(Task task, read_task(files, file));
  // People read and edit the text beside it; a task must not look like another one.
  const fs::path text = file.parent_path() / kSourceFile;
  if (!files.exists(text)) return task;
  TRY(const std::string source, files.read(text, kBundleBytesLimit));
  if (source == task.source) return task;
  return Error(Code::kInvalid, text.string() + " is not the text that " + file.string() +
                                   " was captured from; ingest the edited text as a module");
}

}  // namespace kvgen
