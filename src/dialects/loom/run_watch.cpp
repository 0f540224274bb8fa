// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/run_watch.h"

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/json_text.h"
#include "dialects/loom/loom_answer.h"
#include "runtime/stream/event_fields.h"
#include "runtime/stream/frame.h"

namespace parley::loom {
namespace {

constexpr std::string_view kHead = R"({"type":"run_stream_event","id":)";
// Capacity of the frame buffer, in bytes, above which it is freed after its event.
constexpr std::size_t kScratchKept = 256U << 10U;

std::string failure_prefix(std::string_view kind) {
  if (kind == "dup" || kind == "tot" || kind == "got") return std::string(kind) + " run: ";
  if (kind == "agot") return "got run: ";
  return "run: ";
}

}  // namespace

RunWatch::RunWatch(LoomContext& context, core::Scheduler& scheduler, WatchOwner& owner,
                   Target target)
    : context_(context), scheduler_(scheduler), owner_(&owner), target_(std::move(target)) {
  head_ = kHead;
  core::append_json_string(head_, target_.id);
  head_ += R"(,"event":)";
}

RunWatch::~RunWatch() { stop(); }

void RunWatch::join(std::string name, Joined joined) {
  joined_ = std::move(joined);
  context_.counters().watches.add();
  session::ParticipantInfo info;
  info.client_id = core::new_id(scheduler_.clock(), context_.entropy());
  info.nickname = std::move(name);
  info.role = session::ParticipantRole::observer;
  info.dialect = run::kRunDialect;
  info.connected_at = scheduler_.clock().wall();
  session::Subscription::Events events;
  events.joined = [this](core::Result<std::uint64_t> visible) { on_joined(std::move(visible)); };
  // The end of the run may destroy this watch in the middle of a unit.
  events.events =
      core::unless_gone(weak_from_this(), [](RunWatch& self, const event::UnitPtr& unit) {
        for (const event::Event& event : unit->events) self.on_live(event);
      });
  events.left = [this](session::LeaveReason reason) { on_leave_required(reason); };
  feed_ = session::Subscription(context_.hub(), run::run_session(target_.session, target_.owner),
                                scheduler_);
  feed_.watch(std::move(info), std::move(events));
}

void RunWatch::stop() {
  owner_ = nullptr;
  feed_ = {};
  held_.clear();
}

void RunWatch::on_joined(core::Result<std::uint64_t> visible) {
  if (owner_ == nullptr) return;
  if (!visible) return std::exchange(joined_, {})(core::fail(visible.error()));
  visible_ = std::max(visible_, *visible);
  std::exchange(joined_, {})({});
}

void RunWatch::begin_at(std::uint64_t seq) {
  begun_ = true;
  position_ = seq == 0 ? visible_ : seq - 1;
  if (!go_live()) read_on();
}

// --- events -------------------------------------------------------------------------------------

void RunWatch::on_live(const event::Event& event) {
  if (owner_ == nullptr) return;
  visible_ = std::max(visible_, event.seq);
  if (live_) {
    if (event.seq <= position_) return;
    position_ = event.seq;
    take(event);
    return;
  }
  if (held_.size() >= context_.options().max_held) held_.clear();
  held_.push_back(event);
  held_.back().live.reset();  // the limit of the buffer counts one copy of an event
}

// Switches to live events if there is no gap between them and the events that were read. False:
// there is a gap.
bool RunWatch::go_live() {
  while (!held_.empty() && held_.front().seq <= position_) held_.pop_front();
  if (held_.empty() ? position_ < visible_ : held_.front().seq != position_ + 1) return false;
  const std::shared_ptr<RunWatch> keep = shared_from_this();
  std::deque<event::Event> held = std::exchange(held_, {});
  for (const event::Event& event : held) {
    position_ = event.seq;
    if (!take(event)) return true;
  }
  live_ = true;
  if (last_reply_) {
    end(end_message(*last_reply_));
  } else if (!error_when_read_.empty()) {
    end(error_answer(target_.id, failure_prefix(target_.kind) + error_when_read_));
  }
  return true;
}

void RunWatch::read_on() {
  if (owner_ == nullptr) return;
  if (owner_->queued() > context_.options().watermark) return read_later();
  reading_to_ = visible_;
  event::ReadQuery query;
  query.session = target_.session;
  query.after = position_;
  query.limit = context_.options().page_events;
  query.max_bytes = context_.options().page_bytes;
  context_.store().read(std::move(query), scheduler_,
                        core::unless_gone(weak_from_this(), &RunWatch::on_page));
}

void RunWatch::read_later() {
  scheduler_.after(context_.options().retry_delay,
                   core::unless_gone(weak_from_this(), &RunWatch::read_on));
}

void RunWatch::on_page(const core::Result<event::EventPage>& page) {
  if (owner_ == nullptr) return;
  if (!page) {
    return end(error_answer(target_.id, failure_prefix(target_.kind) + page.error().message));
  }
  for (const event::Event& event : page->events) {
    if (event.seq <= position_) continue;
    position_ = event.seq;
    if (!take(event)) return;
  }
  const bool more = page->more && !page->events.empty();
  // A read returns every stored event that was visible before it: an event missing from it is
  // lost.
  if (!more) position_ = std::max({position_, page->last_seq, reading_to_});
  if (!go_live()) read_on();
}

bool RunWatch::take(const event::Event& event) {
  if (owner_ == nullptr) return false;
  if (!runtime::is_frame(event.type)) return true;
  if (runtime::is_reply(event.type)) return take_reply(event);
  note(event);
  if (owner_ == nullptr) return false;
  scratch_ = head_;
  runtime::append_frame(scratch_, event);
  scratch_ += '}';
  owner_->show(scratch_);
  if (scratch_.capacity() > kScratchKept) scratch_ = std::string();
  return owner_ != nullptr;
}

bool RunWatch::take_reply(const event::Event& event) {
  const runtime::Reply* reply = reader_.read(event).reply;
  if (reply != nullptr && reply->run_id && *reply->run_id != target_.run_id) return true;
  if (live_) {
    end(end_message(event));
    return false;
  }
  last_reply_ = event;
  return true;
}

// Records the state that later messages need, and ends the watch at the start of another run.
void RunWatch::note(const event::Event& event) {
  const std::string& type = event.type;
  const bool starts = type == "run_start";
  const bool usage = type == "usage";
  const bool asks = type == "tool_approval";
  const bool tool_goes_on = type == "tool_start" || type == "tool_end";
  const bool looked_at = starts || usage || asks || (tool_goes_on && !asked_.empty());
  if (looked_at) {
    const runtime::RunEvent* it = reader_.read(event).event;
    if (it == nullptr) return;
    if (const auto* start = std::get_if<runtime::RunStart>(it)) {
      if (start->run_id && *start->run_id != target_.run_id) {
        return end(last_reply_ ? end_message(*last_reply_)
                               : error_answer(target_.id, failure_prefix(target_.kind) +
                                                              "the run was interrupted"));
      }
    } else if (const auto* tokens = std::get_if<runtime::Usage>(it)) {
      usage_.clear();
      core::JsonWriter json(usage_);
      json.begin_object().key("prompt_tokens").number(tokens->prompt_tokens);
      json.key("completion_tokens").number(tokens->completion_tokens);
      json.key("total_tokens").number(tokens->total_tokens).end_object();
    } else if (const auto* approval = std::get_if<runtime::ToolApproval>(it)) {
      if (approval->call_id) asked_.insert(*approval->call_id);
    } else if (const auto* begun = std::get_if<runtime::ToolStart>(it)) {
      if (begun->call_id) asked_.erase(*begun->call_id);
    } else if (const auto* over = std::get_if<runtime::ToolEnd>(it)) {
      if (over->call_id) asked_.erase(*over->call_id);
    }
  }
  last_reply_.reset();
}

// --- the end -------------------------------------------------------------------------------------

std::string RunWatch::end_message(const event::Event& reply) {
  std::vector<core::JsonField> fields;
  std::vector<core::JsonField> unused;
  core::scan_object(reply.payload, runtime::kMaxLineDepth, {}, fields, unused);
  runtime::EventFields in(fields, false);
  const std::string stop_reason = in.optional_text("stop_reason").value_or("end_turn");
  if (stop_reason == "cancelled") return error_answer(target_.id, kRunCancelled);
  if (const std::optional<std::string> error = in.optional_text("error")) {
    return error_answer(target_.id, failure_prefix(target_.kind) + *error);
  }
  LoomAnswer answer("run_end", target_.id);
  answer.text("reply", in.optional_text("reply").value_or(""));
  const auto raw = [&](std::string_view name, std::string_view from) {
    if (in.find(from) != nullptr) answer.json().key(name).raw(in.raw(from));
  };
  raw("reasoning_content", "reasoning_content");
  if (!usage_.empty()) answer.json().key("usage").raw(usage_);
  raw("total_usage", "usage");
  answer.text("session_id", reply.session);
  raw("node_id", "node_id");
  answer.json().key("event_id").number(reply.seq);
  answer.text("run_id", target_.run_id).text("stop_reason", stop_reason);
  return answer.finish();
}

void RunWatch::end(std::string message) {
  if (owner_ == nullptr) return;
  const std::shared_ptr<RunWatch> keep = shared_from_this();
  WatchOwner* owner = owner_;
  stop();
  owner->on_watch_end(*this, std::move(message));
}

void RunWatch::on_leave_required(session::LeaveReason reason) {
  if (owner_ != nullptr) owner_->on_leave_required(reason);
}

}  // namespace parley::loom
