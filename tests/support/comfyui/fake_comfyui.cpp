// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/fake_comfyui.h"

#include <pthread.h>

#include <csignal>
#include <future>
#include <thread>
#include <utility>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/net/http/metrics.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "base/net/server/server.h"
#include "tests/support/comfyui/fake_server.h"

namespace parley::fake_comfyui {
namespace {

constexpr std::uint64_t kFixedSeed = 8'188;
constexpr core::Millis kDrainPatience{20};

net::ServerOptions server_options(const FakeOptions& options) {
  net::ServerOptions out;
  // All callers are unknown, and its answers as large as those of the real server.
  out.max_assembling_bytes_unknown = out.max_assembling_bytes;
  out.max_body_bytes = options.max_body_bytes;
  out.max_queue_bytes = 64U << 20U;
  out.max_connections = 1'000;
  out.log_requests = false;
  if (options.any_origin) out.allowed_origins = {"*"};
  return out;
}

}  // namespace

// The loop and all objects on it.
class FakeComfyUi::Thread {
 public:
  explicit Thread(const FakeOptions& options)
      : loop_(clock_),
        entropy_(options.deterministic ? std::unique_ptr<core::Entropy>(
                                             std::make_unique<core::SeededEntropy>(kFixedSeed))
                                       : std::make_unique<core::SystemEntropy>()),
        fake_(loop_, *entropy_, options) {
    net::Router router;
    fake_.add_routes(router);
    server_ = std::make_unique<net::Server>(network_, std::move(router), server_options(options),
                                            metrics_, system_entropy_);
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread() {
    if (!thread_.joinable()) return;
    loop_.post([this] { server_->drain(loop_, kDrainPatience, [this] { loop_.stop(); }); });
    thread_.join();
  }

  core::Result<void> start(std::uint16_t port) {
    PARLEY_TRY(auto endpoint, server_->listen({&loop_}, {"127.0.0.1", port}));
    port_ = endpoint.port;
    // The new thread inherits a mask that blocks all signals: other threads handle them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { loop_.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return {};
  }

  std::uint16_t port() const { return port_; }

  // Runs `task` on the loop and waits for it.
  template <typename Task>
  void run(Task task) {
    std::promise<void> done;
    loop_.post([this, &task, &done] {
      task(fake_);
      done.set_value();
    });
    done.get_future().wait();
  }

 private:
  core::SystemClock clock_;
  core::SystemEntropy system_entropy_;
  net::Loop loop_;
  net::SystemNetwork network_;
  net::Metrics metrics_;
  std::unique_ptr<core::Entropy> entropy_;
  FakeServer fake_;
  std::unique_ptr<net::Server> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

FakeComfyUi::FakeComfyUi(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
FakeComfyUi::~FakeComfyUi() = default;

core::Result<std::unique_ptr<FakeComfyUi>> FakeComfyUi::start(FakeOptions options) {
  auto thread = std::make_unique<Thread>(options);
  PARLEY_TRY_VOID(thread->start(options.port));
  return std::unique_ptr<FakeComfyUi>(new FakeComfyUi(std::move(thread)));
}

std::string FakeComfyUi::url() const {
  return "http://127.0.0.1:" + std::to_string(thread_->port());
}

void FakeComfyUi::inject(Fault fault) {
  thread_->run([&](FakeServer& server) { server.inject(std::move(fault)); });
}

std::size_t FakeComfyUi::sockets() const {
  std::size_t count = 0;
  thread_->run([&](FakeServer& server) { count = server.sockets(); });
  return count;
}

}  // namespace parley::fake_comfyui
