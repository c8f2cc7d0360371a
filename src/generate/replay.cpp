#include "kvgen/generate/replay.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kvgen/generate/extract.h"
#include "kvgen/generate/feedback.h"

namespace kvgen {
namespace {

// The turn that "12.md" answers.
std::optional<int> turn_of(const std::string& name) {
  if (!name.ends_with(".md")) return std::nullopt;
  int turn = 0;
  const char* end = name.data() + name.size() - 3;
  const auto parsed = std::from_chars(name.data(), end, turn);
  if (parsed.ec != std::errc() || parsed.ptr != end || turn < 0) return std::nullopt;
  return turn;
}

Outcome no_candidate(std::string reason) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kNoCandidate;
  outcome.stage = Stage::kGenerate;
  outcome.reason = std::move(reason);
  return outcome;
}

class Replay final : public Generator {
 public:
  Replay(fs::path folder, Files& files) : folder_(std::move(folder)), files_(files) {}

  Json describe() const override { return {{"kind", "replay"}, {"folder", folder_.string()}}; }

  int useful_turns(const Task& task) const override {
    return std::max<int>(1, static_cast<int>(replies_for(task).size()));
  }

  Awaitable<Result<Proposal>> propose(const Task& task, const History& history, Asking&) override {
    Proposal proposal;
    const std::vector<fs::path> replies = replies_for(task);
    if (history.size() >= replies.size()) {
      proposal.declined =
          no_candidate(replies.empty() ? "no reply for " + task.name + " in " + folder_.string()
                                       : "no reply for turn " + std::to_string(history.size()) +
                                             " of " + task.name + " in " + folder_.string());
      co_return proposal;
    }
    const fs::path& path = replies[history.size()];
    Result<std::string> text = files_.read(path, kLargestReplyFile);
    if (!text.ok()) {
      // Whether the file is too large or unreadable is not told apart by Files.
      if (text.error().code() != Code::kInvalid) co_return std::move(text).error();
      proposal.declined = no_candidate(text.error().message());
      co_return proposal;
    }
    Reply reply;
    reply.text = std::move(text).value();
    reply.origin = {{"kind", "replay"}, {"file", path.lexically_relative(folder_).string()}};
    proposal.reply = std::move(reply);
    co_return proposal;
  }

  Json feedback(const Task& task, const Attempt& attempt) const override {
    return feedback_card(task, attempt);
  }

  Extracted extract(const Reply& reply) const override { return kvgen::extract(reply); }

 private:
  std::vector<fs::path> replies_for(const Task& task) const {
    // A task's name comes from a bundle: it must not lead out of the folder.
    if (task.name.empty() || task.name[0] == '.' || task.name.find('/') != std::string::npos) {
      return {};
    }
    const fs::path single = folder_ / (task.name + ".md");
    if (files_.exists(single)) return {single};
    const fs::path turns = folder_ / task.name;
    const Result<std::vector<std::string>> names = files_.list(turns);
    if (!names.ok()) return {};
    std::vector<std::pair<int, fs::path>> found;
    for (const std::string& name : *names) {
      if (const auto turn = turn_of(name)) found.emplace_back(*turn, turns / name);
    }
    std::sort(found.begin(), found.end());
    std::vector<fs::path> replies;
    for (auto& [turn, path] : found) replies.push_back(std::move(path));
    return replies;
  }

  fs::path folder_;
  Files& files_;
};

}  // namespace

std::unique_ptr<Generator> make_replay(fs::path folder, Files& files) {
  return std::make_unique<Replay>(std::move(folder), files);
}

}  // namespace kvgen
