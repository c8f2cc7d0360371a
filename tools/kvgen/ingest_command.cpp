#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <ostream>

#include "commands.h"
#include "exit_codes.h"
#include "ingest_step.h"
#include "scratch.h"
#include "session.h"

namespace kvgen::tools {
namespace {

Json summary(const std::vector<IngestedSource>& sources) {
  Json list = Json::array();
  for (const IngestedSource& one : sources) {
    Json row = {{"source", one.source.path.string()}, {"name", one.source.name}};
    row["hash"] = one.task ? Json(one.task->hash) : Json(nullptr);
    row["marks"] = one.task ? Json(one.task->marks) : Json::array();
    row["reason"] = one.task ? Json(nullptr) : Json(one.reason);
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace

int ingest_command(const IngestOptions& options, const World& world) {
  const auto fail = [&](const Error& error) {
    *world.err << "kvgen ingest: " << error.message() << "\n";
    return exit_code_for(error);
  };
  auto scratch = Scratch::create(world.scratch);
  if (!scratch.ok()) return fail(scratch.error());
  boost::asio::io_context loop;
  Workshop shop(loop, world, options.machine, scratch->path(), null_log());
  const auto sources = run_to_end<std::vector<IngestedSource>>(
      loop, ingest_step(world, shop, options.sources, options.out), [&] {
        shop.kill_workers();
        *world.err << "\ninterrupted; the bundles written so far are whole\n" << std::flush;
        std::_Exit(kInterrupted);
      });
  if (!sources.ok()) return fail(sources.error());

  tell_rejected(world, *sources);
  std::size_t good = 0;
  for (const IngestedSource& one : *sources) good += one.task ? 1 : 0;
  if (options.json) {
    *world.out << to_line({{"sources", summary(*sources)}, {"out", options.out}}) << "\n";
  } else {
    for (const IngestedSource& one : *sources) {
      if (!one.task) continue;
      *world.out << one.source.name << "  " << one.task->hash.substr(0, 16);
      for (const std::string& mark : one.task->marks) *world.out << "  [" << mark << "]";
      *world.out << "\n";
    }
  }
  *world.err << good << " of " << sources->size() << " captured · " << options.out << "\n";
  return good == sources->size() ? kDone : kFailed;
}

}  // namespace kvgen::tools
