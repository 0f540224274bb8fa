// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/session/event_stream.h"

#include <algorithm>
#include <charconv>

#include "base/core/ask.h"
#include "base/core/json_writer.h"
#include "dialects/api/session/watching.h"
#include "model/session/subscription.h"

namespace parley::api {
namespace {

constexpr std::size_t kPageEvents = 200;
// Limit (The model): events that a stream reads at once. Reached: the rest when the queue has
// drained.
constexpr std::size_t kPageBytes = 1U << 20U;
// Queued bytes for the peer above which reading from the store pauses.
constexpr std::size_t kQueueWatermark = 256U << 10U;
// Interval between checks of a full queue, and the first one between checks of is_last.
// Limit (The model): first check of a watched run whose end is not stored yet; the pause doubles.
// Reached: checked again.
constexpr core::Millis kRetryDelay{20};
// Limit of the interval between checks of is_last. The interval doubles, because the end of a run
// may never have been recorded.
// Limit (The model): longest pause between two checks of such a run. Reached: checked again.
constexpr core::Millis kMaxRetryDelay{5'000};
// Events that become visible together are written together, in pieces of about this many bytes; a
// larger buffer is released after its use.
constexpr std::size_t kTextKept = 64U << 10U;

// Sends stored events, then live ones. While catching up, the stream reads pages from the store and
// only records the number of the last live event. When it has read up to that number it writes live
// events as they arrive. Live events arrive in order and once, so the hand-over needs no buffer.
class EventStream final : public std::enable_shared_from_this<EventStream> {
 public:
  EventStream(const Context& context, Call call, event::SessionRow row, StreamQuery query)
      : context_(context),
        call_(std::move(call)),
        scheduler_(call_.responder.scheduler()),
        row_(std::move(row)),
        query_(std::move(query)) {}

  void start() {
    net::Response head;
    head.headers.set("Content-Type",
                     query_.form == StreamForm::sse ? "text/event-stream" : "application/x-ndjson");
    head.headers.set("Cache-Control", "no-store");
    head.headers.set("X-Accel-Buffering", "no");
    writer_ = call_.responder.start(std::move(head));
    writer_->on_disconnect(core::unless_gone(weak_from_this(), &EventStream::stop));
    keep_ = shared_from_this();
    if (!query_.follow) {
      place();
      return read_on();
    }
    arm_heartbeat();
    subscription_ =
        session::Subscription(context_.hub, {row_.id, row_.dialect, row_.owner}, scheduler_);
    session::Subscription::Events events;
    events.joined = [this](const core::Result<std::uint64_t>& visible) {
      if (!visible) return end(end_reason(visible.error()));
      joined(*visible);
    };
    events.events = [this](const event::UnitPtr& unit) { on_live(*unit); };
    events.left = [this](session::LeaveReason reason) { end(end_reason(reason)); };
    subscription_.watch(observer_of(context_, call_.identity, scheduler_.clock()),
                        std::move(events));
  }

  // Joined: every event after `visible` will arrive live.
  void joined(std::uint64_t visible) {
    token_watch_ = context_.door().watchers().watch(
        call_.identity.workspace, scheduler_,
        core::unless_gone(weak_from_this(), &EventStream::check_token));
    // The token may have ended before the watch began.
    check_token();
    if (ended_) return;
    visible_ = std::max(visible_, visible);
    // A client may have seen events that the store has not committed yet.
    row_.last_seq = std::max(row_.last_seq, visible_);
    place();
    read_on();
  }

  void on_live(const event::Unit& unit) {
    visible_ = std::max(visible_, unit.events.back().seq);
    if (catching_up_) return;
    for (const event::Event& event : unit.events) {
      if (ended_ || event.seq <= position_) continue;
      position_ = event.seq;
      append_event(event);
    }
    write_out();
  }

  void end(std::string_view reason) {
    if (ended_) return;
    std::string data;
    core::JsonWriter json(data);
    json.begin_object().key("reason").string(reason).end_object();
    write_control("end", data);
    writer_->end();
    stop();
  }

 private:
  void check_token() {
    const net::Request& request = call_.request;
    if (!context_.door().verify(request.token(), request.peer)) end("token_revoked");
  }

  // Sets the first position, and reports a gap if the stream cannot continue from the client's
  // position.
  void place() {
    position_ = std::max(row_.first_seq, query_.begin) - 1;
    if (!query_.after) return;
    // A run's watcher may have seen events that were lost; no later event has their numbers.
    const bool of_lost =
        query_.plain && query_.after->epoch.empty() && query_.after->seq > row_.last_seq;
    const std::string_view gap =
        of_lost ? std::string_view()
                : gap_reason(*query_.after, context_.store.epoch(), row_.first_seq, row_.last_seq);
    if (gap.empty()) {
      position_ = std::max(position_, query_.after->seq);
    } else {
      write_gap(gap, row_.first_seq);
    }
  }

  void read_on() {
    if (ended_) return;
    if (query_.end > 0 && position_ >= query_.end) return end("complete");
    if (writer_->queued() > kQueueWatermark) return read_later();
    reading_to_ = visible_;
    event::ReadQuery query;
    query.session = row_.id;
    query.after = position_;
    query.limit = kPageEvents;
    query.max_bytes = kPageBytes;
    query.types = query_.types;
    context_.store.read(std::move(query), scheduler_,
                        core::unless_gone(weak_from_this(), &EventStream::on_page));
  }

  void read_later() {
    scheduler_.after(kRetryDelay, core::unless_gone(weak_from_this(), &EventStream::read_on));
  }

  void on_page(const core::Result<event::EventPage>& page) {
    if (ended_) return;
    if (!page) return end("store_failed");
    if (page->first_seq > position_ + 1) {
      write_gap("retention", page->first_seq);
      position_ = page->first_seq - 1;
    }
    for (const event::Event& event : page->events) {
      if (ended_ || event.seq <= position_) continue;
      position_ = event.seq;
      append_event(event);
    }
    write_out();
    if (ended_) return;
    if (page->more && !page->events.empty()) return read_on();
    // A read returns every stored event that was visible before it: an event missing from it is
    // lost.
    position_ = std::max({position_, page->last_seq, reading_to_});
    if (!query_.follow || query_.end > 0) return end("complete");
    if (position_ < visible_) return read_on();
    catching_up_ = false;
    if (query_.is_last) ask_if_last(position_, core::Millis(0));
  }

  bool wanted(const std::string& type) const {
    return query_.types.empty() ||
           std::find(query_.types.begin(), query_.types.end(), type) != query_.types.end();
  }

  // Appends to `text_`, which write_out() sends.
  void append_event(const event::Event& event) {
    const bool past_end = query_.end > 0 && event.seq > query_.end;
    const bool of_the_next =
        !query_.next_begins.empty() && event.seq > query_.begin && event.type == query_.next_begins;
    if (past_end || of_the_next) {
      write_out();
      return end("complete");
    }
    if (!wanted(event.type)) return;
    const std::size_t before = text_.size();
    const bool sse = query_.form == StreamForm::sse;
    if (sse) {
      text_ += "id: ";
      if (!query_.plain) text_.append(context_.store.epoch()).append(":");
      text_.append(std::to_string(event.seq)).append("\ndata: ");
    }
    if (!query_.write) {
      text_ += event_json(event);
    } else if (!query_.write(event, text_)) {
      text_.resize(before);
      return;
    }
    text_ += sse ? "\n\n" : "\n";
    if (query_.is_last && event.type == query_.last_type) maybe_last_ = event.seq;
    if (text_.size() >= kTextKept) write_out();
  }

  void write_out() {
    if (!text_.empty()) writer_->write(text_);
    text_.clear();
    if (text_.capacity() > kTextKept) text_ = std::string();
    if (const std::uint64_t seq = std::exchange(maybe_last_, 0); seq != 0) {
      asked_ = seq;
      ask_if_last(seq, kRetryDelay);
    }
  }

  // Asks is_last, and repeats the question after `delay` unless `delay` is 0, until another event
  // is asked about. Events behind `seq` end nothing: a run's questions may close after its reply.
  void ask_if_last(std::uint64_t seq, core::Millis delay) {
    const auto again = [seq, delay](EventStream& self) {
      if (!self.asks_about(seq, delay)) return;
      self.ask_if_last(seq, std::min(2 * delay, kMaxRetryDelay));
    };
    const auto take = [seq, delay, again](EventStream& self, bool last) {
      if (!self.asks_about(seq, delay)) return;
      if (last) return self.end("complete");
      if (delay == core::Millis(0)) return;
      self.scheduler_.after(delay, core::unless_gone(self.weak_from_this(), again));
    };
    query_.is_last(seq, scheduler_, core::unless_gone(weak_from_this(), take));
  }

  bool asks_about(std::uint64_t seq, core::Millis delay) const {
    return !ended_ && seq == (delay == core::Millis(0) ? position_ : asked_);
  }

  void write_gap(std::string_view reason, std::uint64_t first_seq) {
    std::string data;
    core::JsonWriter json(data);
    json.begin_object().key("reason").string(reason);
    json.key("epoch").string(context_.store.epoch()).key("first_seq").number(first_seq);
    json.end_object();
    write_control("gap", data);
  }

  // Writes a line that is not an event: a named SSE event, or a JSON line with one other member.
  void write_control(std::string_view name, const std::string& data) {
    if (query_.plain) return;
    if (query_.form == StreamForm::ndjson) {
      writer_->write("{\"" + std::string(name) + "\":" + data + "}\n");
    } else {
      writer_->write("event: " + std::string(name) + "\ndata: " + data + "\n\n");
    }
  }

  void arm_heartbeat() {
    heartbeat_ = scheduler_.after(context_.heartbeat,
                                  core::unless_gone(weak_from_this(), &EventStream::beat));
  }

  void beat() {
    if (ended_) return;
    if (query_.form == StreamForm::sse) {
      writer_->write(": still here\n\n");
    } else if (!query_.plain) {
      writer_->write("\n");
    }
    arm_heartbeat();
  }

  void stop() {
    if (std::exchange(ended_, true)) return;
    scheduler_.cancel(std::exchange(heartbeat_, 0));
    token_watch_.reset();
    subscription_ = {};
    // Destroyed in a later task, because the caller of stop() may still use this object.
    scheduler_.post([keep = std::move(keep_)] {});
  }

  const Context& context_;
  Call call_;
  core::Scheduler& scheduler_;
  event::SessionRow row_;
  StreamQuery query_;
  std::shared_ptr<net::BodyWriter> writer_;
  session::Subscription subscription_;
  auth::TokenWatch token_watch_;
  std::shared_ptr<EventStream> keep_;  // until stop()
  core::TimerId heartbeat_ = 0;
  std::string text_;              // events that came together, until they are written
  std::uint64_t maybe_last_ = 0;  // an event in `text_` that may be the last one
  std::uint64_t asked_ = 0;       // the event about which is_last is asked repeatedly
  std::uint64_t position_ = 0;    // all events up to this one were written or skipped
  std::uint64_t visible_ = 0;     // the last event that the session has shown
  std::uint64_t reading_to_ = 0;  // `visible_` when the last read began
  bool catching_up_ = true;
  bool ended_ = false;
};

}  // namespace

core::Result<Position> parse_position(std::string_view text, std::string_view field) {
  Position out;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    out.epoch = text.substr(0, colon);
    text = text.substr(colon + 1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.seq);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return core::fail(
        core::Code::invalid_argument,
        "\"" + std::string(field) +
            "\" must be a sequence number, or EPOCH:SEQ as in the id field of the stream.",
        std::string(field));
  }
  return out;
}

std::string event_json(const event::Event& event) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("session").string(event.session).key("seq").number(event.seq);
  json.key("at").number(core::to_unix_ms(event.at));
  json.key("direction").string(event.direction).key("type").string(event.type);
  json.key("payload").raw(event.payload).end_object();
  // In JSON a line break occurs only between tokens, where a blank is equivalent.
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

std::string_view gap_reason(const Position& after, std::string_view epoch, std::uint64_t first_seq,
                            std::uint64_t last_seq) {
  if (!after.epoch.empty() && after.epoch != epoch) return "epoch_changed";
  if (after.seq > last_seq) return "epoch_changed";
  if (after.seq + 1 < first_seq) return "retention";
  return {};
}

void stream_events(const Context& context, Call call, const event::SessionRow& row,
                   StreamQuery query) {
  std::make_shared<EventStream>(context, std::move(call), row, std::move(query))->start();
}

}  // namespace parley::api
