// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "relay_socket.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "user_interface.h"

namespace parley::bench {
namespace {

// Space for the bytes of one read and the incomplete message before them.
constexpr std::size_t kBufferBytes = 512U << 10U;
constexpr std::size_t kReadBytes = 256U << 10U;

void write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = write(fd, bytes.data(), bytes.size());
    check(sent > 0, "write to the relay");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

std::string_view id_of(std::string_view message) {
  constexpr std::string_view kKey = R"("id":")";
  const std::size_t at = message.find(kKey);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + kKey.size();
  return message.substr(begin, message.find('"', begin) - begin);
}

bool is_type(std::string_view message, std::string_view type) {
  constexpr std::string_view kKey = R"("type":")";
  const std::size_t at = message.find(kKey);
  return at != std::string_view::npos && message.substr(at + kKey.size()).starts_with(type);
}

RelaySocket::RelaySocket(int port, const std::string& role, const std::string& session)
    : fd_(connect_to(static_cast<std::uint16_t>(port))), in_(kBufferBytes) {
  write_whole(fd_, "GET /agent/ws HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                       "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Version: 13\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  constexpr std::string_view kHeadersEnd = "\r\n\r\n";
  while (unread().find(kHeadersEnd) == std::string_view::npos) fill();
  at_ = unread().find(kHeadersEnd) + kHeadersEnd.size();
  send(R"({"v":"mvp-0.2","type":"relay.join","id":"join","payload":{"role":")" + role +
       R"(","sessionId":")" + session + R"("}})");
  await("relay.joined");
}

RelaySocket::RelaySocket(RelaySocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      in_(std::move(other.in_)),
      at_(other.at_),
      end_(other.end_),
      out_(std::move(other.out_)) {}

RelaySocket::~RelaySocket() {
  if (fd_ >= 0) close(fd_);
}

void RelaySocket::queue(std::string_view text) {
  out_.push_back(static_cast<char>(0x81U));
  if (text.size() < 126) {
    out_.push_back(static_cast<char>(0x80U | text.size()));
  } else {
    check(text.size() < 65'536, "the length of a message");
    out_.push_back(static_cast<char>(0x80U | 126U));
    out_.push_back(static_cast<char>(text.size() >> 8U));
    out_.push_back(static_cast<char>(text.size() & 0xffU));
  }
  out_.append(4, '\0');  // a mask of zeros leaves the payload as it is
  out_ += text;
}

void RelaySocket::flush() {
  write_whole(fd_, out_);
  out_.clear();
}

void RelaySocket::fill() {
  std::copy(in_.begin() + static_cast<std::ptrdiff_t>(at_),
            in_.begin() + static_cast<std::ptrdiff_t>(end_), in_.begin());
  end_ -= std::exchange(at_, 0);
  check(end_ + kReadBytes <= in_.size(), "the length of what the relay sent");
  const ssize_t got = read(fd_, in_.data() + end_, kReadBytes);
  check(got > 0, "read from the relay");
  end_ += static_cast<std::size_t>(got);
}

std::optional<std::string_view> RelaySocket::next() {
  const std::string_view rest = unread();
  const auto byte = [rest](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(rest[i]));
  };
  if (rest.size() < 2) return std::nullopt;
  std::size_t size = byte(1) & 0x7fU;
  std::size_t head = 2;
  const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (extra > 0) {
    if (rest.size() < head + extra) return std::nullopt;
    size = 0;
    for (std::size_t i = 0; i < extra; ++i) size = size << 8U | byte(head + i);
    head += extra;
  }
  if (rest.size() < head + size) return std::nullopt;
  at_ += head + size;
  return rest.substr(head, size);
}

std::string_view RelaySocket::await(std::string_view type) {
  while (true) {
    while (const auto message = next()) {
      if (is_type(*message, type)) return *message;
      check(!is_type(*message, "error"), std::string(*message).c_str());
    }
    fill();
  }
}

}  // namespace parley::bench
