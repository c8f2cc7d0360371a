#include "kvgen/model/candidate.h"

#include "kvgen/base/hash.h"

namespace kvgen {

Json to_json(const Reply& reply) { return {{"text", reply.text}, {"origin", reply.origin}}; }

Result<Reply> reply_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Reply reply;
  reply.text = fields.get<std::string>("text");
  reply.origin = fields.get_or<Json>("origin", Json::object());
  TRY_VOID(fields.finish());
  return reply;
}

std::string candidate_hash(std::string_view source, std::string_view plan_text) {
  return sha256(sha256(source) + sha256(plan_text));
}

Json to_json(const Candidate& candidate) {
  return {{"source", candidate.source},
          {"plan", candidate.plan_text},
          {"hash", candidate.hash},
          {"remarks", candidate.remarks}};
}

Result<Candidate> candidate_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Candidate candidate;
  candidate.source = fields.get<std::string>("source");
  candidate.plan_text = fields.get<std::string>("plan");
  candidate.hash = fields.get<std::string>("hash");
  candidate.remarks = fields.get_or<std::vector<std::string>>("remarks", {});
  TRY_VOID(fields.finish());
  return candidate;
}

}  // namespace kvgen
