#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/fd.h"
#include "kvgen/base/json.h"
#include "kvgen/base/result.h"

namespace kvgen {

// What workers and kvgen say to each other: one JSON value, and descriptors of
// sealed memfds beside it (arenas, objects).
struct Message {
  Json json;
  std::vector<SharedFd> fds;
};

inline constexpr std::uint32_t kFrameBytesLimit = 256U << 20;
inline constexpr std::uint32_t kFrameFdsLimit = 16;

// On the wire: little-endian u32 length of the JSON text, u32 count of
// descriptors (SCM_RIGHTS with the first byte), then the text.
//
// Both classes work on blocking and non-blocking stream sockets; kAgain means
// that the socket would block.
enum class Progress { kDone, kAgain, kClosed };

class FrameWriter {
 public:
  explicit FrameWriter(Message message);
  Result<Progress> write_to(int socket);

 private:
  std::string bytes_;
  std::size_t sent_ = 0;
  std::vector<SharedFd> fds_;
};

class FrameReader {
 public:
  // After kDone, take() gives the message and the reader starts anew.
  Result<Progress> read_from(int socket);
  Message take();

 private:
  Result<void> finish();

  std::string bytes_;
  std::uint32_t wanted_ = 0;  // of the text; known after the header
  std::uint32_t wanted_fds_ = 0;
  std::vector<SharedFd> fds_;
  std::optional<Message> message_;
};

}  // namespace kvgen
