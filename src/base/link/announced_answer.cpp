// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/announced_answer.h"

#include <functional>
#include <memory>
#include <utility>

namespace parley::link {
namespace {

// An answer that waits for the other nodes.
class Waiting {
 public:
  Waiting(net::Responder inner, net::Response answer)
      : inner_(std::move(inner)), answer_(std::move(answer)) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { send(); }

  void send() {
    if (!std::exchange(is_sent_, true)) inner_.send(std::move(answer_));
  }

 private:
  net::Responder inner_;
  net::Response answer_;
  bool is_sent_ = false;
};

// The body of another node's answer, which nobody reads.
class NoBody final : public net::BodyWriter {
 public:
  void write(std::string_view /*bytes*/) override {}
  void end() override {}
  bool open() const override { return true; }
  std::size_t queued() const override { return 0; }
  void on_disconnect(core::Task /*task*/) override {}
};

// The answer of another node, or why there is none: either ends one wait.
class Told final : public net::Responder::Impl {
 public:
  Told(core::Scheduler& scheduler, std::shared_ptr<Waiting> waiting)
      : scheduler_(scheduler), waiting_(std::move(waiting)) {}

  void send(net::Response /*response*/) override { waiting_.reset(); }
  std::shared_ptr<net::BodyWriter> start(net::Response /*head*/) override {
    waiting_.reset();
    return std::make_shared<NoBody>();
  }
  void on_disconnect(core::Task /*task*/) override {}
  core::Scheduler& scheduler() override { return scheduler_; }

 private:
  core::Scheduler& scheduler_;
  std::shared_ptr<Waiting> waiting_;
};

net::Request word_to(const LinkTarget& node) {
  net::Request request;
  request.id = "link-changes";
  request.method = "POST";
  request.target = request.path = std::string(kChangesPath);
  request.peer = node.at.host;
  request.headers.add("Host", node.at.to_string());
  request.headers.add("Content-Length", "0");
  return request;
}

class Announced final : public net::Responder::Impl {
 public:
  Announced(net::Responder inner, std::vector<LinkTarget> others,
            std::weak_ptr<RequestForwarder> requests)
      : inner_(std::move(inner)), others_(std::move(others)), requests_(std::move(requests)) {}

  // The last of those that are told sends the answer, by its end.
  void send(net::Response response) override {
    const std::shared_ptr<RequestForwarder> requests = requests_.lock();
    const bool is_error = response.status >= 400;
    if (requests == nullptr || is_error) return inner_.send(std::move(response));
    core::Scheduler& scheduler = inner_.scheduler();
    const auto waiting = std::make_shared<Waiting>(std::move(inner_), std::move(response));
    scheduler.after(kAnnounceWait, [late = std::weak_ptr<Waiting>(waiting)] {
      if (const auto live = late.lock()) live->send();
    });
    for (const LinkTarget& node : others_) {
      requests->forward(node, 1, word_to(node),
                        net::Responder(std::make_unique<Told>(scheduler, waiting)));
    }
  }
  std::shared_ptr<net::BodyWriter> start(net::Response head) override {
    return inner_.start(std::move(head));
  }
  void on_disconnect(core::Task task) override { inner_.on_disconnect(std::move(task)); }
  core::Scheduler& scheduler() override { return inner_.scheduler(); }

 private:
  net::Responder inner_;
  const std::vector<LinkTarget> others_;
  const std::weak_ptr<RequestForwarder> requests_;
};

}  // namespace

net::Responder announced(net::Responder inner, const Others& others,
                         std::weak_ptr<RequestForwarder> requests) {
  std::vector<LinkTarget> told = others();
  if (told.empty()) return inner;
  return net::Responder(
      std::make_unique<Announced>(std::move(inner), std::move(told), std::move(requests)));
}

}  // namespace parley::link
