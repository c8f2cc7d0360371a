#pragma once

#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"

namespace kvgen {

// What a generator answered, as it came.
struct Reply {
  std::string text;
  Json origin = Json::object();  // generator, file or provider, sampling, tokens
};

Json to_json(const Reply& reply);
Result<Reply> reply_from(const Json& json, const std::string& where);

// Device code and its launch plan, as extracted from a reply.
struct Candidate {
  std::string source;                // one translation unit of HIP device code
  std::string plan_text;             // the json block as written
  std::string hash;                  // of source and plan text
  std::vector<std::string> remarks;  // "host_code_dropped", normalised spellings
};

// The hash that names a candidate, whatever the task.
std::string candidate_hash(std::string_view source, std::string_view plan_text);

Json to_json(const Candidate& candidate);
Result<Candidate> candidate_from(const Json& json, const std::string& where);

}  // namespace kvgen
