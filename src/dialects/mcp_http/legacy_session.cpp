// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/mcp_http/legacy_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "agents/mcp/mcp_revision.h"
#include "base/core/ask.h"
#include "base/core/number_text.h"
#include "dialects/mcp_http/http_envelope.h"
#include "identity/access/authority.h"

namespace parley::mcp_http {
namespace {

// Runs `use` with the channel on its thread.
template <typename Use>
void post_to(const ReplyChannelPtr& channel, Use use) {
  channel->scheduler().post([channel, use = std::move(use)]() mutable { use(*channel); });
}

}  // namespace

std::string EventPlace::text() const {
  return std::to_string(stream) + "-" + std::to_string(number);
}

std::optional<EventPlace> EventPlace::parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto stream = core::parse_number<std::uint64_t>(text.substr(0, dash));
  const auto number = core::parse_number<std::uint64_t>(text.substr(dash + 1));
  if (!stream || !number) return std::nullopt;
  return EventPlace{*stream, *number};
}

LegacySession::LegacySession(McpHttpContext& context, std::size_t thread, std::string id,
                             auth::Identity caller, std::string token, std::string peer)
    : context_(context),
      thread_(thread),
      scheduler_(context.scheduler(thread)),
      id_(std::move(id)),
      caller_(std::move(caller)),
      token_(std::move(token)),
      peer_(std::move(peer)),
      used_at_(scheduler_.clock().mono()),
      offer_(context.make_offer(caller_, scheduler_)),
      server_(*offer_, context.identity(),
              [this](mcp::Outgoing message) { on_outgoing(std::move(message)); }) {
  streams_[0];
}

LegacySession::~LegacySession() { scheduler_.cancel(idle_timer_); }

bool LegacySession::belongs_to(const auth::Identity& caller) const {
  return caller.workspace == caller_.workspace &&
         access::asker_id(caller) == access::asker_id(caller_);
}

void LegacySession::begin() {
  token_watch_ = context_.verifier().watchers().watch(
      caller_.workspace, scheduler_,
      core::unless_gone(weak_from_this(), &LegacySession::check_token));
  arm_idle();
  check_token();
}

void LegacySession::check_token() {
  if (!context_.verifier().may_continue(caller_, token_, peer_)) {
    close("The agent's token is no longer valid.");
  }
}

void LegacySession::arm_idle() {
  idle_timer_ = scheduler_.after(context_.options().session_idle,
                                 core::unless_gone(weak_from_this(), &LegacySession::on_idle));
}

void LegacySession::on_idle() {
  idle_timer_ = 0;
  const bool idle =
      scheduler_.clock().mono() - used_at_ >= context_.options().session_idle && stream_of_.empty();
  if (idle) return close("The agent's session was idle for too long.");
  arm_idle();
}

bool LegacySession::takes_batches() const {
  return !revision().empty() && revision() <= mcp::kLastWithBatches;
}

void LegacySession::on_messages(std::vector<mcp::RpcMessage> messages, ReplyChannelPtr channel) {
  used_at_ = scheduler_.clock().mono();
  const std::uint64_t number = last_stream_ + 1;
  std::vector<std::string> keys;
  for (const mcp::RpcMessage& message : messages) {
    if (message.kind != mcp::RpcMessage::Kind::request) continue;
    std::string key = mcp::rpc_id_key(message.id);
    const bool twice = std::find(keys.begin(), keys.end(), key) != keys.end();
    if (!twice && !stream_of_.contains(key)) {
      keys.push_back(std::move(key));
      continue;
    }
    return post_to(channel, [text = mcp::rpc_error(message.id, mcp::kInvalidRequest,
                                                   "A request with this id is still open.")](
                                ReplyChannel& to) { to.finish(400, {}, text); });
  }
  for (std::string& key : keys) {
    stream_of_.emplace(std::move(key), number);
    ++streams_[number].open;
  }
  const auto stream = streams_.find(number);
  if (stream == streams_.end()) {
    post_to(channel, [](ReplyChannel& to) { to.end(202); });
  } else {
    last_stream_ = number;
    attach(number, stream->second, channel);
    if (revision() == mcp::kLegacyRevisions.front()) {
      post_to(channel, [id = EventPlace{number, 0}.text()](ReplyChannel& to) { to.prime(id); });
    }
    if (stream->second.open > 1) post_to(channel, [](ReplyChannel& to) { to.start_stream(); });
  }
  for (mcp::RpcMessage& message : messages) {
    std::string cancelled;
    if (message.method == "notifications/cancelled" && message.params.is_object()) {
      const boost::json::value* id = message.params.get_object().if_contains("requestId");
      if (id != nullptr) cancelled = mcp::rpc_id_value_key(*id);
    }
    server_.on_message(std::move(message));
    if (!cancelled.empty()) on_cancelled(cancelled);
  }
}

// A cancelled request gets no answer: its stream ends without one.
void LegacySession::on_cancelled(const std::string& key) {
  const auto found = stream_of_.find(key);
  if (found == stream_of_.end() || server_.is_open(key)) return;
  const auto stream = streams_.find(found->second);
  stream_of_.erase(found);
  if (--stream->second.open > 0) return;
  if (stream->second.channel) {
    post_to(stream->second.channel, [](ReplyChannel& to) { to.end(202); });
  }
  drop(stream);
}

void LegacySession::open_stream(ReplyChannelPtr channel) {
  used_at_ = scheduler_.clock().mono();
  adopt(0, streams_.at(0).sent, channel);
}

LegacySession::Resumed LegacySession::resume(const EventPlace& behind,
                                             const ReplyChannelPtr& channel) {
  const auto found = streams_.find(behind.stream);
  if (found == streams_.end()) return Resumed::unknown;
  used_at_ = scheduler_.clock().mono();
  const Stream& stream = found->second;
  if (stream.ended && behind.number >= stream.last_number) return Resumed::over;
  adopt(behind.stream, behind.number, channel);
  return Resumed::yes;
}

// Gives a stream a new reader, with the messages after the number `behind`.
void LegacySession::adopt(std::uint64_t number, std::uint64_t behind,
                          const ReplyChannelPtr& channel) {
  Stream& stream = streams_.at(number);
  set_aside(number, stream);
  attach(number, stream, channel);
  post_to(channel, [](ReplyChannel& to) { to.start_stream(); });
  for (const PendingReply& message : stream.kept) {
    if (message.number <= behind) continue;
    deliver(number, stream, message, stream.ended && message.number == stream.last_number, 200);
  }
}

// Takes the reader from a stream that gets a new one.
void LegacySession::set_aside(std::uint64_t number, Stream& stream) {
  if (!stream.channel) return;
  ReplyChannelPtr cut = std::exchange(stream.channel, nullptr);
  if (number == 0) {
    former_readers_.push_back(std::move(cut));
    if (former_readers_.size() < kMaxReaders) return;
    cut = std::move(former_readers_.front());
    former_readers_.pop_front();
  }
  post_to(cut, [](ReplyChannel& to) {
    to.start_stream();
    to.end(200);
  });
}

void LegacySession::on_reader_disconnect(std::uint64_t number, const ReplyChannel* channel) {
  context_.counters().callers_disconnected.add();
  std::erase_if(former_readers_, [channel](const auto& each) { return each.get() == channel; });
  const auto found = streams_.find(number);
  if (found == streams_.end() || found->second.channel.get() != channel) return;
  found->second.channel = nullptr;
  if (number != 0 || former_readers_.empty()) return;
  found->second.channel = std::move(former_readers_.back());
  former_readers_.pop_back();
}

void LegacySession::attach(std::uint64_t number, Stream& stream, ReplyChannelPtr channel) {
  stream.channel = channel;
  post_to(channel, [weak = weak_from_this(), number, channel = channel.get(),
                    &home = scheduler_](ReplyChannel& to) {
    to.on_disconnect([weak, number, channel, &home] {
      home.post(core::unless_gone(weak, [number, channel](LegacySession& self) {
        self.on_reader_disconnect(number, channel);
      }));
    });
  });
}

void LegacySession::on_outgoing(mcp::Outgoing message) {
  const auto owner = stream_of_.find(message.request);
  const std::uint64_t number = owner == stream_of_.end() ? 0 : owner->second;
  const auto found = streams_.find(number);
  Stream& stream = found->second;
  const bool last = message.last && number != 0 && --stream.open == 0;
  kept_bytes_ += message.text.size();
  stream.kept.push_back(
      {++stream.last_number, std::make_shared<const std::string>(std::move(message.text))});
  if (message.last && number != 0) stream_of_.erase(owner);
  if (last) {
    stream.ended = true;
    ++ended_streams_;
  }
  deliver(number, stream, stream.kept.back(), last,
          status_of(message.error, false, message.envelope));
  keep_within_limits();
}

void LegacySession::deliver(std::uint64_t number, Stream& stream, const PendingReply& message,
                            bool last, int status) {
  if (!stream.channel) return;
  stream.sent = message.number;
  post_to(stream.channel, [place = EventPlace{number, message.number}.text(), text = message.text,
                           last, status](ReplyChannel& to) {
    if (last) return to.finish(status, place, *text);
    to.send(place, *text);
  });
  if (!last) return;
  stream.channel = nullptr;
  drop_later(number);
}

void LegacySession::drop_later(std::uint64_t number) {
  scheduler_.after(kReplayTime, core::unless_gone(weak_from_this(), [number](LegacySession& self) {
                     const auto found = self.streams_.find(number);
                     if (found != self.streams_.end()) self.drop(found);
                   }));
}

// Forgets messages that no client has taken up again: first whole streams, the oldest ended ones
// but never the newest, then the oldest messages of the stream 0.
void LegacySession::keep_within_limits() {
  auto at = streams_.begin();
  while (
      (ended_streams_ > kMaxEndedStreams || (kept_bytes_ > kMaxKeptBytes && ended_streams_ > 1)) &&
      at != streams_.end()) {
    const auto stream = at++;
    if (stream->first != 0 && stream->second.ended) drop(stream);
  }
  Stream& loose = streams_.at(0);
  while (kept_bytes_ > kMaxKeptBytes && loose.kept.size() > 1) {
    kept_bytes_ -= loose.kept.front().text->size();
    loose.kept.pop_front();
  }
}

void LegacySession::drop(std::map<std::uint64_t, Stream>::iterator stream) {
  for (const PendingReply& message : stream->second.kept) kept_bytes_ -= message.text->size();
  if (stream->second.ended) --ended_streams_;
  streams_.erase(stream);
}

void LegacySession::close(std::string_view reason) {
  if (std::exchange(closed_, true)) return;
  token_watch_.reset();
  scheduler_.cancel(std::exchange(idle_timer_, 0));
  server_.close(reason);
  for (auto& [number, stream] : streams_) {
    if (stream.channel) post_to(stream.channel, [](ReplyChannel& to) { to.end(404); });
  }
  for (const ReplyChannelPtr& reader : std::exchange(former_readers_, {})) {
    post_to(reader, [](ReplyChannel& to) { to.end(404); });
  }
  streams_.clear();
  streams_[0];
  stream_of_.clear();
  McpShard& shard = context_.shard(thread_);
  const auto count = shard.sessions_of.find(caller_.workspace);
  if (count != shard.sessions_of.end() && --count->second == 0) shard.sessions_of.erase(count);
  // Not destroyed here: the caller may be a method of it.
  scheduler_.post([kept = shard.sessions.extract(id_)] {});
}

}  // namespace parley::mcp_http
