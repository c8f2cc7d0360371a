#include "kvgen/model/attempt.h"

#include "kvgen/base/hash.h"

namespace kvgen {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? to_json(*value) : Json(nullptr);
}

}  // namespace

std::string Attempt::id() const {
  return sha256_of({{"task", task_hash},
                    {"turn", turn},
                    {"reply", reply ? Json(sha256(reply->text)) : Json(nullptr)}});
}

Json to_json(const Attempt& attempt) {
  Json builds = Json::array();
  for (const Build& build : attempt.builds) builds.push_back(to_json(build));
  return {{"task", attempt.task_hash},
          {"turn", attempt.turn},
          {"reply", or_null(attempt.reply)},
          {"candidate", or_null(attempt.candidate)},
          {"normalised_plan", attempt.normalised_plan},
          {"builds", builds},
          {"verdict", or_null(attempt.verdict)},
          {"profile", or_null(attempt.profile)},
          {"outcome", to_json(attempt.outcome)},
          {"parent", attempt.parent.empty() ? Json(nullptr) : Json(attempt.parent)},
          {"card", attempt.card},
          {"possibly_bought_twice", attempt.possibly_bought_twice}};
}

Result<Attempt> attempt_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Attempt attempt;
  attempt.task_hash = fields.get<std::string>("task");
  attempt.turn = fields.get<int>("turn");
  const auto reply = fields.maybe<Json>("reply");
  const auto candidate = fields.maybe<Json>("candidate");
  attempt.normalised_plan = fields.get<Json>("normalised_plan");
  const Json& builds = fields.array("builds");
  const auto verdict = fields.maybe<Json>("verdict");
  const auto profile = fields.maybe<Json>("profile");
  const Json outcome = fields.get<Json>("outcome");
  attempt.parent = fields.maybe<std::string>("parent").value_or("");
  attempt.card = fields.get_or<Json>("card", nullptr);
  attempt.possibly_bought_twice = fields.get_or<int>("possibly_bought_twice", 0);
  TRY_VOID(fields.finish());
  if (reply) {
    TRY(attempt.reply, reply_from(*reply, where + ".reply"));
  }
  if (candidate) {
    TRY(attempt.candidate, candidate_from(*candidate, where + ".candidate"));
  }
  for (const Json& item : builds) {
    TRY(Build build, build_from(item, where + ".builds"));
    attempt.builds.push_back(std::move(build));
  }
  if (verdict) {
    TRY(attempt.verdict, verdict_from(*verdict, where + ".verdict"));
  }
  if (profile) {
    TRY(attempt.profile, profile_from(*profile, where + ".profile"));
  }
  TRY(attempt.outcome, outcome_from(outcome, where + ".outcome"));
  return attempt;
}

}  // namespace kvgen
