#include "kvgen/worker/frame.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace kvgen {
namespace {

constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kChunk = 1U << 16U;

void put_u32(std::string& out, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<char>((value >> shift) & 0xffU));
  }
}

std::uint32_t get_u32(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8U * i);
  }
  return value;
}

Error broken(std::string_view what) {
  Error error(Code::kWorker, "the worker protocol was broken: " + std::string(what));
  error.set_retryable();
  return error;
}

}  // namespace

FrameWriter::FrameWriter(Message message) : fds_(std::move(message.fds)) {
  const std::string text = to_line(message.json);
  bytes_.reserve(kHeaderBytes + text.size());
  put_u32(bytes_, static_cast<std::uint32_t>(text.size()));
  put_u32(bytes_, static_cast<std::uint32_t>(fds_.size()));
  bytes_ += text;
}

Result<Progress> FrameWriter::write_to(int socket) {
  if (bytes_.size() - kHeaderBytes > kFrameBytesLimit || fds_.size() > kFrameFdsLimit) {
    return Error(Code::kInvalid, "a message to or from a worker is too large");
  }
  while (sent_ < bytes_.size()) {
    iovec part{bytes_.data() + sent_, bytes_.size() - sent_};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kFrameFdsLimit)> control{};
    if (sent_ == 0 && !fds_.empty()) {
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(sizeof(int) * fds_.size());
      cmsghdr* rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof(int) * fds_.size());
      for (std::size_t i = 0; i < fds_.size(); ++i) {
        const int fd = fds_[i]->get();
        std::memcpy(CMSG_DATA(rights) + i * sizeof(int), &fd, sizeof(int));
      }
    }
    const ssize_t sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return Progress::kAgain;
      if (errno == EPIPE || errno == ECONNRESET) return Progress::kClosed;
      return broken(std::strerror(errno));
    }
    sent_ += static_cast<std::size_t>(sent);
  }
  return Progress::kDone;
}

Result<Progress> FrameReader::read_from(int socket) {
  while (true) {
    const bool in_header = bytes_.size() < kHeaderBytes;
    const std::size_t target = kHeaderBytes + (in_header ? 0 : wanted_);
    if (!in_header && bytes_.size() == target) {
      TRY_VOID(finish());
      return Progress::kDone;
    }
    const std::size_t missing = std::min(target - bytes_.size(), kChunk);
    std::array<char, kChunk> chunk;
    iovec part{chunk.data(), missing};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kFrameFdsLimit)> control{};
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    if (got < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return Progress::kAgain;
      if (errno == ECONNRESET) return Progress::kClosed;
      return broken(std::strerror(errno));
    }
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
        fds_.push_back(share(UniqueFd(fd)));
      }
    }
    if (fds_.size() > kFrameFdsLimit) return broken("too many descriptors");
    if (got == 0) {
      if (bytes_.empty()) return Progress::kClosed;
      return broken("the connection ended inside a message");
    }
    bytes_.append(chunk.data(), static_cast<std::size_t>(got));
    if (in_header && bytes_.size() == kHeaderBytes) {
      wanted_ = get_u32(bytes_, 0);
      wanted_fds_ = get_u32(bytes_, 4);
      if (wanted_ > kFrameBytesLimit) return broken("a message is too large");
    }
  }
}

Result<void> FrameReader::finish() {
  if (fds_.size() != wanted_fds_) return broken("descriptors were lost");
  auto json = parse_json(std::string_view(bytes_).substr(kHeaderBytes),
                         {.bytes = kFrameBytesLimit, .depth = 64});
  if (!json.ok()) return broken(json.error().message());
  message_ = Message{std::move(json).value(), std::move(fds_)};
  bytes_.clear();
  fds_.clear();
  wanted_ = 0;
  wanted_fds_ = 0;
  return ok();
}

Message FrameReader::take() {
  Message message = std::move(message_).value();
  message_.reset();
  return message;
}

}  // namespace kvgen
