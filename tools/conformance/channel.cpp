// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/channel.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/core/file_descriptor.h"
#include "base/core/result.h"
#include "tools/conformance/wait_fd.h"

namespace parley::conformance {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;

class PlainChannel final : public Channel {
 public:
  explicit PlainChannel(core::FileDescriptor fd) : fd_(std::move(fd)) {}

  core::Result<bool> read_some(std::string& into, Deadline deadline) override {
    std::array<char, kReadBytes> buffer{};
    while (true) {
      const ssize_t got = recv(fd_.get(), buffer.data(), buffer.size(), 0);
      if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
      if (got >= 0) return got > 0;
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return broken("the connection broke", errno);
      PARLEY_TRY_VOID(wait_for(fd_.get(), POLLIN, deadline));
    }
  }

  core::Result<void> write_all(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        auto ready = wait_for(fd_.get(), POLLOUT, deadline);
        if (!ready) return ready;
      } else if (errno != EINTR) {
        return broken("the connection broke while sending", errno);
      }
    }
    return {};
  }

  void finish_writing() override { shutdown(fd_.get(), SHUT_WR); }

 private:
  core::FileDescriptor fd_;
};

struct SslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

class TlsChannel final : public Channel {
 public:
  static core::Result<std::unique_ptr<Channel>> start(core::FileDescriptor fd,
                                                      const std::string& host, Deadline deadline) {
    auto created = std::make_unique<TlsChannel>(std::move(fd));
    created->context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_default_verify_paths(created->context_.get());
    SSL_CTX_set_verify(created->context_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_options(created->context_.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
    created->ssl_.reset(SSL_new(created->context_.get()));
    SSL_set_fd(created->ssl_.get(), created->fd_.get());
    SSL_set_tlsext_host_name(created->ssl_.get(), host.c_str());
    SSL_set1_host(created->ssl_.get(), host.c_str());
    while (true) {
      const int done = SSL_connect(created->ssl_.get());
      if (done == 1) return std::unique_ptr<Channel>(std::move(created));
      PARLEY_TRY_VOID(created->wait_after(done, deadline));
    }
  }

  explicit TlsChannel(core::FileDescriptor fd) : fd_(std::move(fd)) {}

  core::Result<bool> read_some(std::string& into, Deadline deadline) override {
    std::array<char, kReadBytes> buffer{};
    while (true) {
      const int got = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
      if (got > 0) {
        into.append(buffer.data(), static_cast<std::size_t>(got));
        return true;
      }
      if (SSL_get_error(ssl_.get(), got) == SSL_ERROR_ZERO_RETURN) return false;
      PARLEY_TRY_VOID(wait_after(got, deadline));
    }
  }

  core::Result<void> write_all(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      const int chunk = static_cast<int>(std::min<std::size_t>(bytes.size(), kReadBytes));
      const int sent = SSL_write(ssl_.get(), bytes.data(), chunk);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
        continue;
      }
      auto again = wait_after(sent, deadline);
      if (!again) return again;
    }
    return {};
  }

  void finish_writing() override { SSL_shutdown(ssl_.get()); }

 private:
  core::Result<void> wait_after(int result, Deadline deadline) {
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ) return wait_for(fd_.get(), POLLIN, deadline);
    if (error == SSL_ERROR_WANT_WRITE) return wait_for(fd_.get(), POLLOUT, deadline);
    std::array<char, 256> text{};
    ERR_error_string_n(ERR_get_error(), text.data(), text.size());
    return core::fail(core::Code::unavailable, "TLS failed: " + std::string(text.data()));
  }

  core::FileDescriptor fd_;
  std::unique_ptr<SSL_CTX, SslFree> context_;
  std::unique_ptr<SSL, SslFree> ssl_;
};

struct AddressesFree {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

core::Result<core::FileDescriptor> connect_to(const addrinfo& address, Deadline deadline) {
  core::FileDescriptor fd(socket(
      address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
  if (fd.get() < 0) return broken("socket", errno);
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return broken("no connection", errno);
    PARLEY_TRY_VOID(wait_for(fd.get(), POLLOUT, deadline));
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return broken("no connection", error);
  }
  return fd;
}

}  // namespace

Deadline in_ms(std::int64_t ms) { return std::chrono::steady_clock::now() + core::Millis(ms); }

core::Result<Target> Target::parse(std::string_view url) {
  Target target;
  const std::size_t scheme_end = url.find("://");
  const std::string_view scheme = url.substr(0, scheme_end);
  if (scheme_end == std::string_view::npos ||
      (scheme != "http" && scheme != "https" && scheme != "ws" && scheme != "wss")) {
    return core::fail(core::Code::invalid_argument,
                      "a target is written http://HOST:PORT, not '" + std::string(url) + "'");
  }
  target.secure = scheme == "https" || scheme == "wss";
  std::string_view rest = url.substr(scheme_end + 3);
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    target.prefix = rest.substr(slash);
    while (target.prefix.ends_with('/')) target.prefix.pop_back();
    rest = rest.substr(0, slash);
  }
  const std::size_t bracket = rest.rfind(']');
  const std::size_t colon = rest.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  target.host = rest.substr(0, has_port ? colon : rest.size());
  target.port = has_port ? std::string(rest.substr(colon + 1)) : (target.secure ? "443" : "80");
  if (target.host.starts_with('[')) target.host = target.host.substr(1, target.host.size() - 2);
  if (target.host.empty() || target.port.empty()) {
    return core::fail(core::Code::invalid_argument, "no host in '" + std::string(url) + "'");
  }
  return target;
}

std::string Target::authority() const {
  const bool bracketed = host.find(':') != std::string::npos;
  return (bracketed ? "[" + host + "]" : host) + ":" + port;
}

core::Result<std::unique_ptr<Channel>> Channel::connect(const Target& target, Deadline deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &list);
  const std::unique_ptr<addrinfo, AddressesFree> owner(list);
  if (error != 0) {
    return core::fail(core::Code::unavailable, target.host + ": " + gai_strerror(error));
  }
  core::Error last{core::Code::unavailable, "no address", ""};
  for (const addrinfo* address = list; address != nullptr; address = address->ai_next) {
    auto fd = connect_to(*address, deadline);
    if (!fd) {
      last = fd.error();
      continue;
    }
    if (target.secure) return TlsChannel::start(std::move(*fd), target.host, deadline);
    return std::unique_ptr<Channel>(std::make_unique<PlainChannel>(std::move(*fd)));
  }
  return core::fail(last);
}

}  // namespace parley::conformance
