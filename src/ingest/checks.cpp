#include "ingest/checks.h"

#include "kvgen/graph/check.h"
#include "kvgen/ingest/source.h"

namespace kvgen {

Result<void> check_task(const Task& task, const std::string& where) {
  if (task.name != sanitised_name(task.name)) {
    return Error(Code::kInvalid, where + ": the name cannot be a folder's");
  }
  for (std::size_t i = 0; i < task.variants.size(); ++i) {
    TRY_VOID(check(task.variants[i], where + ": variants[" + std::to_string(i) + "]"));
  }
  return check_variants_agree(task, where);
}

}  // namespace kvgen
