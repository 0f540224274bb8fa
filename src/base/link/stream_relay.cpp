// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/stream_relay.h"

#include <utility>

#include "base/core/assert.h"

namespace parley::link {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

}  // namespace

StreamRelay::StreamRelay(std::unique_ptr<net::Stream> client, std::unique_ptr<net::Stream> home,
                         Done done, CheckHead check)
    : done_(std::move(done)) {
  PARLEY_ASSERT(&client->scheduler() == &home->scheduler(),
                "relay of " + client->peer() + ": its streams belong to two threads");
  if (check) head_ = std::make_unique<Head>(Head{{}, std::move(check)});
  sides_[0].stream = std::move(client);
  sides_[1].stream = std::move(home);
  for (Side& side : sides_) {
    side.stream->set_handler(this);
    side.stream->pause_reading(false);
  }
}

StreamRelay::~StreamRelay() {
  for (const Side& side : sides_) {
    if (side.timer != 0) side.stream->scheduler().cancel(side.timer);
  }
}

StreamRelay::Side& StreamRelay::side_of(const net::Stream& stream) {
  return &stream == sides_[0].stream.get() ? sides_[0] : sides_[1];
}

StreamRelay::Side& StreamRelay::other_of(const Side& side) {
  return &side == &sides_[0] ? sides_[1] : sides_[0];
}

void StreamRelay::on_data(net::Stream& stream, char* data, std::size_t size) {
  Side& from = side_of(stream);
  Side& to = other_of(from);
  std::string_view bytes(data, size);
  if (head_ && &from == &sides_[1] && !take_head(bytes)) return;
  if (bytes.empty()) return;
  PARLEY_ASSERT(!from.ended && !to.finished,
                "relay of " + stream.peer() + ": bytes arrive behind the end");
  if (to.closed) return;
  to.stream->write(bytes);
  to.received += bytes.size();
  if (to.stream->queued() > net::Stream::kHighWatermark) pause(from);
}

void StreamRelay::pause(Side& from) {
  if (std::exchange(from.paused, true)) return;
  from.stream->pause_reading(true);
  watch_stall(from);
}

void StreamRelay::resume(Side& from) {
  if (!std::exchange(from.paused, false)) return;
  from.stream->scheduler().cancel(std::exchange(from.timer, 0));
  from.stream->pause_reading(false);
}

// Ends the relay if the other side takes no byte of its queue for kRelayStall.
void StreamRelay::watch_stall(Side& from) {
  other_of(from).mark = other_of(from).progress();
  from.timer = from.stream->scheduler().after(kRelayStall, [this, &from] {
    from.timer = 0;
    const Side& to = other_of(from);
    if (to.progress() == to.mark) return end(RelayEnd::stalled);
    watch_stall(from);
  });
}

// Removes the bytes of the head from the front of `bytes`. False: the relay has ended.
bool StreamRelay::take_head(std::string_view& bytes) {
  std::string& head = head_->bytes;
  const std::size_t known = head.size();
  head.append(bytes.substr(0, kMaxDroppedHeadBytes - known));
  const std::size_t from = known < kHeadEnd.size() ? 0 : known - kHeadEnd.size() + 1;
  const std::size_t end_at = head.find(kHeadEnd, from);
  if (end_at == std::string::npos) {
    bytes = {};
    if (head.size() < kMaxDroppedHeadBytes) return true;
    end(RelayEnd::bad_head, "The head of the home's answer has more than " +
                                std::to_string(kMaxDroppedHeadBytes) + " bytes.");
    return false;
  }
  const std::size_t size = end_at + kHeadEnd.size();
  bytes.remove_prefix(size - known);
  const std::unique_ptr<Head> complete = std::move(head_);
  const core::Result<void> checked =
      complete->check(std::string_view(complete->bytes).substr(0, size));
  if (checked) return true;
  end(RelayEnd::bad_head, checked.error().message);
  return false;
}

void StreamRelay::on_end(net::Stream& stream) {
  Side& from = side_of(stream);
  if (head_ && &from == &sides_[1]) {
    return end(RelayEnd::bad_head, "The home ended before the head of its answer was complete.");
  }
  from.ended = true;
  finish(other_of(from));
}

void StreamRelay::finish(Side& side) {
  if (std::exchange(side.finished, true)) return;
  if (!side.closed) side.stream->finish();
}

void StreamRelay::on_drained(net::Stream& stream) { resume(other_of(side_of(stream))); }

// A stream that was finished is closed without on_end() when its peer ends.
void StreamRelay::on_closed(net::Stream& stream) {
  Side& side = side_of(stream);
  Side& other = other_of(side);
  const bool awaits_head = head_ && &side == &sides_[1];
  if (awaits_head || (!side.ended && !other.ended)) {
    return end(&side == &sides_[0] ? RelayEnd::client_lost : RelayEnd::home_lost);
  }
  side.ended = true;
  side.closed = true;
  if (other.closed) return end(RelayEnd::finished);
  finish(other);
  resume(other);
}

void StreamRelay::end(RelayEnd how, std::string reason) {
  PARLEY_ASSERT(done_ != nullptr, "relay: ends twice");
  const RelayOutcome outcome{how, to_home(), to_client(), std::move(reason)};
  Done done = std::move(done_);
  for (Side& side : sides_) {
    side.stream->scheduler().cancel(std::exchange(side.timer, 0));
    side.stream.reset();
  }
  done(outcome);
}

}  // namespace parley::link
