#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "kvgen/base/log.h"
#include "kvgen/base/result.h"
#include "kvgen/pipeline/gate_compiler.h"
#include "kvgen/pipeline/verifier.h"
#include "kvgen/pool/clients.h"
#include "kvgen/pool/worker_group.h"
#include "kvgen/stage/semaphore.h"
#include "options.h"
#include "world.h"

namespace kvgen::tools {

// The concrete stages of this machine: worker processes behind the interfaces.
class Workshop {
 public:
  // `folder`: logs and the workers' working folders go below it.
  Workshop(boost::asio::io_context& loop, const World& world, const MachineOptions& options,
           const fs::path& folder, Log& log);

  // Starts what a command needs. Errors say which worker lacks what.
  Awaitable<Result<void>> open_referee();
  Awaitable<Result<void>> open_compiler_and_runner();

  // Kills every worker and what they started.
  void kill_workers();

  [[nodiscard]] Compiler& compiler() { return *compiler_; }
  [[nodiscard]] Runner& runner() { return *runner_; }
  [[nodiscard]] Referee& referee() { return *referee_; }
  [[nodiscard]] CaptureClient& capture() { return capture_; }
  [[nodiscard]] WorkerGroup& compilers() { return compilers_; }
  [[nodiscard]] WorkerGroup& hiprtcs() { return hiprtcs_; }
  [[nodiscard]] WorkerGroup& captures() { return captures_; }
  [[nodiscard]] Semaphore& machine() { return machine_; }
  // How candidates are proved here.
  [[nodiscard]] VerifyOptions verify_options(std::uint64_t seed, bool profile) const;

  [[nodiscard]] int jobs() const { return jobs_; }
  [[nodiscard]] int cores() const { return cores_; }

 private:
  Awaitable<std::optional<HiprtcGate>> open_hiprtc();
  WorkerCommand command(const std::string& name, const std::string& program,
                        std::vector<std::string> arguments = {}) const;

  const World& world_;
  MachineOptions options_;
  fs::path folder_;
  int jobs_;
  int cores_;
  Semaphore machine_;
  WorkerGroup compilers_;
  WorkerGroup hiprtcs_;
  WorkerGroup runners_;
  WorkerGroup referees_;
  WorkerGroup captures_;
  CaptureClient capture_;
  std::unique_ptr<Compiler> clang_;
  std::unique_ptr<Compiler> hiprtc_;
  std::unique_ptr<Compiler> compiler_;  // both, by the gate's rules
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<Referee> referee_;
};

// "Intel(R) Xeon(R) Platinum 8375C, 2 cores"
std::string machine_in_words(Files& files, int cores);

int cores_here();

}  // namespace kvgen::tools
