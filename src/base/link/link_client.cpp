// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_client.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/link/preread_stream.h"

namespace parley::link {
namespace {

// "Node \"b\" (number 7) at 10.0.0.2:22090".
std::string label_of(const LinkTarget& to) {
  return "Node \"" + to.name + "\" (number " + std::to_string(to.number) + ") at " +
         to.at.to_string();
}

LinkError unavailable(std::string sentence) {
  return {core::Error{core::Code::unavailable, std::move(sentence)}};
}

LinkError error_of(const LinkTarget& to, const LinkAnswer& answer) {
  if (!answer.refusal) {
    return {core::Error{core::Code::owned_elsewhere, label_of(to) + " has moved to node " +
                                                         std::to_string(answer.successor) + "."},
            answer.successor};
  }
  LinkError out = unavailable(label_of(to) + " refused the connection (" +
                              std::string(refusal_name(answer.refusal->code)) +
                              "): " + answer.refusal->sentence);
  out.refusal = answer.refusal->code;
  return out;
}

}  // namespace

// A connection until its answer. Owned by the client.
class LinkClient::Attempt final : public net::StreamHandler {
 public:
  Attempt(LinkClient& owner, LinkTarget to, LinkSender sender, std::string wire, Done done)
      : owner_(owner),
        to_(std::move(to)),
        sender_(std::move(sender)),
        wire_(std::move(wire)),
        done_(std::move(done)),
        self_(std::make_shared<Attempt*>(this)) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() override {
    *self_ = nullptr;
    owner_.scheduler_.cancel(timer_);
  }

  NodeNumber node() const { return to_.number; }

  void start() {
    timer_ = owner_.scheduler_.after(owner_.limits_.timeout, [this] {
      timer_ = 0;
      // A refused handshake ends only when the peer has closed.
      const std::string fault(stream_ ? stream_->fault() : "");
      fail(!fault.empty()
               ? fault
               : "no answer within " + std::to_string(owner_.limits_.timeout.count()) + " ms");
    });
    owner_.network_.connect(owner_.scheduler_, to_.at,
                            core::unless_gone(self_, &Attempt::connected));
  }

 private:
  // Each may destroy this object as its last act.
  void connected(core::Result<std::unique_ptr<net::Stream>> stream) {
    if (!stream) return fail(stream.error().message);
    stream_ = owner_.tls_->connect(std::move(*stream), sender_.cluster, to_.name);
    stream_->set_handler(this);
    stream_->write(std::exchange(wire_, {}));
  }

  void on_data(net::Stream& /*stream*/, char* data, std::size_t size) override {
    const std::size_t taken = reader_.take({data, size});
    if (!reader_.result()) return;
    const core::Result<LinkAnswer>& answer = *reader_.result();
    if (!answer) return fail(answer.error().message);
    if (!answer->is_accepted()) return end(tl::unexpected(error_of(to_, *answer)), true);
    open({data + taken, size - taken});
  }

  void on_end(net::Stream& /*stream*/) override { fail("it ended before it answered"); }

  void on_closed(net::Stream& /*stream*/) override {
    const std::string fault(stream_->fault());
    fail(fault.empty() ? "the connection was lost before it answered" : fault);
  }

  void open(std::string_view unread) {
    std::unique_ptr<net::Stream> stream = std::move(stream_);
    stream->set_handler(nullptr);
    if (!unread.empty()) {
      const bool secure = stream->secure();
      stream = std::make_unique<PrereadStream>(std::move(stream), unread, secure);
    }
    end(std::move(stream), true);
  }

  // `why` may end with a full stop.
  void fail(std::string why) {
    if (why.ends_with('.')) why.pop_back();
    end(tl::unexpected(unavailable(label_of(to_) + " did not answer: " + why + ".")), false);
  }

  void end(Opened opened, bool answered) {
    Done done = std::move(done_);
    owner_.settle(*this, answered);
    done(std::move(opened));
  }

  LinkClient& owner_;
  const LinkTarget to_;
  const LinkSender sender_;
  std::string wire_;  // the preface and the first bytes, until they are written
  Done done_;
  std::unique_ptr<net::TlsStream> stream_;
  LinkAnswerReader reader_;
  std::shared_ptr<Attempt*> self_;  // null once this object is destroyed
  core::TimerId timer_ = 0;
};

LinkClient::LinkClient(core::Scheduler& scheduler, net::Network& network,
                       std::shared_ptr<const LinkTls> tls, Sender sender, Limits limits)
    : scheduler_(scheduler),
      network_(network),
      tls_(std::move(tls)),
      sender_(std::move(sender)),
      limits_(limits) {}

LinkClient::LinkClient(core::Scheduler& scheduler, net::Network& network,
                       std::shared_ptr<const LinkTls> tls, Sender sender)
    : LinkClient(scheduler, network, std::move(tls), std::move(sender), Limits{}) {}

LinkClient::~LinkClient() = default;

std::size_t LinkClient::opening(NodeNumber node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? 0 : found->second.opening;
}

// The reason not to connect now; an empty message: none.
core::Error LinkClient::refusal_to_try(const LinkTarget& to) {
  const core::MonoTime now = scheduler_.clock().mono();
  std::erase_if(nodes_, [now](const auto& entry) {
    return entry.second.opening == 0 && entry.second.retry_at <= now;
  });
  core::Error out{core::Code::unavailable, {}};
  const auto found = nodes_.find(to.number);
  if (found == nodes_.end()) return out;
  if (found->second.retry_at > now) {
    out.message = label_of(to) + " did not answer before; it is tried again within " +
                  std::to_string(limits_.pause.count()) + " ms.";
  } else if (found->second.opening >= limits_.opening) {
    out.message = label_of(to) + " has " + std::to_string(found->second.opening) +
                  " connections that are being opened, and no more are tried at a time.";
  }
  return out;
}

void LinkClient::open(const LinkTarget& to, const LinkedClient& client, std::string_view first,
                      Done done) {
  const auto refuse = [this, &done](core::Error error) {
    core::reply(scheduler_, std::move(done), Opened(tl::unexpected(LinkError{std::move(error)})));
  };
  LinkSender sender = sender_();
  if (sender.number == kNoNode) {
    return refuse({core::Code::unavailable, "This node is no member of the cluster."});
  }
  core::Error now = refusal_to_try(to);
  if (!now.message.empty()) return refuse(std::move(now));
  core::Result<std::string> wire =
      encode_preface({sender.cluster, sender.name, sender.number, to.number, client.address,
                      client.secure, client.hops, client.kind});
  if (!wire) return refuse(std::move(wire.error()));
  wire->append(first);
  auto attempt =
      std::make_unique<Attempt>(*this, to, std::move(sender), std::move(*wire), std::move(done));
  Attempt& one = *attempt;
  attempts_.emplace(&one, std::move(attempt));
  ++nodes_[to.number].opening;
  one.start();
}

// Destroys the attempt.
void LinkClient::settle(Attempt& attempt, bool answered) {
  Node& node = nodes_[attempt.node()];
  PARLEY_ASSERT(node.opening > 0, "link: more connections to node " +
                                      std::to_string(attempt.node()) + " end than were begun");
  --node.opening;
  node.retry_at = answered ? core::MonoTime{} : scheduler_.clock().mono() + limits_.pause;
  const std::size_t erased = attempts_.erase(&attempt);
  PARLEY_ASSERT(erased == 1, "link: a connection to another node ends twice");
}

}  // namespace parley::link
