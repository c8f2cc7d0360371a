#pragma once

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <chrono>

#include "kvgen/base/log.h"
#include "kvgen/pool/worker_group.h"
#include "tests/support/loop.h"
#include "tests/support/temp_folder.h"

namespace kvgen {

inline constexpr std::chrono::seconds kLong{60};
inline constexpr std::chrono::milliseconds kShort{2000};

class PoolTest : public ::testing::Test {
 protected:
  WorkerCommand fake() const {
    WorkerCommand command;
    command.name = "fake";
    command.program = KVGEN_FAKE_WORKER;
    command.scratch = folder_.path() / "scratch";
    return command;
  }

  testing::TempFolder folder_;
  boost::asio::io_context loop_;
};

}  // namespace kvgen
