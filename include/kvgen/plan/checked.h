#pragma once

#include <string>
#include <utility>
#include <variant>

#include "kvgen/model/outcome.h"

namespace kvgen {

// A value, or the outcome that the candidate deserves instead of it. Never an
// Error: whatever a reply or a plan holds, it is the candidate's.
template <class T>
class [[nodiscard]] Checked {
 public:
  Checked(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Checked(Outcome outcome) : state_(std::in_place_index<1>, std::move(outcome)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Outcome& outcome() const& { return std::get<1>(state_); }
  [[nodiscard]] Outcome&& outcome() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Outcome> state_;
};

// What is wrong with a plan, and where: "run[2].do[0].grid[1]", "let.rows"; ""
// for the whole. `suggestion` is what was probably meant, or "".
struct PlanFault {
  std::string place;
  std::string message;
  std::string suggestion;
};

// bad_plan with the reason "PLACE: MESSAGE; did you mean "SUGGESTION"?" and the
// three parts in its detail.
Outcome bad_plan(const PlanFault& fault);

}  // namespace kvgen
