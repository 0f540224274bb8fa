// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_listener.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/core/assert.h"
#include "base/core/visible_text.h"
#include "base/link/cluster_certificate.h"
#include "base/link/preread_stream.h"

namespace parley::link {
namespace {

// Limit (Cluster): time between two log lines about refused connections of other nodes. Reached:
// counted, and named by the next line.
constexpr core::Millis kRefusalLogPause = std::chrono::minutes(1);
constexpr std::string_view kBusy = "This node has too many connections of other nodes.";

// Counts an open connection while it exists.
class OpenLink {
 public:
  explicit OpenLink(std::shared_ptr<LinkCounters> counters) : counters_(std::move(counters)) {
    counters_->open.fetch_add(1, std::memory_order_relaxed);
  }
  OpenLink(const OpenLink&) = delete;
  OpenLink& operator=(const OpenLink&) = delete;
  ~OpenLink() { counters_->open.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::shared_ptr<LinkCounters> counters_;
};

LinkAnswer refused_as(RefusalCode code, std::string sentence) {
  return {Refusal{code, std::move(sentence)}, kNoNode};
}

}  // namespace

LinkAnswer answer_to(const Preface& preface, const LinkHome& home) {
  if (preface.cluster != home.cluster) {
    return refused_as(RefusalCode::wrong_cluster, "This node belongs to another cluster.");
  }
  if (preface.hops > kMaxHops) {
    return refused_as(RefusalCode::too_many_hops,
                      "A connection is passed on at most " + std::to_string(kMaxHops) + " times.");
  }
  if (preface.to_number != home.number) {
    return refused_as(RefusalCode::not_me,
                      home.number == kNoNode ? "This node is no member of the cluster."
                                             : "This is node " + std::to_string(home.number) + ".");
  }
  if (home.successor != kNoNode) return {std::nullopt, home.successor};
  if (home.is_shutting_down) {
    return refused_as(RefusalCode::shutting_down, "This node is shutting down.");
  }
  return {};
}

// A connection until its preface is accepted. Owned by the listener.
class LinkListener::Arrival final : public net::StreamHandler {
 public:
  Arrival(LinkListener& owner, std::unique_ptr<net::TlsStream> stream)
      : owner_(owner), stream_(std::move(stream)) {
    stream_->set_handler(this);
    set_deadline();
  }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  ~Arrival() override { owner_.scheduler_.cancel(timer_); }

  // Sends the answer once the handshake is done, and ends the connection.
  void answer(const LinkAnswer& answer) {
    PARLEY_ASSERT(!answered_, "link from " + stream_->peer() + ": answered twice");
    answered_ = true;
    if (answer.refusal) {
      owner_.refused(stream_->peer(), *answer.refusal);
    } else {
      owner_.counters_->moved.fetch_add(1, std::memory_order_relaxed);
    }
    stream_->write(encode_answer(answer));
    stream_->finish();
  }

  const Preface& preface() const { return reader_.preface(); }
  std::unique_ptr<net::TlsStream> release() { return std::move(stream_); }

 private:
  // Each may destroy this object as its last act.
  void on_data(net::Stream& /*stream*/, char* data, std::size_t size) override {
    if (answered_) return;
    const std::size_t taken = reader_.take({data, size});
    if (reader_.state() == PrefaceReader::State::refused) {
      end_with({reader_.refusal(), kNoNode});
    } else if (reader_.state() == PrefaceReader::State::complete) {
      decide({data + taken, size - taken});
    }
  }

  void on_end(net::Stream& /*stream*/) override {
    if (answered_) return;
    owner_.failed(stream_->peer(), owner_.counters_->gone, "it ended before its preface");
    owner_.forget(*this);
  }

  void on_closed(net::Stream& /*stream*/) override {
    const std::string_view fault = stream_->fault();
    if (!fault.empty()) {
      owner_.failed(stream_->peer(), owner_.counters_->bad_handshakes, fault);
    } else if (!answered_) {
      owner_.failed(stream_->peer(), owner_.counters_->gone, "it was lost before its preface");
    }
    owner_.forget(*this);
  }

  void decide(std::string_view unread) {
    const Preface& wanted = reader_.preface();
    const LinkHome home = owner_.home_(wanted);
    const LinkAnswer by_state = answer_to(wanted, home);
    if (!by_state.is_accepted()) return end_with(by_state);
    if (!stream_->peer_is(node_host(home.cluster, wanted.from_name))) {
      return end_with(refused_as(RefusalCode::malformed,
                                 "The member \"from_name\" of the preface must be the node that "
                                 "the certificate of the sender names."));
    }
    if (owner_.counters_->open.load(std::memory_order_relaxed) >= owner_.limits_.open) {
      return end_with(refused_as(RefusalCode::busy, std::string(kBusy)));
    }
    stream_->write(encode_answer(by_state));
    owner_.pass_on(*this, unread);
  }

  // From now on the stream limits the wait for the peer's end.
  void end_with(const LinkAnswer& with) {
    owner_.scheduler_.cancel(std::exchange(timer_, 0));
    answer(with);
  }

  void set_deadline() {
    timer_ = owner_.scheduler_.after(owner_.limits_.preface_timeout, [this] {
      timer_ = 0;
      if (!answered_) {
        owner_.failed(stream_->peer(), owner_.counters_->late, "it sent no preface in time");
      }
      owner_.forget(*this);
    });
  }

  LinkListener& owner_;
  std::unique_ptr<net::TlsStream> stream_;
  PrefaceReader reader_;
  core::TimerId timer_ = 0;
  bool answered_ = false;
};

LinkListener::LinkListener(core::Scheduler& scheduler, std::shared_ptr<const LinkTls> tls,
                           Home home, Accept accept, std::shared_ptr<LinkCounters> counters,
                           Limits limits)
    : scheduler_(scheduler),
      tls_(std::move(tls)),
      home_(std::move(home)),
      accept_(std::move(accept)),
      counters_(std::move(counters)),
      limits_(limits) {}

LinkListener::LinkListener(core::Scheduler& scheduler, std::shared_ptr<const LinkTls> tls,
                           Home home, Accept accept, std::shared_ptr<LinkCounters> counters)
    : LinkListener(scheduler, std::move(tls), std::move(home), std::move(accept),
                   std::move(counters), Limits{}) {}

LinkListener::~LinkListener() = default;

core::Result<net::Endpoint> LinkListener::listen(net::Network& network, const net::Endpoint& at) {
  PARLEY_ASSERT(!listener_, "link: listens twice, at " + at.to_string());
  auto take_one = [this](std::unique_ptr<net::Stream> stream) { take(std::move(stream)); };
  PARLEY_TRY(listener_, network.listen(scheduler_, at, std::move(take_one)));
  return listener_->endpoint();
}

bool LinkListener::is_full() const {
  return arrivals_.size() >= limits_.waiting ||
         counters_->open.load(std::memory_order_relaxed) >= limits_.open;
}

void LinkListener::take(std::unique_ptr<net::Stream> stream) {
  if (arrivals_.size() >= limits_.waiting + kMaxLinkRefusals) {
    return failed(stream->peer(), counters_->dropped, "too many connections wait for their answer");
  }
  const bool full = is_full();
  auto arrival = std::make_unique<Arrival>(*this, tls_->accept(std::move(stream)));
  Arrival& one = *arrival;
  arrivals_.emplace(&one, std::move(arrival));
  if (!full) return;
  one.answer(refused_as(RefusalCode::busy, std::string(kBusy)));
}

// The last act of a call of the arrival, which it destroys.
void LinkListener::pass_on(Arrival& arrival, std::string_view unread) {
  counters_->accepted.fetch_add(1, std::memory_order_relaxed);
  LinkConnection connection;
  connection.preface = arrival.preface();
  std::unique_ptr<net::Stream> inner = arrival.release();
  inner->set_peer(connection.preface.client);
  connection.stream = std::make_unique<PrereadStream>(
      std::move(inner), unread, connection.preface.secure, std::make_shared<OpenLink>(counters_));
  forget(arrival);
  accept_(std::move(connection));
}

void LinkListener::refused(const std::string& address, const Refusal& reason) {
  auto& counter = counters_->refused.at(static_cast<std::size_t>(reason.code));
  counter.fetch_add(1, std::memory_order_relaxed);
  log(address, std::string(refusal_name(reason.code)) + ": " + reason.sentence);
}

void LinkListener::failed(const std::string& address, std::atomic<std::uint64_t>& counter,
                          std::string_view reason) {
  counter.fetch_add(1, std::memory_order_relaxed);
  log(address, reason);
}

void LinkListener::log(const std::string& address, std::string_view reason) {
  const core::MonoTime now = scheduler_.clock().mono();
  if (logged_at_ && now - *logged_at_ < kRefusalLogPause) {
    ++unlogged_;
    return;
  }
  logged_at_ = now;
  const std::uint64_t more = std::exchange(unlogged_, 0);
  spdlog::warn("link: a connection from {} was refused: {}{}", core::visible_line(address),
               core::visible_line(reason),
               more == 0 ? "" : "; and " + std::to_string(more) + " since the last such line");
}

void LinkListener::forget(Arrival& arrival) {
  const std::size_t erased = arrivals_.erase(&arrival);
  PARLEY_ASSERT(erased == 1, "link: a connection is forgotten twice");
}

}  // namespace parley::link
