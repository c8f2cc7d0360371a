#pragma once

#include <map>
#include <string>
#include <vector>

#include "kvgen/base/fd.h"
#include "kvgen/compile/engine.h"
#include "kvgen/compile/service.h"

namespace kvgen::test {

// An engine for all targets, its headers precompiled, shared by a test program.
ClangEngine& engine();

struct Answer {
  Build build;
  std::string object;
};

// Through the forking service, as the worker does it. Fails the test on an Error.
Answer compile(const std::string& source, const std::string& target,
               const std::vector<std::string>& kernels, const CompileLimits& limits = {});

// "usable" or the outcome's name.
std::string kind_of(const Build& build);

// What a case file says of itself in its "// KEY: VALUE" lines.
struct CaseFile {
  std::string name;
  std::string source;
  std::vector<std::string> kernels;
  std::multimap<std::string, std::string> says;

  [[nodiscard]] std::vector<std::string> all(const std::string& key) const;
};

// Every .hip file of a folder below the source tree, in order of name.
std::vector<CaseFile> case_files(const std::string& folder);

}  // namespace kvgen::test
