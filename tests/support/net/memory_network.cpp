// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/net/memory_network.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/core/assert.h"
#include "base/net/loop/assembly_budget.h"

namespace parley::net {
namespace {

constexpr std::uint16_t kFirstFreePort = 40'000;

class MemoryStream;

// One connection: its two ends, and the bytes in transit to each. `stream` is null once that end is
// destroyed.
struct Pipe {
  struct End {
    MemoryStream* stream = nullptr;
    std::string arriving;       // bytes in transit to this end
    bool end_arriving = false;  // the other end will send no more
    bool end_delivered = false;
    bool closed_arriving = false;  // the connection is gone
  };
  std::array<End, 2> ends;
};

class AcceptPoint {
 public:
  AcceptPoint(core::Scheduler& scheduler, AcceptHandler accept)
      : scheduler_(scheduler), accept_(std::move(accept)) {}
  core::Scheduler& scheduler() { return scheduler_; }
  void accept(std::unique_ptr<Stream> stream) {
    if (open_) accept_(std::move(stream));
  }
  void close() { open_ = false; }

 private:
  core::Scheduler& scheduler_;
  AcceptHandler accept_;
  bool open_ = true;
};

}  // namespace

struct MemoryNetwork::Shared {
  explicit Shared(MemoryNetworkOptions of) : options(std::move(of)), entropy(options.seed) {}

  std::size_t piece(std::size_t available) {
    if (options.max_piece == 0) return available;
    return std::min(available,
                    1 + static_cast<std::size_t>(entropy.next_u64()) % options.max_piece);
  }

  MemoryNetworkOptions options;
  core::SeededEntropy entropy;
  std::map<std::uint16_t, std::vector<std::shared_ptr<AcceptPoint>>> ports;
  std::uint16_t next_port = kFirstFreePort;
  std::size_t next_turn = 0;
  std::vector<std::weak_ptr<Pipe>> pipes;
};

namespace {

using SharedNetwork = std::shared_ptr<MemoryNetwork::Shared>;

class MemoryStream final : public Stream {
 public:
  MemoryStream(SharedNetwork network, std::shared_ptr<Pipe> pipe, std::size_t side,
               core::Scheduler& scheduler)
      : network_(std::move(network)),
        pipe_(std::move(pipe)),
        side_(side),
        scheduler_(&scheduler),
        peer_(network_->options.peer) {
    own().stream = this;
  }
  ~MemoryStream() override {
    scheduler_->cancel(linger_);
    own().stream = nullptr;
    own().arriving.clear();
    send_end();
  }

  void set_handler(StreamHandler* handler) override { handler_ = handler; }
  void write(std::string_view bytes) override {
    if (bytes.empty() || finishing_ || lost_) return;
    queue_.append(bytes);
    if (queue_.size() > kHighWatermark) above_high_ = true;
    want_step();
  }
  void write_shared(const SharedBytes& bytes) override { write(bytes.view()); }
  std::size_t queued() const override { return queue_.size(); }
  void finish() override {
    if (finishing_ || lost_) return;
    finishing_ = true;
    want_step();
  }
  void pause_reading(bool pause) override {
    paused_ = pause;
    if (!pause) want_step();
  }
  void move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) override {
    PARLEY_ASSERT(!moving_, "memory stream: moved again before it has landed");
    scheduler_->cancel(std::exchange(linger_, 0));
    scheduler_ = &target;
    moving_ = true;
    // A step posted to the old scheduler finds a new generation and does nothing.
    ++generation_;
    step_asked_ = false;
    post([arrived = std::move(arrived)](MemoryStream& stream) mutable {
      PARLEY_ASSERT(stream.moving_ && !stream.step_asked_,
                    "memory stream: lands twice, or after it was read on its way");
      stream.moving_ = false;
      stream.want_step();
      if (arrived) arrived();
    });
  }
  core::Scheduler& scheduler() override { return *scheduler_; }
  const std::string& peer() const override { return peer_; }
  void set_peer(std::string address) override { peer_ = std::move(address); }
  bool secure() const override { return false; }
  void count_to(AssemblyBudget& budget, std::string_view account) override {
    if (!memory_.count_to(budget, account, peer())) exceed();
  }
  bool hold(std::size_t bytes) override {
    if (memory_.hold_above(bytes, peer())) return true;
    exceed();
    return false;
  }

  void want_step() {
    if (step_asked_ || moving_ || lost_) return;
    step_asked_ = true;
    post([](MemoryStream& stream) { stream.step(); });
  }

 private:
  void exceed() {
    over_budget_ = true;
    want_step();
  }
  Pipe::End& own() { return pipe_->ends[side_]; }
  Pipe::End& other() { return pipe_->ends[1 - side_]; }

  template <typename Action>
  void post(Action action) {
    scheduler_->post([pipe = pipe_, side = side_, generation = generation_,
                      action = std::move(action)]() mutable {
      MemoryStream* const stream = pipe->ends[side].stream;
      if (stream != nullptr && stream->generation_ == generation) action(*stream);
    });
  }

  // Delivers one event at a time, as epoll does; each handler call is the last act of a step.
  void step() {
    step_asked_ = false;
    push();
    if (!memory_.hold_unsent(queue_.size(), 0, peer())) over_budget_ = true;
    if (own().closed_arriving || over_budget_) {
      lost();
      return;
    }
    if (above_high_ && queue_.size() <= kLowWatermark) {
      above_high_ = false;
      want_step();
      if (handler_ != nullptr) handler_->on_drained(*this);
      return;
    }
    if (!own().arriving.empty() && !paused_) {
      deliver();
      return;
    }
    if (own().end_arriving && own().arriving.empty() && !own().end_delivered && !paused_) {
      own().end_delivered = true;
      if (end_if_finished()) return;
      if (handler_ != nullptr) handler_->on_end(*this);
      return;
    }
    end_if_finished();
  }

  void push() {
    if (other().stream == nullptr) {
      // The peer's socket is closed: writing to it resets the connection.
      if (!queue_.empty()) own().closed_arriving = true;
      queue_.clear();
    } else if (!queue_.empty()) {
      const std::size_t on_the_way = other().arriving.size();
      const std::size_t room =
          network_->options.pipe_bytes - std::min(on_the_way, network_->options.pipe_bytes);
      const std::size_t count = std::min(room, queue_.size());
      other().arriving.append(queue_, 0, count);
      queue_.erase(0, count);
      if (count > 0) other().stream->want_step();
    }
    if (finishing_ && queue_.empty()) send_end();
  }

  void deliver() {
    std::string& arriving = own().arriving;
    const std::size_t size = network_->piece(arriving.size());
    PARLEY_ASSERT(size > 0 && size <= arriving.size(), "memory stream: delivers " +
                                                           std::to_string(size) + " bytes of " +
                                                           std::to_string(arriving.size()));
    // Allocated with the exact size, so that a sanitizer detects accesses beyond the padding.
    auto buffer = std::make_unique<char[]>(size + kReadPadding);
    std::memcpy(buffer.get(), arriving.data(), size);
    arriving.erase(0, size);
    if (!arriving.empty() || own().end_arriving) want_step();
    if (other().stream != nullptr) other().stream->want_step();
    if (handler_ != nullptr) handler_->on_data(*this, buffer.get(), size);
  }

  void send_end() {
    if (other().end_arriving) return;
    other().end_arriving = true;
    if (other().stream != nullptr) other().stream->want_step();
  }

  bool end_if_finished() {
    if (!finishing_ || !queue_.empty()) return false;
    if (own().end_delivered) {
      lost();
      return true;
    }
    if (linger_ == 0) {
      linger_ = scheduler_->after(kLingerTime, [this] {
        linger_ = 0;
        lost();
      });
    }
    return false;
  }

  void lost() {
    if (lost_) return;
    lost_ = true;
    scheduler_->cancel(std::exchange(linger_, 0));
    queue_.clear();
    memory_.end();
    own().stream = nullptr;
    send_end();
    if (handler_ != nullptr) handler_->on_closed(*this);
  }

  SharedNetwork network_;
  std::shared_ptr<Pipe> pipe_;
  std::size_t side_;
  core::Scheduler* scheduler_;
  std::string peer_;
  StreamHandler* handler_ = nullptr;
  std::string queue_;
  HeldMemory memory_;
  core::TimerId linger_ = 0;
  std::uint64_t generation_ = 0;
  bool step_asked_ = false;
  bool paused_ = false;
  bool finishing_ = false;
  bool moving_ = false;
  bool above_high_ = false;
  bool lost_ = false;
  bool over_budget_ = false;
};

class MemoryListener final : public Listener {
 public:
  MemoryListener(SharedNetwork network, std::shared_ptr<AcceptPoint> point, Endpoint endpoint)
      : network_(std::move(network)), point_(std::move(point)), endpoint_(std::move(endpoint)) {}
  MemoryListener(const MemoryListener&) = delete;
  MemoryListener& operator=(const MemoryListener&) = delete;
  ~MemoryListener() override {
    point_->close();
    auto& points = network_->ports[endpoint_.port];
    std::erase(points, point_);
    if (points.empty()) network_->ports.erase(endpoint_.port);
  }
  Endpoint endpoint() const override { return endpoint_; }

 private:
  SharedNetwork network_;
  std::shared_ptr<AcceptPoint> point_;
  Endpoint endpoint_;
};

MemoryNetwork::Pair new_pair(const SharedNetwork& network, core::Scheduler& first,
                             core::Scheduler& second) {
  auto pipe = std::make_shared<Pipe>();
  std::erase_if(network->pipes, [](const auto& old) { return old.expired(); });
  network->pipes.push_back(pipe);
  return {std::make_unique<MemoryStream>(network, pipe, 0, first),
          std::make_unique<MemoryStream>(network, pipe, 1, second)};
}

}  // namespace

MemoryNetwork::MemoryNetwork(MemoryNetworkOptions options)
    : shared_(std::make_shared<Shared>(std::move(options))) {}

MemoryNetwork::~MemoryNetwork() = default;

core::Result<std::unique_ptr<Listener>> MemoryNetwork::listen(core::Scheduler& scheduler,
                                                              const Endpoint& at,
                                                              AcceptHandler accept) {
  Endpoint real = at;
  if (real.port == 0) real.port = shared_->next_port++;
  auto point = std::make_shared<AcceptPoint>(scheduler, std::move(accept));
  shared_->ports[real.port].push_back(point);
  return std::make_unique<MemoryListener>(shared_, std::move(point), std::move(real));
}

void MemoryNetwork::connect(core::Scheduler& scheduler, const Endpoint& to,
                            absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) {
  const auto found = shared_->ports.find(to.port);
  if (found == shared_->ports.end()) {
    scheduler.post([done = std::move(done), where = to.to_string()]() mutable {
      done(
          core::fail(core::Code::unavailable, "Cannot reach " + where + ": nobody listens there."));
    });
    return;
  }
  const std::shared_ptr<AcceptPoint> point =
      found->second[shared_->next_turn++ % found->second.size()];
  Pair pair = new_pair(shared_, scheduler, point->scheduler());
  point->scheduler().post(
      [point, stream = std::move(pair.second)]() mutable { point->accept(std::move(stream)); });
  scheduler.post([done = std::move(done), stream = std::move(pair.first)]() mutable {
    done(std::move(stream));
  });
}

MemoryNetwork::Pair MemoryNetwork::make_pair(core::Scheduler& first, core::Scheduler& second) {
  return new_pair(shared_, first, second);
}

void MemoryNetwork::cut_all() {
  for (const auto& weak : shared_->pipes) {
    const std::shared_ptr<Pipe> pipe = weak.lock();
    if (!pipe) continue;
    for (Pipe::End& end : pipe->ends) {
      end.closed_arriving = true;
      end.arriving.clear();
      if (end.stream != nullptr) end.stream->want_step();
    }
  }
}

}  // namespace parley::net
