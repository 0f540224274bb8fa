// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/event_socket.h"

#include <netdb.h>
#include <pthread.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "base/core/ask.h"
#include "base/core/worker.h"
#include "base/net/http/origin_policy.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "base/net/loop/tls.h"
#include "base/net/websocket/websocket_client.h"

namespace parley::comfyui {
namespace {

struct SocketOpened {};
struct SocketMessage {
  net::MessageType type;
  std::string bytes;
};
using SocketItem = std::variant<SocketOpened, SocketMessage, core::Error>;

// The queue from the sockets' thread to a home.
class SocketPipe : public std::enable_shared_from_this<SocketPipe> {
 public:
  SocketPipe(EventSocketHandler& handler, core::Scheduler& home) : handler_(handler), home_(home) {}

  // Sockets' thread. True if the queue is full; the `drained` task is posted once it is not.
  bool put(SocketItem item) {
    const std::scoped_lock lock(mutex_);
    if (closed_) return false;
    if (const auto* message = std::get_if<SocketMessage>(&item)) bytes_ += message->bytes.size();
    items_.push_back(std::move(item));
    if (!std::exchange(asked_, true)) {
      home_.post([self = shared_from_this()] { self->deliver(); });
    }
    full_ = full_ || bytes_ > SocketThread::kHeldBytes;
    return full_;
  }
  void on_drained(core::Task drained) { drained_ = std::move(drained); }

  // Home's thread: the handler is not called after this.
  void close() {
    std::deque<SocketItem> dropped;
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    items_.swap(dropped);
  }

 private:
  std::optional<SocketItem> take() {
    const std::scoped_lock lock(mutex_);
    if (items_.empty() || closed_) {
      asked_ = false;
      return std::nullopt;
    }
    SocketItem item = std::move(items_.front());
    items_.pop_front();
    if (const auto* message = std::get_if<SocketMessage>(&item)) bytes_ -= message->bytes.size();
    return item;
  }

  void deliver() {
    while (auto item = take()) {
      if (auto* message = std::get_if<SocketMessage>(&*item)) {
        handler_.on_socket_message(message->type, std::move(message->bytes));
      } else if (const auto* error = std::get_if<core::Error>(&*item)) {
        close();
        handler_.on_socket_end(*error);
        return;
      } else {
        handler_.on_socket_open();
      }
    }
    const std::scoped_lock lock(mutex_);
    if (!closed_ && std::exchange(full_, false) && drained_) drained_();
  }

  EventSocketHandler& handler_;
  core::Scheduler& home_;
  core::Task drained_;  // set before the first put(); only posts

  std::mutex mutex_;  // guards the members below
  std::deque<SocketItem> items_;
  std::size_t bytes_ = 0;
  bool asked_ = false;
  bool full_ = false;
  bool closed_ = false;
};

// TCP with name lookups on a separate thread, which may block.
class LookupNetwork final : public net::Network {
 public:
  using Done = absl::AnyInvocable<void(core::Result<std::unique_ptr<net::Stream>>)>;

  LookupNetwork(net::Network& inner, core::Worker& worker) : inner_(inner), worker_(worker) {}

  core::Result<std::unique_ptr<net::Listener>> listen(core::Scheduler& scheduler,
                                                      const net::Endpoint& at,
                                                      net::AcceptHandler accept) override {
    return inner_.listen(scheduler, at, std::move(accept));
  }

  void connect(core::Scheduler& scheduler, const net::Endpoint& to, Done done) override {
    if (net::is_ip_literal(to.host)) return inner_.connect(scheduler, to, std::move(done));
    worker_.post([this, &scheduler, to, done = std::move(done)]() mutable {
      auto addresses = look_up(to.host);
      scheduler.post([this, &scheduler, to, addresses = std::move(addresses),
                      done = std::move(done)]() mutable {
        try_next(scheduler, to, std::move(addresses), std::move(done));
      });
    });
  }

 private:
  using Addresses = std::deque<std::string>;

  // A name may have several addresses, and the server may listen on only one of them.
  void try_next(core::Scheduler& scheduler, const net::Endpoint& to, Addresses left, Done done) {
    if (left.empty()) {
      return done(core::fail(core::Code::unavailable, "The name " + to.host + " is not known."));
    }
    const net::Endpoint next{left.front(), to.port};
    left.pop_front();
    inner_.connect(scheduler, next,
                   [this, &scheduler, to, left = std::move(left), done = std::move(done)](
                       core::Result<std::unique_ptr<net::Stream>> stream) mutable {
                     if (stream || left.empty()) return done(std::move(stream));
                     try_next(scheduler, to, std::move(left), std::move(done));
                   });
  }

  static Addresses look_up(const std::string& host) {
    constexpr std::size_t kMaxAddresses = 8;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
    Addresses out;
    for (const addrinfo* one = found; one != nullptr && out.size() < kMaxAddresses;
         one = one->ai_next) {
      std::array<char, NI_MAXHOST> text{};
      if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0,
                        NI_NUMERICHOST) == 0) {
        out.emplace_back(text.data());
      }
    }
    ::freeaddrinfo(found);
    return out;
  }

  net::Network& inner_;
  core::Worker& worker_;
};

}  // namespace

// Everything but post() and the constructor belongs to the loop's thread.
class SocketThread::Core {
 public:
  using Id = std::uint64_t;

  Core(const core::Clock& clock, core::Entropy& entropy)
      : clock_(clock), entropy_(entropy), loop_(clock), lookup_(tcp_, worker()) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { loop_.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core() = default;

  void stop() {
    worker_->stop();
    loop_.post([this] {
      connections_.clear();
      loop_.stop();
    });
    thread_.join();
  }

  Id begin(SocketRequest request, std::shared_ptr<SocketPipe> pipe,
           const std::weak_ptr<Core>& weak) {
    const Id id = new_id();
    pipe->on_drained(core::unless_gone(
        weak, [id](Core& self) { self.loop_.post([&self, id] { self.resume(id); }); }));
    loop_.post([this, id, request = std::move(request), pipe = std::move(pipe)]() mutable {
      start(id, std::move(request), std::move(pipe));
    });
    return id;
  }
  void end(Id id) {
    loop_.post([this, id] { connections_.erase(id); });
  }

 private:
  class Connection final : public net::WebSocketClientHandler {
   public:
    Connection(Core& core, Id id, std::shared_ptr<SocketPipe> pipe)
        : core_(core), id_(id), pipe_(std::move(pipe)) {}

    void connect(net::Network& network, const SocketRequest& request) {
      net::WebSocketClientOptions options;
      options.target = request.target;
      options.host = request.address.authority;
      options.handshake_timeout = request.handshake_timeout;
      options.max_message_bytes = request.max_message_bytes;
      if (!request.authorization.empty()) {
        options.headers.emplace_back("Authorization", request.authorization);
      }
      // Covers the name lookup and the connection, which precede the handshake's own time-out.
      timer_ = core_.loop_.after(request.handshake_timeout, [this] {
        timer_ = 0;
        dropped({core::Code::deadline_exceeded, "The WebSocket did not open in time."});
      });
      client_ = std::make_unique<net::WebSocketClient>(core_.entropy_, *this, std::move(options));
      client_->connect(network, core_.loop_, request.address.endpoint);
    }
    ~Connection() override { core_.loop_.cancel(timer_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void resume() {
      if (client_) client_->pause_reading(false);
    }

   private:
    void on_open(net::WebSocketClient& /*client*/) override {
      core_.loop_.cancel(std::exchange(timer_, 0));
      pipe_->put(SocketOpened{});
    }
    void on_message(net::WebSocketClient& client, net::MessageType type,
                    std::string_view data) override {
      if (pipe_->put(SocketMessage{type, std::string(data)})) client.pause_reading(true);
    }
    void on_close(net::WebSocketClient& /*client*/, std::uint16_t code,
                  std::string_view reason) override {
      dropped({core::Code::unavailable, "The WebSocket is closed (" + std::to_string(code) +
                                            (reason.empty() ? "" : ", ") + std::string(reason) +
                                            ")."});
    }
    void on_refused(net::WebSocketClient& /*client*/, const core::Error& error,
                    const net::Response& response) override {
      core::Code code = error.code;
      if (response.status == 401) code = core::Code::unauthenticated;
      if (response.status == 403) code = core::Code::permission_denied;
      dropped({code, "The WebSocket could not be opened: " + error.message});
    }
    void dropped(core::Error why) {
      pipe_->put(std::move(why));
      core_.end(id_);
    }

    Core& core_;
    const Id id_;
    const std::shared_ptr<SocketPipe> pipe_;
    std::unique_ptr<net::WebSocketClient> client_;
    core::TimerId timer_ = 0;
  };

  core::Worker& worker() {
    worker_ = std::make_unique<core::Worker>(clock_);
    return *worker_;
  }

  Id new_id() {
    const std::scoped_lock lock(mutex_);
    return ++last_id_;
  }

  void start(Id id, SocketRequest request, std::shared_ptr<SocketPipe> pipe) {
    auto network = network_of(request);
    if (!network) {
      pipe->put(std::move(network.error()));
      return;
    }
    auto connection = std::make_unique<Connection>(*this, id, std::move(pipe));
    Connection& created = *connection;
    connections_.emplace(id, std::move(connection));
    created.connect(**network, request);
  }

  core::Result<net::Network*> network_of(const SocketRequest& request) {
    if (!request.address.secure()) return &lookup_;
    auto& network = secure_[request.ca_file];
    if (!network) {
      auto context = net::TlsContext::client(request.ca_file);
      if (!context) {
        secure_.erase(request.ca_file);
        return core::fail(std::move(context.error()));
      }
      network = std::make_unique<net::TlsNetwork>(lookup_, nullptr, std::move(*context));
    }
    return network.get();
  }

  void resume(Id id) {
    const auto found = connections_.find(id);
    if (found != connections_.end()) found->second->resume();
  }

  const core::Clock& clock_;
  core::Entropy& entropy_;
  std::mutex mutex_;  // guards last_id_
  Id last_id_ = 0;
  net::Loop loop_;
  net::SystemNetwork tcp_;
  std::unique_ptr<core::Worker> worker_;
  LookupNetwork lookup_;
  std::map<std::string, std::unique_ptr<net::TlsNetwork>> secure_;  // by file of certificates
  std::map<Id, std::unique_ptr<Connection>> connections_;
  std::thread thread_;
};

namespace {

class OpenSocket final : public EventSocket {
 public:
  OpenSocket(std::function<void()> end, std::shared_ptr<SocketPipe> pipe)
      : end_(std::move(end)), pipe_(std::move(pipe)) {}
  ~OpenSocket() override {
    pipe_->close();
    end_();
  }

 private:
  std::function<void()> end_;
  std::shared_ptr<SocketPipe> pipe_;
};

}  // namespace

SocketThread::SocketThread(const core::Clock& clock, core::Entropy& entropy)
    : core_(std::make_shared<Core>(clock, entropy)) {}

SocketThread::~SocketThread() { core_->stop(); }

std::unique_ptr<EventSocket> SocketThread::open(SocketRequest request, EventSocketHandler& handler,
                                                core::Scheduler& home) {
  auto pipe = std::make_shared<SocketPipe>(handler, home);
  const std::weak_ptr<Core> weak = core_;
  const Core::Id id = core_->begin(std::move(request), pipe, weak);
  return std::make_unique<OpenSocket>(core::unless_gone(weak, [id](Core& self) { self.end(id); }),
                                      std::move(pipe));
}

}  // namespace parley::comfyui
