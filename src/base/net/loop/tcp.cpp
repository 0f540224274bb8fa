// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/tcp.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "base/core/assert.h"
#include "base/core/file_descriptor.h"
#include "base/core/result.h"
#include "base/net/loop/tcp_stream.h"

namespace parley::net {

// The ports of this network, with the number of listeners of each; shared by all its listeners.
// SO_REUSEPORT lets all processes of a user share a port; this map distinguishes this network's
// listeners from those of other programs.
class SystemNetwork::Ports {
 public:
  explicit Ports(AcceptCall accept_call) : accept(std::move(accept_call)) {}

  bool has(std::uint16_t port) {
    const std::scoped_lock lock(mutex_);
    return listeners_.contains(port);
  }
  void add(std::uint16_t port) {
    const std::scoped_lock lock(mutex_);
    ++listeners_[port];
  }
  void remove(std::uint16_t port) {
    const std::scoped_lock lock(mutex_);
    const auto found = listeners_.find(port);
    PARLEY_ASSERT(found != listeners_.end() && found->second > 0,
                  "network: more listeners leave port " + std::to_string(port) + " than it has");
    if (--found->second == 0) listeners_.erase(found);
  }

  // The number of pauses in accepting caused by a lack of descriptors or memory.
  std::atomic<std::uint64_t> accept_pauses{0};
  const AcceptCall accept;

 private:
  std::mutex mutex_;
  std::map<std::uint16_t, int> listeners_;
};

namespace {

constexpr int kBacklog = 4'096;
constexpr int kAcceptsPerTurn = 64;
// Limit (Streams): pause of accepting when descriptors or memory are missing. Reached: counted in
// `parley_accept_pauses`, logged once.
constexpr core::Millis kAcceptPause{100};

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

core::Result<Address> resolve(const Endpoint& at, bool passive) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0);
  const std::string host = at.host == "localhost" ? "127.0.0.1" : at.host;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(at.port).c_str(), &hints, &found);
  if (failed != 0 || found == nullptr) {
    return core::fail(
        core::Code::invalid_argument,
        "No IP address was found for \"" + at.host + "\": " + gai_strerror(failed) + ".", "listen");
  }
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  freeaddrinfo(found);
  return address;
}

std::string host_of(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* raw = nullptr;
  if (address.family() == AF_INET) {
    raw = &reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr;
  } else {
    raw = &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr;
  }
  if (inet_ntop(address.family(), raw, text.data(), text.size()) == nullptr) return "unknown";
  const std::string_view host = text.data();
  constexpr std::string_view kMapped = "::ffff:";
  if (host.starts_with(kMapped) && host.find('.') != std::string_view::npos) {
    return std::string(host.substr(kMapped.size()));
  }
  return std::string(host);
}

std::uint16_t port_of(const Address& address) {
  if (address.family() == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
}

void set_option(int fd, int level, int name, int value) {
  // The result is ignored: without an option only speed is lost.
  ::setsockopt(fd, level, name, &value, sizeof(value));
}

core::Error listen_error(const Endpoint& at, int error) {
  const std::string where = at.to_string();
  if (error == EADDRINUSE) {
    return {core::Code::failed_precondition,
            "Another program listens on " + where + " already; choose another port.", "listen"};
  }
  if (error == EACCES || error == EPERM) {
    return {core::Code::permission_denied,
            "This user may not listen on " + where + "; choose a port above 1023.", "listen"};
  }
  return {core::Code::invalid_argument,
          "Cannot listen on " + where + ": " + std::generic_category().message(error) + ".",
          "listen"};
}

// A listening socket on its loop. Shared by the Listener, which any thread may hold, and by the
// tasks that add it to the loop and remove it.
class Acceptor final : public FdHandler, public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(Loop& loop, core::FileDescriptor socket, AcceptHandler accept,
           std::shared_ptr<SystemNetwork::Ports> ports)
      : loop_(loop),
        socket_(std::move(socket)),
        accept_(std::move(accept)),
        ports_(std::move(ports)) {}

  void open() {
    if (closed_) return;
    PARLEY_ASSERT(!watched_ && pause_ == 0, "listener (descriptor " +
                                                std::to_string(socket_.get()) +
                                                "): opened twice, or during a pause");
    watched_ = loop_.add(socket_.get(), EPOLLIN, *this);
    if (!watched_) pause(errno);
  }

  void close() {
    closed_ = true;
    loop_.cancel(std::exchange(pause_, 0));
    if (std::exchange(watched_, false)) loop_.remove(socket_.get(), *this);
    socket_.reset();
  }

  Loop& loop() { return loop_; }

 private:
  void on_ready(std::uint32_t /*events*/) override {
    const auto keep = shared_from_this();
    for (int i = 0; i < kAcceptsPerTurn && !closed_; ++i) {
      if (!accept_one()) return;
    }
  }

  bool accept_one() {
    Address from;
    const int fd =
        ports_->accept(socket_.get(), from.get(), &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      const int error = errno;
      if (is_shortage(error)) pause(error);
      return error == ECONNABORTED || error == EINTR;
    }
    short_of_ = 0;
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    accept_(std::make_unique<TcpStream>(loop_, fd, host_of(from)));
    return true;
  }

  static bool is_shortage(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM ||
           error == ENOSPC;
  }

  // Each shortage is logged once.
  void pause(int error) {
    PARLEY_ASSERT(pause_ == 0, "listener (descriptor " + std::to_string(socket_.get()) +
                                   "): pauses while it pauses");
    ports_->accept_pauses.fetch_add(1, std::memory_order_relaxed);
    if (std::exchange(short_of_, error) != error) {
      spdlog::warn("accepting connections is paused: {}", std::generic_category().message(error));
    }
    if (std::exchange(watched_, false)) loop_.remove(socket_.get(), *this);
    pause_ = loop_.after(kAcceptPause, [this] {
      pause_ = 0;
      open();
    });
  }

  Loop& loop_;
  core::FileDescriptor socket_;
  AcceptHandler accept_;
  std::shared_ptr<SystemNetwork::Ports> ports_;
  core::TimerId pause_ = 0;
  int short_of_ = 0;  // the errno of the present shortage
  bool watched_ = false;
  bool closed_ = false;
};

class TcpListener final : public Listener {
 public:
  TcpListener(std::shared_ptr<Acceptor> acceptor, Endpoint endpoint,
              std::shared_ptr<SystemNetwork::Ports> ports)
      : acceptor_(std::move(acceptor)), endpoint_(std::move(endpoint)), ports_(std::move(ports)) {
    ports_->add(endpoint_.port);
    if (acceptor_->loop().in_thread()) {
      acceptor_->open();
    } else {
      acceptor_->loop().post([acceptor = acceptor_] { acceptor->open(); });
    }
  }
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;
  ~TcpListener() override {
    ports_->remove(endpoint_.port);
    if (acceptor_->loop().in_thread()) {
      acceptor_->close();
    } else {
      acceptor_->loop().post([acceptor = acceptor_] { acceptor->close(); });
    }
  }
  Endpoint endpoint() const override { return endpoint_; }

 private:
  std::shared_ptr<Acceptor> acceptor_;
  Endpoint endpoint_;
  std::shared_ptr<SystemNetwork::Ports> ports_;
};

core::FileDescriptor new_socket(int family) {
  return core::FileDescriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Binds the address without SO_REUSEPORT, to detect another program that uses it. Returns 0 or an
// errno.
int probe(Address& address) {
  const core::FileDescriptor socket = new_socket(address.family());
  if (socket.get() < 0) return errno;
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  return ::bind(socket.get(), address.get(), address.size) == 0 ? 0 : errno;
}

using ConnectDone = absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)>;

// A connection attempt. Owned by its time-out timer.
class Connector final : public FdHandler, public std::enable_shared_from_this<Connector> {
 public:
  Connector(Loop& loop, core::FileDescriptor socket, Endpoint to, ConnectDone done)
      : loop_(loop), socket_(std::move(socket)), to_(std::move(to)), done_(std::move(done)) {}

  void start() {
    watched_ = loop_.add(socket_.get(), EPOLLOUT, *this);
    if (!watched_) {
      loop_.post([self = shared_from_this(), error = errno] { self->finish(error); });
      return;
    }
    timer_ = loop_.after(SystemNetwork::kConnectTimeout, [self = shared_from_this()] {
      self->timer_ = 0;
      self->finish(ETIMEDOUT);
    });
  }

 private:
  void on_ready(std::uint32_t /*events*/) override {
    int error = 0;
    socklen_t size = sizeof(error);
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    finish(error);
  }

  void finish(int error) {
    const auto keep = shared_from_this();
    PARLEY_ASSERT(!std::exchange(finished_, true),
                  "connection to " + to_.to_string() + ": answered twice");
    if (watched_) loop_.remove(socket_.get(), *this);
    loop_.cancel(std::exchange(timer_, 0));
    if (error != 0) {
      done_(core::fail(core::Code::unavailable, "Cannot reach " + to_.to_string() + ": " +
                                                    std::generic_category().message(error) + "."));
      return;
    }
    done_(std::make_unique<TcpStream>(loop_, socket_.release(), to_.host));
  }

  Loop& loop_;
  core::FileDescriptor socket_;
  Endpoint to_;
  ConnectDone done_;
  core::TimerId timer_ = 0;
  bool watched_ = false;
  bool finished_ = false;  // `done_` was called
};

void start_connect(Loop& loop, const Endpoint& to, ConnectDone done) {
  core::Result<Address> address = resolve(to, false);
  if (!address) {
    loop.post([done = std::move(done), error = address.error()]() mutable {
      error.code = core::Code::unavailable;
      done(core::fail(std::move(error)));
    });
    return;
  }
  core::FileDescriptor socket = new_socket(address->family());
  int error = socket.get() < 0 ? errno : 0;
  if (error == 0) {
    set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    if (::connect(socket.get(), address->get(), address->size) != 0) error = errno;
  }
  if (error != 0 && error != EINPROGRESS) {
    loop.post([done = std::move(done), to, error]() mutable {
      done(core::fail(core::Code::unavailable, "Cannot reach " + to.to_string() + ": " +
                                                   std::generic_category().message(error) + "."));
    });
    return;
  }
  std::make_shared<Connector>(loop, std::move(socket), to, std::move(done))->start();
}

}  // namespace

core::Result<Endpoint> resolved(const Endpoint& at) {
  PARLEY_TRY(const Address address, resolve(at, false));
  return Endpoint{host_of(address), at.port};
}

SystemNetwork::SystemNetwork() : SystemNetwork(::accept4) {}

SystemNetwork::SystemNetwork(AcceptCall accept)
    : ports_(std::make_shared<Ports>(std::move(accept))) {}

SystemNetwork::~SystemNetwork() = default;

std::uint64_t SystemNetwork::accept_pauses() const { return ports_->accept_pauses.load(); }

core::Result<std::unique_ptr<Listener>> SystemNetwork::listen(core::Scheduler& scheduler,
                                                              const Endpoint& at,
                                                              AcceptHandler accept) {
  auto& loop = dynamic_cast<Loop&>(scheduler);
  PARLEY_TRY(Address address, resolve(at, true));
  if (at.port != 0 && !ports_->has(at.port)) {
    const int error = probe(address);
    if (error != 0) return core::fail(listen_error(at, error));
  }
  core::FileDescriptor socket = new_socket(address.family());
  if (socket.get() < 0) return core::fail(listen_error(at, errno));
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  set_option(socket.get(), SOL_SOCKET, SO_REUSEPORT, 1);
  if (::bind(socket.get(), address.get(), address.size) != 0 ||
      ::listen(socket.get(), kBacklog) != 0 ||
      ::getsockname(socket.get(), address.get(), &address.size) != 0) {
    return core::fail(listen_error(at, errno));
  }
  Endpoint real{at.host, port_of(address)};
  auto acceptor = std::make_shared<Acceptor>(loop, std::move(socket), std::move(accept), ports_);
  return std::make_unique<TcpListener>(std::move(acceptor), std::move(real), ports_);
}

void SystemNetwork::connect(core::Scheduler& scheduler, const Endpoint& to,
                            absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) {
  auto& loop = dynamic_cast<Loop&>(scheduler);
  if (loop.in_thread()) {
    start_connect(loop, to, std::move(done));
    return;
  }
  loop.post(
      [&loop, to, done = std::move(done)]() mutable { start_connect(loop, to, std::move(done)); });
}

}  // namespace parley::net
