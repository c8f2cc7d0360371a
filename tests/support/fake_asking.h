#pragma once

#include <string>
#include <vector>

#include "kvgen/stage/generator.h"

namespace kvgen::testing {

// Counts what a generator says while it asks.
class FakeAsking : public Asking {
 public:
  int asked = 0;
  int refused = 0;
  std::vector<std::string> told;

  Result<void> about_to_ask() override {
    ++asked;
    return ok();
  }
  Result<void> nothing_bought() override {
    ++refused;
    return ok();
  }
  void waiting(const std::string& why) override { told.push_back(why); }
};

}  // namespace kvgen::testing
