// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/message_list.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "base/core/json_member.h"
#include "base/core/limits.h"
#include "dialects/chat/chat_view.h"
#include "dialects/chat/wrapper.h"
#include "runtime/stream/frame.h"

namespace parley::chat {
namespace {

using core::Result;

constexpr std::string_view kAssistant = "ASSISTANT";

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRoles = {{
    {prompt::kMessageBlock, "AGENT_MESSAGE"},
    {prompt::kTodoWrite, "AGENT_PLAN"},
    {prompt::kStatusUpdate, "AGENT_STATUS"},
    {prompt::kError, "AGENT_ERROR"},
}};

// Members of a prompt beside its type and message.
std::string members(const ChatFrames::More& more) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  more(json);
  json.end_object();
  return out;
}

class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(event::SessionStore& store, run::RunService& runs, std::string owner, std::string session,
          core::Scheduler& scheduler, absl::AnyInvocable<void(Result<std::string>)> done)
      : store_(store),
        runs_(runs),
        owner_(std::move(owner)),
        session_(std::move(session)),
        scheduler_(scheduler),
        done_(std::move(done)),
        list_(session_),
        view_(list_, true) {}

  void begin() {
    event::ReadQuery last;
    last.session = session_;
    last.before = std::numeric_limits<std::uint64_t>::max();
    last.limit = 1;
    last.types = {std::string(kClearType)};
    store_.read(std::move(last), scheduler_,
                [self = shared_from_this()](const Result<event::EventPage>& page) {
                  if (!page) return self->done_(core::fail(page.error()));
                  self->read(page->events.empty() ? 0 : page->events.back().seq);
                });
  }

 private:
  void read(std::uint64_t after) {
    event::ReadQuery query;
    query.session = session_;
    query.after = after;
    query.limit = core::limits::kMaxPageEvents;
    query.types = {std::string(kRequestType),
                   std::string(kCommandType),
                   std::string(kRunStartType),
                   "message_chunk",
                   "usage",
                   "tool_call",
                   "tool_approval",
                   "tool_start",
                   "tool_output",
                   "tool_end",
                   "custom",
                   std::string(kOpenedType),
                   std::string(kClosedType),
                   std::string(runtime::kReplyType)};
    store_.read(std::move(query), scheduler_,
                [self = shared_from_this()](const Result<event::EventPage>& page) {
                  if (!page) return self->done_(core::fail(page.error()));
                  for (const event::Event& event : page->events) self->view_.take(event, true);
                  if (!page->events.empty()) self->last_at_ = page->events.back().at;
                  if (page->more && !page->events.empty()) {
                    return self->read(page->events.back().seq);
                  }
                  self->end();
                });
  }

  // A run without an end may be in progress, or lost with its server.
  void end() {
    view_.announce_all();
    if (view_.run_id().empty()) return done_(list_.json());
    runs_.find(owner_, view_.run_id(), scheduler_,
               [self = shared_from_this()](const Result<run::Run>& run) {
                 if (run && run->state == run::RunState::interrupted) {
                   self->view_.lose(self->last_at_);
                 }
                 self->done_(self->list_.json());
               });
  }

  event::SessionStore& store_;
  run::RunService& runs_;
  const std::string owner_;
  const std::string session_;
  core::Scheduler& scheduler_;
  absl::AnyInvocable<void(Result<std::string>)> done_;
  MessageList list_;
  ChatView view_;
  core::WallTime last_at_;
};

}  // namespace

void MessageList::prompt(std::string_view request_id, std::string_view type,
                         std::string_view message, const More& more) {
  if (type == prompt::kTerminalStart || type == prompt::kTerminalEnd) {
    in_terminal_ = type == prompt::kTerminalStart;
  } else if (type == prompt::kToolCalling) {
    add_call(request_id, more);
  } else if (type == prompt::kReplaced) {
    replace(more);
  } else if (type == prompt::kInterrupted || type == prompt::kComplete) {
    end_text();
  }
  const auto role = std::find_if(kRoles.begin(), kRoles.end(),
                                 [&](const auto& row) { return row.first == type; });
  if (role == kRoles.end()) return;
  end_text();
  add(request_id, role->second, message);
}

void MessageList::set_place(core::WallTime at, std::uint64_t seq) {
  if (seq != seq_ && seq != 0) rows_here_ = 0;
  at_ = at;
  if (seq != 0) seq_ = seq;
}

void MessageList::user_message(const ChatRequest& request) {
  add(request.request_id, request.is_order ? "USER_ORDER" : "USER", request.content);
}

void MessageList::stream(std::string_view request_id, std::string_view content) {
  if (in_terminal_) return;
  if (request_id != text_of_) end_text();
  text_of_ = request_id;
  if (text_.size() < kMaxListedBytes) text_ += content;
}

void MessageList::complete(std::string_view /*request_id*/, const TokenCount& /*tokens*/) {
  end_text();
}

void MessageList::end_text() {
  if (!text_.empty()) add(text_of_, kAssistant, std::exchange(text_, {}));
}

// Rows of one request stand together: a run that was lost with its server ends only when the next
// one begins, behind the message of that one.
void MessageList::add(std::string_view request_id, std::string_view role,
                      std::string_view content) {
  std::string id = std::to_string(seq_);
  if (++rows_here_ > 1) id += "-" + std::to_string(rows_here_);
  const auto last = std::find_if(rows_.rbegin(), rows_.rend(),
                                 [&](const Row& row) { return row.request_id == request_id; });
  rows_.insert(last == rows_.rend() ? rows_.end() : last.base(),
               Row{std::move(id), at_, std::string(request_id), role, std::string(content), {}});
  bytes_ += content.size();
  while (bytes_ > kMaxListedBytes && rows_.size() > 1) {
    bytes_ -= rows_.front().content.size() + rows_.front().calls.size();
    rows_.pop_front();
  }
}

// Adds a call to the message of the model call that made it.
void MessageList::add_call(std::string_view request_id, const More& more) {
  simdjson::dom::parser parser;
  simdjson::dom::object call;
  if (parser.parse(members(more)).get(call) != simdjson::SUCCESS) return;
  const std::string name = core::string_member(call, "toolName");
  if (name.empty()) return;
  end_text();
  if (rows_.empty() || rows_.back().role != kAssistant || rows_.back().request_id != request_id) {
    add(request_id, kAssistant, {});
  }
  std::string& calls = rows_.back().calls;
  const std::size_t before = calls.size();
  if (!calls.empty()) calls += ',';
  core::JsonWriter json(calls);
  json.begin_object().key("id").string(core::string_member(call, "toolCallId"));
  json.key("name").string(name);
  json.key("arguments").string(core::string_member(call, "toolArgs")).end_object();
  bytes_ += calls.size() - before;
}

void MessageList::replace(const More& more) {
  simdjson::dom::parser parser;
  simdjson::dom::object data;
  if (parser.parse(members(more)).get(data) != simdjson::SUCCESS) return;
  const std::string replaced = core::string_member(data, "replaces");
  const auto from = std::find_if(rows_.begin(), rows_.end(),
                                 [&](const Row& row) { return row.request_id == replaced; });
  for (auto row = from; row != rows_.end(); ++row)
    bytes_ -= row->content.size() + row->calls.size();
  rows_.erase(from, rows_.end());
}

std::string MessageList::json() const {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const Row& row : rows_) write(json, row);
  json.end_array();
  return out;
}

void MessageList::write(core::JsonWriter& json, const Row& row) const {
  const std::string when = date_text(core::to_unix_ms(row.at));
  std::string chat;
  core::JsonWriter content(chat);
  content.begin_object();
  if (row.role == kAssistant) {
    content.key("type").string("ai").key("content").string(row.content).key("toolRequests");
    if (row.calls.empty()) {
      content.null();
    } else {
      content.raw("[" + row.calls + "]");
    }
  } else {
    content.key("type").string("user").key("contents").begin_array().begin_object();
    content.key("type").string("text").key("text").string(row.content);
    content.end_object().end_array();
  }
  content.end_object();
  json.begin_object().key("id").string(row.id);
  json.key("createTime").string(when).key("updateTime").string(when);
  json.key("sessionCode").string(session_code_).key("requestId").string(row.request_id);
  json.key("role").string(row.role);
  json.key("content").string(row.role == kAssistant ? std::string_view() : row.content);
  json.key("chatContent").string(chat).key("metadata").null().end_object();
}

void list_messages(event::SessionStore& store, run::RunService& runs, std::string owner,
                   std::string session, core::Scheduler& scheduler,
                   absl::AnyInvocable<void(Result<std::string>)> done) {
  std::make_shared<Listing>(store, runs, std::move(owner), std::move(session), scheduler,
                            std::move(done))
      ->begin();
}

}  // namespace parley::chat
