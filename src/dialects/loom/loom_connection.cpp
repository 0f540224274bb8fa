// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/loom_connection.h"

#include <simdjson.h>

#include <algorithm>
#include <array>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/utf8.h"
#include "dialects/loom/loom_answer.h"
#include "identity/access/entrance.h"
#include "model/session/bring_home.h"
#include "runtime/model/message_parts.h"

namespace parley::loom {
namespace {

constexpr std::string_view kSocket = "/loom/ws ";
constexpr std::string_view kBadToken = "the token is no longer valid";

core::Result<model::Message> read_message(const core::JsonField* field) {
  if (field == nullptr) {
    return core::fail(core::Code::invalid_argument, "missing field `message`", "message");
  }
  simdjson::dom::parser parser;
  simdjson::dom::element value;
  const simdjson::padded_string text(field->value);
  if (parser.parse(text).get(value) != simdjson::SUCCESS) {
    return core::fail(core::Code::invalid_argument, "\"message\" is not valid JSON", "message");
  }
  return model::user_message_from(value);
}

}  // namespace

struct LoomConnection::Wanted {
  RunWatch::Target target;
  run::RunRequest request;
  std::string workspace;
};

LoomConnection::LoomConnection(LoomContext& context, LoomCaller caller)
    : context_(context), caller_(std::move(caller)) {}

// A destructor without a preceding on_close() means that the server is being destroyed: nothing is
// sent.
LoomConnection::~LoomConnection() {
  socket_ = nullptr;
  cut_link();
}

void LoomConnection::on_open(net::WebSocket& socket) {
  socket_ = &socket;
  link_ = std::make_shared<LoomConnection*>(this);
  socket.set_resume_hint("too slow: reconnect and attach after the last event_id");
  watch_token();
}

void LoomConnection::on_message(net::WebSocket& /*socket*/, net::MessageType type,
                                std::string_view data) {
  if (type == net::MessageType::binary && !core::is_utf8(data)) {
    return refuse({}, "parse error: the message is not UTF-8");
  }
  take(data);
}

void LoomConnection::on_close(net::WebSocket& /*socket*/, std::uint16_t /*code*/,
                              std::string_view /*reason*/) {
  socket_ = nullptr;
  cut_link();
}

void LoomConnection::watch_token() {
  unwatch_token();
  watching_ = std::make_shared<bool>(true);
  token_watch_ = context_.verifier().watchers().watch(caller_.owner, scheduler(),
                                                      [link = link_, watching = watching_] {
                                                        if (*watching && *link != nullptr)
                                                          (*link)->still_allowed();
                                                      });
  still_allowed();
}

// A callback that is posted already finds `watching_` false. It reads that flag first, because the
// connection may have moved to another thread meanwhile.
void LoomConnection::unwatch_token() {
  token_watch_.reset();
  if (const auto watching = std::exchange(watching_, nullptr)) *watching = false;
}

void LoomConnection::cut_link() {
  unwatch_token();
  if (link_) *link_ = nullptr;
  link_.reset();
  for (const auto& [id, watch] : std::exchange(watches_, {})) watch->stop();
}

void LoomConnection::close(std::uint16_t code, std::string_view reason) {
  if (socket_ == nullptr) return;
  std::exchange(socket_, nullptr)->close(code, reason);
  cut_link();
}

void LoomConnection::send(std::string_view text) {
  if (socket_ != nullptr) socket_->send_text(text);
}

std::size_t LoomConnection::queued() const {
  return socket_ == nullptr ? 0 : socket_->queued_bytes();
}

void LoomConnection::refuse(std::string_view id, std::string_view error) {
  context_.counters().errors.add();
  send(error_answer(id, error));
}

bool LoomConnection::refused(const std::string& id, runtime::EventFields& in) {
  if (!in.fault()) return false;
  refuse(id, "parse error: " + in.fault()->message);
  return true;
}

// False: the token is no longer valid, and the connection has been closed.
bool LoomConnection::still_allowed() {
  const auto still = context_.verifier().verify(caller_.token, socket_->peer());
  if (still && still->workspace == caller_.owner) return true;
  close(net::close_code::kUnauthenticated, kBadToken);
  return false;
}

// --- requests ------------------------------------------------------------------------------------

const LoomConnection::Row* LoomConnection::find_row(std::string_view type) {
  static constexpr std::array<Row, 17> kRows = {{
      {"run", &LoomConnection::run},
      {"attach", &LoomConnection::attach},
      {"cancel_run", &LoomConnection::cancel_run},
      {"approve", &LoomConnection::approve},
      {"ping", &LoomConnection::ping},
      {"tools_list", &LoomConnection::tools_list},
      {"tool_show", &LoomConnection::tool_show},
      {"user_messages", &LoomConnection::user_messages},
      {"agent_list", &LoomConnection::agent_list},
      {"list_models", &LoomConnection::list_models},
      {"set_model", &LoomConnection::set_model},
      {"workspace_list", &LoomConnection::workspace_list},
      {"workspace_create", &LoomConnection::workspace_create},
      {"workspace_rename", &LoomConnection::workspace_rename},
      {"workspace_thread_list", &LoomConnection::workspace_thread_list},
      {"workspace_thread_add", &LoomConnection::workspace_thread_add},
      {"workspace_thread_remove", &LoomConnection::workspace_thread_remove},
  }};
  const auto* const found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.type == type; });
  return found == kRows.end() ? nullptr : found;
}

void LoomConnection::take(std::string_view data) {
  if (socket_ == nullptr) return;
  if (moving_) {
    carried_.emplace_back(data);
    return;
  }
  if (!still_allowed()) return;
  context_.counters().requests.add();
  const core::ScanResult scanned =
      core::scan_object(data, context_.options().max_depth, {}, fields_, unused_);
  // A failed scan leaves the members before the fault; the id is mostly one of them.
  runtime::EventFields in(fields_, false);
  const std::string id = in.optional_text("id").value_or("");
  if (scanned == core::ScanResult::too_deep) {
    return refuse(id, "parse error: the JSON is nested too deeply");
  }
  if (scanned != core::ScanResult::ok) {
    return refuse(id, "parse error: the message is not a JSON object");
  }
  const std::string type = in.text("type");
  if (refused(id, in)) return;
  const Row* row = find_row(type);
  if (row == nullptr) return refuse(id, "parse error: unknown request type \"" + type + '"');
  if (waiting_ >= context_.options().max_waiting) {
    return refuse(id,
                  type + ": too many requests of this connection are waiting for their answers");
  }
  const access::Row& needs = access::row_of("message", std::string(kSocket) + type);
  if (const auto allowed = access::check_right(needs, caller_.rights); !allowed) {
    return refuse(id, type + ": " + allowed.error().message);
  }
  (this->*row->handle)(id, in);
}

// --- runs ----------------------------------------------------------------------------------------

std::unique_ptr<LoomConnection::Wanted> LoomConnection::read_run(const std::string& id,
                                                                 runtime::EventFields& in) {
  auto wanted = std::make_unique<Wanted>();
  core::Result<model::Message> message = read_message(in.find("message"));
  if (!message) {
    refuse(id, "parse error: " + message.error().message);
    return nullptr;
  }
  run::RunRequest& request = wanted->request;
  request.message = std::move(*message);
  request.owner = caller_.owner;
  request.leave = {caller_.rights.has(auth::Right::run_auto),
                   caller_.rights.has(auth::Right::admin)};
  request.agent = in.optional_text("agent").value_or("react");
  request.session = in.optional_text("thread_id").value_or("");
  request.working_folder = in.optional_text("working_folder").value_or("");
  request.model = in.optional_text("model").value_or(model_);
  wanted->workspace = in.optional_text("workspace_id").value_or("");
  const bool adaptive = in.find("got_adaptive") != nullptr && in.flag("got_adaptive");
  if (in.find("verbose") != nullptr) in.flag("verbose");
  if (refused(id, in)) return nullptr;
  if (adaptive && request.agent == "got") request.agent = "agot";
  const core::Clock& clock = scheduler().clock();
  if (request.session.empty()) {
    request.session = "session-" + core::new_id(clock, context_.entropy());
  }
  request.run_id = "run-" + core::new_id(clock, context_.entropy());
  if (!wanted->workspace.empty()) request.labels["workspace"] = wanted->workspace;
  wanted->target.id = id.empty() ? request.run_id : id;
  wanted->target.run_id = request.run_id;
  wanted->target.session = request.session;
  wanted->target.owner = caller_.owner;
  wanted->target.starts_run = true;
  return wanted;
}

bool LoomConnection::may_watch(const std::string& id) {
  if (watches_.contains(id)) {
    refuse(id, "run: this connection already follows the run with this id");
    return false;
  }
  if (watches_.size() < context_.options().max_watched) return true;
  refuse(id, "run: this connection already follows the maximum number of runs");
  return false;
}

void LoomConnection::run(const std::string& id, runtime::EventFields& in) {
  std::unique_ptr<Wanted> wanted = read_run(id, in);
  if (!wanted || !may_watch(wanted->target.id)) return;
  if (!core::is_safe_id(wanted->request.session)) {
    return refuse(wanted->target.id,
                  "run: thread_id must have 1 to 64 of the characters A-Z a-z 0-9 . _ -");
  }
  if (moved_ || waiting_ > 0 || !watches_.empty()) return begin(std::move(wanted));
  const std::string session = wanted->request.session;
  moving_ = true;
  unwatch_token();
  auto arrived = [link = link_, from = &scheduler(), wanted = std::move(wanted)]() mutable {
    if (*link == nullptr) return;
    LoomConnection& self = **link;
    self.moving_ = false;
    self.moved_ = &self.scheduler() != from;
    self.watch_token();
    if (*link == nullptr) return;
    self.begin(std::move(wanted));
    for (const std::string& data : std::exchange(self.carried_, {})) {
      if (*link == nullptr) return;
      self.take(data);
    }
  };
  session::bring_home(*socket_, context_.hub(), session, std::move(arrived));
}

std::shared_ptr<RunWatch> LoomConnection::add_watch(RunWatch::Target target) {
  std::string id = target.id;
  WatchOwner& owner = *this;
  auto watch = std::make_shared<RunWatch>(context_, scheduler(), owner, std::move(target));
  watches_[std::move(id)] = watch;
  return watch;
}

void LoomConnection::begin(std::unique_ptr<Wanted> wanted) {
  const std::shared_ptr<RunWatch> watch = add_watch(wanted->target);
  watch->join(caller_.name, [this, weak = std::weak_ptr(watch),
                             wanted = std::move(wanted)](core::Result<void> joined) mutable {
    const auto self = weak.lock();
    if (!self) return;
    if (!joined) return drop(*self, joined.error());
    start(self, std::move(wanted));
  });
}

void LoomConnection::drop(RunWatch& watch, const core::Error& error) {
  const std::string id = watch.target().id;
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  const std::shared_ptr<RunWatch> keep = std::move(found->second);
  watches_.erase(found);
  keep->stop();
  const bool cancelled = error.code == core::Code::cancelled;
  refuse(id, cancelled ? std::string(kRunCancelled) : "run: " + error.message);
}

void LoomConnection::start(const std::shared_ptr<RunWatch>& watch, std::unique_ptr<Wanted> wanted) {
  std::string workspace = std::move(wanted->workspace);
  context_.runs().start(
      std::move(wanted->request), scheduler(),
      answering<run::Run>([weak = std::weak_ptr(watch), workspace = std::move(workspace)](
                              LoomConnection& self, core::Result<run::Run> run) {
        const auto live = weak.lock();
        if (!live) return;
        if (!run) return self.drop(*live, run.error());
        live->set_kind(run->kind);
        if (!workspace.empty() && self.context_.workspaces() != nullptr) {
          self.context_.workspaces()->add_thread(self.caller_.owner, workspace, run->session,
                                                 self.scheduler(), [](core::Result<void>) {});
        }
        live->begin_at(run->first_seq);
      }));
}

void LoomConnection::attach(const std::string& id, runtime::EventFields& in) {
  const std::string run_id = run_id_of(in.text("run_id"));
  const std::uint64_t after = in.optional_count("after").value_or(0);
  if (refused(id, in)) return;
  if (!may_watch(id.empty() ? run_id : id)) return;
  context_.runs().find(
      caller_.owner, run_id, scheduler(),
      answering<run::Run>([id, after](LoomConnection& self, core::Result<run::Run> run) {
        if (!run) return self.refuse(id, "attach: " + run.error().message);
        if (run->ended_at && run->first_seq == 0) {
          return self.refuse(id, "attach: the run ended before it began");
        }
        self.attach_to(id, *run, after);
      }));
}

void LoomConnection::attach_to(const std::string& id, const run::Run& run, std::uint64_t after) {
  RunWatch::Target target{id.empty() ? run.id : id, run.id, run.session, caller_.owner, run.kind};
  if (!may_watch(target.id)) return;
  const std::shared_ptr<RunWatch> watch = add_watch(std::move(target));
  // A client that has seen all events gets the last one again, because it contains the end of the
  // run.
  if (run.last_seq > 0) after = std::min(after, run.last_seq - 1);
  if (run.state == run::RunState::interrupted) {
    watch->end_when_read("the run was interrupted; it can be resumed");
  }
  const std::uint64_t from = std::max(after + 1, run.first_seq);
  watch->join(caller_.name,
              core::unless_gone(std::weak_ptr(watch),
                                [this, from](RunWatch& self, core::Result<void> joined) {
                                  if (!joined) return drop(self, joined.error());
                                  self.begin_at(from);
                                }));
}

std::string LoomConnection::run_id_of(const std::string& id) const {
  const auto found = watches_.find(id);
  return found == watches_.end() ? id : found->second->target().run_id;
}

void LoomConnection::cancel_run(const std::string& id, runtime::EventFields& in) {
  const std::string asked = in.text("run_id");
  if (refused(id, in)) return;
  const auto send_acks = [id, asked](LoomConnection& self) {
    for (const std::string_view type : {"cancel_run", "cancel_run_ack"}) {
      self.send(LoomAnswer(type, id).text("run_id", asked).finish());
    }
  };
  const auto own = watches_.find(asked);
  if (own != watches_.end() && own->second->awaits_start()) {
    drop(*own->second, core::Error{core::Code::cancelled, std::string(kRunCancelled)});
    return send_acks(*this);
  }
  context_.runs().cancel(
      caller_.owner, run_id_of(asked), scheduler(),
      answering<run::Run>(id, "cancel_run",
                          [send_acks](LoomConnection& self, const auto&) { send_acks(self); }));
}

void LoomConnection::approve(const std::string& id, runtime::EventFields& in) {
  const std::string call_id = in.text("call_id");
  std::string run_id = run_id_of(in.optional_text("run_id").value_or(""));
  run::RunService::ApprovalAnswer answer{
      {caller_.authority, {caller_.name, caller_.name}, session::Channel::loom}};
  answer.allow = in.flag("allow");
  answer.reason = in.optional_text("reason").value_or("");
  if (refused(id, in)) return;
  if (run_id.empty()) {
    for (const auto& [name, watch] : watches_) {
      if (watch->waits_for(call_id)) run_id = watch->target().run_id;
    }
    if (run_id.empty()) {
      return refuse(id, "approve: no run of this connection waits for the call " + call_id +
                            "; name it with run_id");
    }
  }
  context_.runs().approve(
      caller_.owner, run_id, call_id, std::move(answer), scheduler(),
      answering<bool>(id, "approve",
                      [id, call_id, run_id](LoomConnection& self, core::Result<bool> won) {
                        LoomAnswer out("approve", id);
                        out.text("run_id", run_id).text("call_id", call_id);
                        out.json().key("won").boolean(*won);
                        self.send(out.finish());
                      }));
}

// --- callbacks of watches -----------------------------------------------------------------------

void LoomConnection::on_watch_end(RunWatch& watch, std::string message) {
  const auto found = watches_.find(watch.target().id);
  if (found != watches_.end() && found->second.get() == &watch) watches_.erase(found);
  send(message);
}

void LoomConnection::on_leave_required(session::LeaveReason reason) {
  switch (reason) {
    case session::LeaveReason::token_revoked:
      return close(net::close_code::kUnauthenticated, kBadToken);
    case session::LeaveReason::shutting_down:
      return close(net::close_code::kGoingAway, session::leave_text(reason));
    case session::LeaveReason::home_moved:
      return close(net::close_code::kTryAgainLater, session::leave_text(reason));
  }
}

}  // namespace parley::loom
