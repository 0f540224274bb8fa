// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_connection.h"

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/limits.h"
#include "base/core/utf8.h"
#include "runtime/run/run.h"
#include "runtime/stream/frame.h"

namespace parley::chat {
namespace {

constexpr std::string_view kBadToken = "the token is no longer valid";
// Limit of the events read to find the run in progress.
constexpr std::size_t kContextEvents = 64;

// First event of the newest `limit` messages, whose first events are in `page`; 0: there are no
// older messages. A message starts with its request or, if it has none, with its run.
std::uint64_t first_replayed(const event::EventPage& page, std::size_t limit) {
  std::size_t messages = 0;
  std::uint64_t begins = 0;
  std::string run;  // run id of the last first event found; empty: it was a request
  for (std::size_t i = page.events.size(); i-- > 0;) {
    const event::Event& event = page.events[i];
    const ChatRequest begun = read_request(event);
    if (run.empty() || event.type != kRequestType || begun.run_id != run) {
      if (messages == limit) return begins;
      ++messages;
    }
    run = event.type == kRunStartType ? begun.run_id : std::string();
    begins = event.seq;
  }
  return page.more ? begins : 0;
}

}  // namespace

ChatConnection::ChatConnection(ChatContext& context, ChatCaller caller)
    : context_(context),
      caller_(std::move(caller)),
      frames_(caller_.session_code,
              [this](std::string_view frame) {
                if (socket_ != nullptr) socket_->send_text(frame);
              }),
      view_(frames_, caller_.detail) {
  frames_.set_generation(caller_.generation);
}

// A destructor without a preceding on_close() means that the server is being destroyed: nothing is
// sent.
ChatConnection::~ChatConnection() {
  socket_ = nullptr;
  cut_link();
}

void ChatConnection::on_open(net::WebSocket& socket) {
  socket_ = &socket;
  link_ = std::make_shared<ChatConnection*>(this);
  client_id_ = core::new_id(scheduler().clock(), context_.entropy);
  socket.set_resume_hint("too slow: reconnect with ?after= and the last seq");
  token_watch_ = context_.verifier.watchers().watch(
      caller_.owner, scheduler(), core::unless_gone(link_, &ChatConnection::still_allowed));
  if (still_allowed()) subscribe();
}

void ChatConnection::on_close(net::WebSocket& /*socket*/, std::uint16_t /*code*/,
                              std::string_view /*reason*/) {
  socket_ = nullptr;
  cut_link();
}

void ChatConnection::cut_link() {
  token_watch_.reset();
  if (link_) *link_ = nullptr;
  link_.reset();
  subscription_ = {};
}

void ChatConnection::close(std::uint16_t code, std::string_view reason) {
  if (socket_ == nullptr) return;
  std::exchange(socket_, nullptr)->close(code, reason);
  cut_link();
}

// False: the token is no longer valid, or the connection has closed.
bool ChatConnection::still_allowed() {
  if (socket_ == nullptr) return false;
  const auto still = context_.verifier.verify(caller_.token, socket_->peer());
  if (still && still->workspace == caller_.owner) return true;
  close(net::close_code::kUnauthenticated, kBadToken);
  return false;
}

session::SessionKey ChatConnection::session_key() const {
  return run::run_session(caller_.session_code, caller_.owner, run::kChatDialect);
}

// --- output -------------------------------------------------------------------------------------

void ChatConnection::subscribe() {
  session::ParticipantInfo info;
  info.client_id = client_id_;
  info.nickname = caller_.name;
  info.role = session::ParticipantRole::user;
  info.dialect = run::kChatDialect;
  info.connected_at = scheduler().clock().wall();
  session::Subscription::Events events;
  events.joined = [this](const core::Result<std::uint64_t>& visible) { on_joined(visible); };
  events.events = [this](const event::UnitPtr& unit) { on_events(*unit); };
  events.opened = [this](const session::InteractionPtr& it) { on_opened(*it); };
  events.closed = [this](const session::InteractionPtr& it) { on_closed(*it); };
  events.left = [this](session::LeaveReason reason) {
    switch (reason) {
      case session::LeaveReason::token_revoked:
        return close(net::close_code::kUnauthenticated, kBadToken);
      case session::LeaveReason::shutting_down:
        return close(net::close_code::kGoingAway, session::leave_text(reason));
      case session::LeaveReason::home_moved:
        return close(net::close_code::kTryAgainLater, session::leave_text(reason, position_));
    }
  };
  subscription_ = session::Subscription(context_.hub, session_key(), scheduler());
  subscription_.watch(std::move(info), std::move(events));
}

void ChatConnection::on_joined(const core::Result<std::uint64_t>& visible) {
  if (!visible) return close(net::close_code::kTryAgainLater, visible.error().message);
  visible_ = std::max(visible_, *visible);
  // A client may name a number beyond the session's last event.
  shown_to_ = std::min(caller_.after.value_or(visible_), visible_);
  if (visible_ - shown_to_ <= context_.options.replayed_messages) return read_context(shown_to_);
  bound_replay();
}

// Limits the replay: events of messages older than the newest ones are not sent again.
void ChatConnection::bound_replay() {
  event::ReadQuery query;
  query.session = caller_.session_code;
  query.before = visible_ + 1;
  query.limit = std::min(2 * context_.options.replayed_messages, core::limits::kMaxPageEvents);
  query.types = {std::string(kRequestType), std::string(kCommandType), std::string(kRunStartType),
                 std::string(kClearType)};
  context_.store.read(
      std::move(query), scheduler(), [link = link_](const core::Result<event::EventPage>& page) {
        if (*link == nullptr) return;
        ChatConnection& self = **link;
        if (!page) return self.close(net::close_code::kTryAgainLater, page.error().message);
        const std::uint64_t begins = first_replayed(*page, self.context_.options.replayed_messages);
        if (begins > self.shown_to_ + 1) self.send_replay_cut(begins - 1);
        self.read_context(self.shown_to_);
      });
}

void ChatConnection::send_replay_cut(std::uint64_t after) {
  context_.counters.replays_cut.add();
  shown_to_ = after;
  frames_.set_place(scheduler().clock().wall(), 0);
  frames_.prompt({}, prompt::kReplayCut,
                 "Older messages are not sent again: GET /api/v1/sessions/" + caller_.session_code +
                     "/messages lists them.",
                 [after](core::JsonWriter& data) { data.key("after").number(after); });
}

// Finds the run in progress at this event, and its request.
void ChatConnection::read_context(std::uint64_t until) {
  event::ReadQuery query;
  query.session = caller_.session_code;
  query.before = until + 1;
  query.limit = kContextEvents;
  query.max_bytes = context_.options.page_bytes;
  query.types = {std::string(kRequestType), std::string(kRunStartType),
                 std::string(runtime::kReplyType)};
  context_.store.read(std::move(query), scheduler(),
                      core::unless_gone(link_, [until](ChatConnection& self,
                                                       const core::Result<event::EventPage>& page) {
                        self.on_context(page, until);
                      }));
}

void ChatConnection::on_context(const core::Result<event::EventPage>& page, std::uint64_t until) {
  if (!page) return close(net::close_code::kTryAgainLater, page.error().message);
  position_ = until;
  for (const event::Event& event : page->events) {
    view_.take(event, false);
    // The view needs all events of a run in progress.
    if (event.type == kRunStartType) position_ = event.seq - 1;
    if (view_.run_id().empty()) position_ = until;
  }
  read_on();
}

void ChatConnection::read_on() {
  if (socket_ == nullptr) return;
  if (socket_->queued_bytes() > context_.options.watermark) {
    scheduler().after(context_.options.retry_delay,
                      core::unless_gone(link_, &ChatConnection::read_on));
    return;
  }
  if (position_ >= visible_) return go_live();
  reading_to_ = visible_;
  event::ReadQuery query;
  query.session = caller_.session_code;
  query.after = position_;
  query.limit = context_.options.page_events;
  query.max_bytes = context_.options.page_bytes;
  context_.store.read(std::move(query), scheduler(),
                      core::unless_gone(link_, &ChatConnection::on_page));
}

void ChatConnection::on_page(const core::Result<event::EventPage>& page) {
  if (!page) return close(net::close_code::kTryAgainLater, page.error().message);
  for (const event::Event& event : page->events) {
    if (event.seq <= position_) continue;
    position_ = event.seq;
    show(event, event.seq > shown_to_);
  }
  const bool more = page->more && !page->events.empty();
  // A read returns every stored event that was visible before it: an event missing from it is
  // lost.
  if (!more) position_ = std::max({position_, page->last_seq, reading_to_});
  read_on();
}

void ChatConnection::go_live() {
  live_ = true;
  if (view_.run_id().empty()) return;
  // Sends the open requests of the run again, unless the run has ended: answers to them would have
  // no effect.
  check_run([this](bool goes_on) {
    if (!goes_on) return;
    for (WaitingTool& tool : tools_) view_.ask_tool(tool);
  });
}

void ChatConnection::on_events(const event::Unit& unit) {
  visible_ = std::max(visible_, unit.events.back().seq);
  if (!live_ || socket_ == nullptr) return;
  for (const event::Event& event : unit.events) {
    if (event.seq <= position_) continue;
    position_ = event.seq;
    show(event, true);
  }
  socket_->set_resume_seq(position_);
}

void ChatConnection::show(const event::Event& event, bool shown) {
  view_.take(event, shown);
  if (event.type == kRunStartType && shown) look_up_token_limit();
  if (clears_after_ && view_.run_id().empty()) {
    append_clear(*std::exchange(clears_after_, std::nullopt));
  }
  // From the event of /clear on the client may send again, even before the callback of its own
  // /clear runs.
  if (event.type == kClearType) end_clear(read_request(event).request_id);
}

// The limit is sent to front ends, which show how full the model's context is.
void ChatConnection::look_up_token_limit() {
  context_.runs.find(
      caller_.owner, view_.run_id(), scheduler(),
      answering<run::Run>([](ChatConnection& self, const core::Result<run::Run>& run) {
        if (!run) return;
        const auto model = self.context_.runs.models().find(run->model);
        if (model) self.view_.set_token_limit((*model)->context_tokens());
      }));
}

void ChatConnection::on_opened(const session::Interaction& interaction) {
  if (interaction.kind == session::InteractionKind::question) {
    questions_.push_back({interaction.key});
    return;
  }
  std::optional<WaitingTool> tool = waiting_tool(interaction);
  if (!tool) return;
  tools_.push_back(std::move(*tool));
  if (live_) view_.ask_tool(tools_.back());
}

void ChatConnection::on_closed(const session::Interaction& interaction) {
  std::erase_if(questions_,
                [&](const WaitingQuestion& question) { return question.key == interaction.key; });
  const auto closed = std::find_if(tools_.begin(), tools_.end(), [&](const WaitingTool& tool) {
    return tool.key == interaction.key;
  });
  if (closed != tools_.end()) tools_.erase(closed);
}

}  // namespace parley::chat
