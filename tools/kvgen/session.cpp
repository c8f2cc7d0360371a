#include "session.h"

#include <cstdlib>
#include <ostream>

#include "exit_codes.h"

namespace kvgen::tools {

Session::Session(const World& world, const MachineOptions& machine, std::optional<Scratch> scratch,
                 fs::path folder, std::unique_ptr<Log> log)
    : world_(world),
      scratch_(std::move(scratch)),
      folder_(std::move(folder)),
      log_(std::move(log)),
      shop_(loop_, world, machine, folder_, log_ ? *log_ : null_log()) {}

Result<std::unique_ptr<Session>> Session::in_scratch(const World& world,
                                                     const MachineOptions& machine) {
  TRY(Scratch scratch, Scratch::create(world.scratch));
  fs::path folder = scratch.path();
  return std::unique_ptr<Session>(
      new Session(world, machine, std::move(scratch), std::move(folder), nullptr));
}

Result<std::unique_ptr<Session>> Session::in_run(const World& world, const MachineOptions& machine,
                                                 const fs::path& run) {
  TRY_VOID(world.files->remove(run / "scratch"));
  for (const char* name : {"log", "scratch"}) TRY_VOID(world.files->make_folder(run / name));
  auto log = file_log((run / "log" / "kvgen.log").string(), Log::Level::kDebug);
  return std::unique_ptr<Session>(new Session(world, machine, std::nullopt, run, std::move(log)));
}

void Session::interrupt(const std::string& kept) {
  shop_.kill_workers();
  *world_.err << "\ninterrupted" << (kept.empty() ? "" : "; ") << kept << "\n" << std::flush;
  scratch_.reset();
  std::_Exit(kInterrupted);
}

}  // namespace kvgen::tools
