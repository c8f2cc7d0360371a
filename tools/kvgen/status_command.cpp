#include <ostream>

#include "commands.h"
#include "kvgen/store/run_status.h"
#include "pace.h"
#include "text.h"

namespace kvgen::tools {
namespace {

struct StatusOptions {
  std::string run;
  bool json = false;
};

std::string owner_text(const RunStatus& status) {
  if (!status.owner) {
    return status.tasks > 0 && status.left() == 0
               ? "nobody; it is finished"
               : "nobody; the same `kvgen run` command goes on with it";
  }
  return *status.owner == 0 ? "a process that is not shown here"
                            : "process " + std::to_string(*status.owner);
}

void tell(const RunStatus& status, const std::optional<Pace>& pace, const std::string& run,
          std::ostream& out) {
  std::string text = run + "\n";
  add_line(text, "held by", owner_text(status));
  add_line(text, "begun", status.begun);
  if (status.tasks == 0) {
    add_line(text, "tasks", "none yet: sources are being captured");
  } else {
    std::string tasks = std::to_string(status.finished) + " of " + std::to_string(status.tasks) +
                        " finished, " + std::to_string(status.verified) + " verified, " +
                        std::to_string(status.left()) + " left";
    if (status.refused > 0) tasks += ", " + std::to_string(status.refused) + " refused";
    add_line(text, "tasks", tasks);
  }
  if (status.rejected_sources > 0) {
    add_line(text, "sources", std::to_string(status.rejected_sources) + " could not be used");
  }
  std::string outcomes;
  for (const auto& [kind, count] : status.outcomes) {
    outcomes += (outcomes.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  }
  if (status.begun_attempts > 0) {
    outcomes +=
        (outcomes.empty() ? "" : ", ") + std::to_string(status.begun_attempts) + " in progress";
  }
  add_line(text, "attempts", outcomes.empty() ? "none yet" : outcomes);
  if (pace && status.left() > 0) add_line(text, "pace", pace_text(*pace, "tasks "));
  if (status.possibly_bought_twice > 0) {
    add_line(text, "requests",
             std::to_string(status.possibly_bought_twice) + " possibly bought twice");
  }
  if (status.last_error.is_object()) {
    add_line(text, "last error",
             status.last_error.value("at", "") + " " + status.last_error.value("task", "") + ": " +
                 status.last_error.value("message", ""));
  }
  out << text;
}

Json json_of(const RunStatus& status, const std::optional<Pace>& pace) {
  Json json = {{"tasks", status.tasks},
               {"finished", status.finished},
               {"left", status.left()},
               {"verified", status.verified},
               {"refused", status.refused},
               {"rejected_sources", status.rejected_sources},
               {"outcomes", status.outcomes},
               {"attempts_in_progress", status.begun_attempts},
               {"possibly_bought_twice", status.possibly_bought_twice},
               {"begun", status.begun},
               {"opened", status.opened},
               {"held", status.owner.has_value()},
               {"last_error", status.last_error}};
  json["process"] = status.owner ? Json(*status.owner) : Json(nullptr);
  json["tasks_a_second"] = pace ? Json(pace->a_second) : Json(nullptr);
  json["seconds_left"] = pace ? Json(pace->left) : Json(nullptr);
  return json;
}

Result<int> status(const StatusOptions& options, const World& world) {
  TRY(const RunStatus now, read_status(*world.files, options.run));
  const auto pace = pace_now(now, *world.clock);
  if (options.json) {
    *world.out << to_line(json_of(now, pace)) << "\n";
  } else {
    tell(now, pace, options.run, *world.out);
  }
  return 0;
}

}  // namespace

void add_status(CLI::App& app, Action& chosen) {
  auto [command, options] =
      declare<StatusOptions>(app, chosen, "status",
                             "Say how far a run is, also while it is going.\n\nExample:\n"
                             "  kvgen status RUN\n",
                             status);
  command->add_option("RUN", options.run, "The run's folder")->required();
  command->add_flag("--json", options.json, "One JSON object on stdout");
}

}  // namespace kvgen::tools
