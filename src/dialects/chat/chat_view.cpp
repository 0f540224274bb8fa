// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_view.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "base/core/json_member.h"
#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "dialects/chat/status_tool.h"
#include "model/session/approval.h"
#include "runtime/agent/model_turn.h"
#include "runtime/run/approval_question.h"
#include "runtime/run/run.h"
#include "runtime/stream/frame.h"
#include "runtime/tool/inbox.h"

namespace parley::chat {
namespace {

// Limit of kept requests whose runs have not started. Several are kept only if clients send at the
// same time.
constexpr std::size_t kKeptRequests = 16;
// Tools whose calls front ends show as cards of their own.
constexpr std::string_view kTodoTool = "todo_write";
// Limit of a result in a frame, in bytes; the run's events contain the whole result.
constexpr std::size_t kMaxShownResult = 64U << 10U;

// The run that is resumed, if an event says so.
std::string resumed_run(const runtime::Custom& custom) {
  if (!custom.value.starts_with(R"({"resumed")")) return {};
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  simdjson::dom::object resumed;
  if (parser.parse(custom.value).get(object) != simdjson::SUCCESS ||
      object["resumed"].get(resumed) != simdjson::SUCCESS) {
    return {};
  }
  return core::string_member(resumed, "run_id");
}

// The entries of todo_write in the form of front ends of the second generation.
std::string todo_list(std::string_view arguments, core::WallTime at) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  simdjson::dom::array todos;
  const simdjson::padded_string padded(arguments);
  if (parser.parse(padded).get(object) == simdjson::SUCCESS &&
      object["todos"].get(todos) == simdjson::SUCCESS) {
    for (const simdjson::dom::element one : todos) {
      simdjson::dom::object todo;
      if (one.get(todo) != simdjson::SUCCESS) continue;
      const std::string content = core::string_member(todo, "content");
      std::string status = core::string_member(todo, "status");
      if (status == "cancelled") continue;  // front ends have no such state
      if (status.empty()) status = "pending";
      const std::string when = std::to_string(core::to_unix_ms(at));
      json.begin_object().key("content").string(content).key("activeForm").string(content);
      json.key("status").string(status).key("createdAt").string(when);
      json.key("updatedAt").string(when).end_object();
    }
  }
  json.end_array();
  return out;
}

// A card from the server itself.
std::string notice_card(std::string_view title, std::string_view message, core::WallTime at) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("message").string(message).key("phase").string("discovery");
  json.key("title").string(title);
  json.key("timestamp").string(std::to_string(core::to_unix_ms(at))).end_object();
  return out;
}

std::string status_card(std::string_view arguments, core::WallTime at) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const simdjson::padded_string padded(arguments);
  if (parser.parse(padded).get(object) == simdjson::SUCCESS) {
    for (const std::string_view name : {"message", "phase", "title"}) {
      json.key(name).string(core::string_member(object, name));
    }
  }
  json.key("timestamp").string(std::to_string(core::to_unix_ms(at))).end_object();
  return out;
}

}  // namespace

void ChatView::take(const event::Event& event, bool show) {
  show_ = show;
  now_ = event.at;
  frames_.set_place(event.at, event.seq);
  if (event.type == kRequestType) return take_request(event);
  if (event.type == kClearType) return take_clear(event);
  if (event.type == kCommandType) return take_command(event);
  if (event.type == kOpenedType) return on_opened(event);
  if (event.type == kClosedType) return on_closed(event);
  // A chat shows no state of a run.
  if (!runtime::is_frame(event.type) || runtime::is_state(event.type)) return;
  const auto [it, reply] = reader_.read(event);
  if (reply != nullptr) return end(*reply);
  if (it == nullptr) return;
  if (const auto* start = std::get_if<runtime::RunStart>(it)) {
    return begin(start->run_id.value_or(""), start->message.value_or(""));
  }
  if (!run_id_.empty()) return on_event(*it);
  if (const auto* custom = std::get_if<runtime::Custom>(it)) {
    if (std::string resumed = resumed_run(*custom); !resumed.empty()) begin(resumed, {});
  }
}

void ChatView::take_request(const event::Event& event) {
  ChatRequest request = read_request(event);
  if (detail_ && show_) {
    if (!request.replaces.empty()) {
      frames_.prompt(request.request_id, prompt::kReplaced, "", [&](core::JsonWriter& data) {
        data.key("replaces").string(request.replaces);
      });
    }
    frames_.user_message(request);
  }
  request.content.clear();
  requests_.push_back(std::move(request));
  if (requests_.size() > kKeptRequests) requests_.pop_front();
}

void ChatView::take_clear(const event::Event& event) {
  request_id_ = read_request(event).request_id;
  messages_ = 0;
  if (second()) {
    prompt(prompt::kStarted, "Started.");
    prompt(prompt::kClear, "The conversation was cleared.");
    if (show_) frames_.token_usage(request_id_, counts(runtime::Usage{}));
    prompt(prompt::kComplete, "Complete.");
  } else if (show_) {
    frames_.stream(request_id_, "The conversation was cleared.");
    frames_.complete(request_id_, {});
  }
  request_id_.clear();
}

void ChatView::take_command(const event::Event& event) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (!show_ || parser.parse(event.payload).get(object) != simdjson::SUCCESS) return;
  ChatCommand command;
  command.request_id = core::string_member(object, "request_id");
  command.content = core::string_member(object, "content");
  command.reply = core::string_member(object, "reply");
  show_command(command);
}

// Leaves the state of a run in progress unchanged.
void ChatView::show_command(const ChatCommand& command) {
  const std::string& id = command.request_id;
  if (detail_) {
    ChatRequest order;
    order.request_id = id;
    order.is_order = true;
    order.content = command.content;
    frames_.user_message(order);
  }
  if (second()) {
    frames_.prompt(id, prompt::kStarted, "Started.");
    frames_.prompt(id, prompt::kMessageBlock, command.reply);
  } else {
    frames_.stream(id, command.reply);
  }
  if (second()) return frames_.prompt(id, prompt::kComplete, "Complete.");
  frames_.complete(id, {});
}

// A run that another interface started has no request: its run id is the request id, and its
// message is sent now. A run that is still in progress was lost with its server.
void ChatView::begin(std::string run_id, std::string_view message) {
  if (run_id != run_id_) lose_run();
  run_id_ = std::move(run_id);
  const auto request =
      std::find_if(requests_.begin(), requests_.end(),
                   [this](const ChatRequest& each) { return each.run_id == run_id_; });
  const bool of_chat = request != requests_.end();
  request_id_ = of_chat ? request->request_id : run_id_;
  is_order_ = of_chat && request->is_order;
  if (!of_chat && !message.empty() && detail_ && show_) {
    ChatRequest elsewhere;
    elsewhere.request_id = run_id_;
    elsewhere.content = message;
    frames_.user_message(elsewhere);
  }
  streamed_ = false;
  summarised_ = false;
  tools_ = 0;
  announced_.clear();
  postponed_.clear();
  under_way_.clear();
  calls_.clear();
  // A resumed run still waits for its questions.
  std::erase_if(asked_, [prefix = tool::question_prefix(run_id_)](const auto& asked) {
    return !asked.first.starts_with(prefix);
  });
  paused_ = asks();
  terminal_.clear();
  if (second()) prompt(prompt::kStarted, "Started.");
  if (!is_order_) think();
}

void ChatView::think() {
  prompt(prompt::kThinking, "Thinking...");
  in_model_call_ = true;
  streamed_here_ = false;
  usage_.reset();
}

// One AGENT_COMPLETE per model call, whether or not the model reported its tokens.
void ChatView::end_model_call() {
  if (!std::exchange(in_model_call_, false) || !second() || !show_) return;
  frames_.complete(request_id_, counts(usage_));
}

void ChatView::on_event(const runtime::RunEvent& event) {
  if (const auto* chunk = std::get_if<runtime::MessageChunk>(&event)) {
    streamed_here_ = streamed_here_ || !chunk->content.empty();
    streamed_ = streamed_ || streamed_here_;
    if (show_ && !chunk->content.empty()) frames_.stream(request_id_, chunk->content);
  } else if (const auto* usage = std::get_if<runtime::Usage>(&event)) {
    usage_ = last_usage_ = *usage;
  } else if (const auto* call = std::get_if<runtime::ToolCallMade>(&event)) {
    on_call(*call);
  } else if (const auto* asked = std::get_if<runtime::ToolApproval>(&event)) {
    end_model_call();
    postpone(asked->call_id);
  } else if (const auto* started = std::get_if<runtime::ToolStart>(&event)) {
    on_start(*started);
  } else if (const auto* output = std::get_if<runtime::ToolOutput>(&event)) {
    on_output(*output);
  } else if (const auto* ended = std::get_if<runtime::ToolEnd>(&event)) {
    on_tool_end(*ended);
  } else if (const auto* custom = std::get_if<runtime::Custom>(&event)) {
    on_custom(*custom);
  }
}

void ChatView::on_call(const runtime::ToolCallMade& call) {
  ++tools_;
  const bool is_plan = call.name == kTodoTool || call.name == kStatusTool;
  if (!call.call_id || (!detail_ && !is_plan)) return;
  calls_.insert_or_assign(*call.call_id, Call{call.name, call.arguments, now_});
}

// Handles the notes that a run writes about its conversation, including those of
// fit_conversation().
void ChatView::on_custom(const runtime::Custom& custom) {
  if (custom.value.starts_with(R"({"summarising")")) {
    return prompt(prompt::kSummary, "Summarising the conversation...");
  }
  if (custom.value.starts_with(R"({"conversation")")) return on_conversation(custom.value);
  if (custom.value.starts_with(R"({"media_left_out")")) return on_left_out(custom.value);
  if (!custom.value.starts_with(R"({"context_fitted")")) return;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  simdjson::dom::object fitted;
  std::uint64_t tokens = 0;
  if (parser.parse(custom.value).get(object) != simdjson::SUCCESS ||
      object["context_fitted"].get(fitted) != simdjson::SUCCESS ||
      fitted["tokens"].get(tokens) != simdjson::SUCCESS) {
    return;
  }
  std::uint64_t messages = 0;
  if (fitted["messages"].get(messages) == simdjson::SUCCESS) messages_ = messages;
  on_summary(core::string_member(fitted, "summary"), tokens);
}

void ChatView::on_conversation(std::string_view custom) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(custom);
  std::uint64_t messages = 0;
  if (parser.parse(padded)[agent::kConversationNote]["messages"].get(messages) ==
      simdjson::SUCCESS) {
    messages_ = messages;
  }
}

TokenCount ChatView::counts(const std::optional<runtime::Usage>& usage) const {
  return {usage, token_limit_, messages_, run::kMaxChatMessages};
}

// Sends a card, or to the first generation, which has no cards, a text for its progress indicator.
void ChatView::on_left_out(std::string_view custom) {
  simdjson::dom::parser parser;
  simdjson::dom::element told;
  simdjson::dom::array parts;
  const simdjson::padded_string padded(custom);
  if (parser.parse(padded)[run::kMediaLeftOut].get(told) != simdjson::SUCCESS ||
      told["parts"].get(parts) != simdjson::SUCCESS) {
    return;
  }
  std::string text;
  for (const simdjson::dom::element part : parts) {
    std::string_view words;
    if (part["text"].get(words) != simdjson::SUCCESS) continue;
    text.append(text.empty() ? "" : ", ").append(words);
  }
  std::string_view model;
  if (told["model"].get(model) != simdjson::SUCCESS) model = {};
  text = "The model " + std::string(model) +
         " does not accept these attachments and gets only a description of them: " + text + ".";
  if (!second()) return prompt(prompt::kThinking, text);
  prompt(prompt::kStatusUpdate, notice_card("Attachments", text, now_));
}

void ChatView::on_summary(std::string_view summary, std::uint64_t tokens) {
  summarised_ = true;
  if (second()) {
    prompt(prompt::kMessageBlock, summary);
    if (show_) {
      frames_.token_usage(request_id_, counts(runtime::Usage{tokens, 0, tokens}));
    }
  } else {
    prompt(prompt::kSummaryComplete, "The conversation was summarised.");
    if (is_order_ && show_) frames_.stream(request_id_, summary);
  }
  if (!is_order_) prompt(prompt::kThinking, "Thinking...");
}

// Delays the announcement of a call until its request is sent to the client, so that the two frames
// are adjacent.
void ChatView::postpone(const std::optional<std::string>& call_id) {
  const std::string id = call_id.value_or("");
  if (!announced_.contains(id)) postponed_.emplace(id, show_);
}

// Postpones the announcement of a call that starts while another runs: only calls of the client's
// tools run concurrently, and their requests follow.
void ChatView::on_start(const runtime::ToolStart& start) {
  end_model_call();
  const bool alone = under_way_.empty();
  under_way_.insert(start.call_id.value_or(""));
  if (alone || postponed_.contains(start.call_id.value_or(""))) return announce(start.call_id);
  postpone(start.call_id);
}

void ChatView::announce_postponed(const std::string& call_id) {
  const auto postponed = postponed_.find(call_id);
  if (postponed == postponed_.end()) return;
  const bool shows = std::exchange(show_, postponed->second);
  announce(call_id);
  show_ = shows;
}

void ChatView::announce_all() {
  while (!postponed_.empty()) announce_postponed(std::string(postponed_.begin()->first));
}

// Announces a call that starts or whose request is about to be sent. The tokens of the model call
// are known at that time.
void ChatView::announce(const std::optional<std::string>& call_id) {
  end_model_call();
  postponed_.erase(call_id.value_or(""));
  const bool first = announced_.empty();
  if (!announced_.insert(call_id.value_or("")).second) return;
  if ((!first && !second()) || !show_) return;
  const auto call = calls_.find(call_id.value_or(""));
  frames_.prompt(request_id_, prompt::kToolCalling, "Calling tools...",
                 [&](core::JsonWriter& data) {
                   if (!detail_ || call == calls_.end()) return;
                   data.key("toolCallId").string(call->first);
                   data.key("toolName").string(call->second.name);
                   data.key("toolArgs").string(call->second.arguments);
                 });
}

// Sends TODO_WRITE and STATUS_UPDATE; the first generation has neither.
void ChatView::show_plan(const Call& call) {
  if (!second()) return;
  if (call.name == kTodoTool) prompt(prompt::kTodoWrite, todo_list(call.arguments, now_));
  if (call.name == kStatusTool) prompt(prompt::kStatusUpdate, status_card(call.arguments, now_));
}

// Streams the output of one call at a time, to the second generation only; the output of other
// calls meanwhile is not sent.
void ChatView::on_output(const runtime::ToolOutput& output) {
  if (!second() || !output.call_id) return;
  if (terminal_.empty()) {
    terminal_ = *output.call_id;
    if (show_) {
      frames_.prompt(request_id_, prompt::kTerminalStart, output.name, [&](core::JsonWriter& data) {
        if (detail_) data.key("toolCallId").string(terminal_);
      });
    }
  }
  if (show_ && terminal_ == *output.call_id) frames_.stream(request_id_, output.content);
}

void ChatView::end_terminal() {
  if (!std::exchange(terminal_, {}).empty()) prompt(prompt::kTerminalEnd, "");
}

void ChatView::on_tool_end(const runtime::ToolEnd& end) {
  announce(end.call_id);
  under_way_.erase(end.call_id.value_or(""));
  if (end.call_id && *end.call_id == terminal_) end_terminal();
  if (const auto call = calls_.find(end.call_id.value_or("")); call != calls_.end()) {
    if (!end.is_error) show_plan(call->second);
    show_result(end, call->second);
    calls_.erase(call);
  }
  if (tools_ == 0 || --tools_ > 0) return;
  announced_.clear();
  postponed_.clear();
  under_way_.clear();
  prompt(prompt::kToolComplete, "The tools are done.");
  if (second()) think();
}

void ChatView::show_result(const runtime::ToolEnd& end, const Call& call) {
  if (!detail_ || !show_) return;
  frames_.prompt(request_id_, prompt::kToolResult, "", [&](core::JsonWriter& data) {
    data.key("toolCallId").string(*end.call_id).key("toolName").string(end.name);
    data.key("success").boolean(!end.is_error);
    data.key("result").string(
        core::utf8_truncate(end.raw_result.value_or(end.result), kMaxShownResult));
    data.key("durationMs").number(core::to_unix_ms(now_) - core::to_unix_ms(call.at));
  });
}

void ChatView::end(const runtime::Reply& reply) {
  if (run_id_.empty() || (reply.run_id && *reply.run_id != run_id_)) return;
  end_terminal();
  const std::string stop = reply.stop_reason.value_or("end_turn");
  const bool interrupted = stop == "cancelled";
  if (is_order_ && !summarised_ && !interrupted && !reply.error) {
    say("There is nothing to summarise yet.");
  }
  if (show_ && !streamed_ && !reply.reply.empty()) frames_.stream(request_id_, reply.reply);
  if (interrupted) {
    // AGENT_COMPLETE makes front ends move the streamed text to their list of messages. Without
    // tokens they would show none, so those of the call before are repeated.
    in_model_call_ = in_model_call_ && streamed_here_;
    if (!usage_) usage_ = last_usage_;
    end_model_call();
    in_model_call_ = false;
    prompt(prompt::kInterrupted, "Interrupted.");
  } else {
    if (reply.error) prompt(prompt::kError, *reply.error);
    // AGENT_COMPLETE after an error makes front ends move the streamed text to their list of
    // messages.
    if (reply.error) in_model_call_ = true;
    end_model_call();
    if (second()) prompt(prompt::kComplete, "Complete.");
  }
  if (show_ && !second()) frames_.complete(request_id_, {});
  run_id_.clear();
  request_id_.clear();
}

// Sends a text that is not an answer of the model.
void ChatView::say(std::string_view text) {
  if (second()) return prompt(prompt::kMessageBlock, text);
  if (show_) frames_.stream(request_id_, text);
}

// --- interactions ---

void ChatView::on_opened(const event::Event& event) {
  auto interaction = session::interaction_from_payloads(event.payload, {});
  if (!interaction) return;
  const bool is_question = interaction->kind == session::InteractionKind::question;
  if (is_question && !run_id_.empty()) on_question(*interaction);
  std::optional<WaitingTool> tool = detail_ ? waiting_tool(*interaction) : std::nullopt;
  if (!is_question && !tool) return;
  if (tool) tool->arguments.clear();
  if (tool) tool->explanation.clear();
  interaction->prompt = {};
  std::string opened = session::opened_payload(*interaction);
  asked_.insert_or_assign(interaction->key, Asked{std::move(tool), std::move(opened)});
}

void ChatView::on_closed(const event::Event& event) {
  if (asked_.empty()) return;
  simdjson::dom::parser parser;
  simdjson::dom::object closed;
  if (parser.parse(event.payload).get(closed) != simdjson::SUCCESS) return;
  const auto asked = asked_.extract(core::string_member(closed, "key"));
  if (!asked) return;
  const auto ended = session::interaction_from_payloads(asked.mapped().opened, event.payload);
  if (!ended) return;
  if (asked.mapped().tool) return on_tool_closed(*asked.mapped().tool, *ended);
  on_question_closed(*ended);
}

void ChatView::on_tool_closed(const WaitingTool& tool, const session::Interaction& ended) {
  if (!show_ || tool.run_id != run_id_) return;
  announce_postponed(tool.call_id);
  const bool answered = ended.state == session::InteractionState::answered;
  const bool allow =
      answered && (tool.of_client || session::approval_verdict(ended.outcome.answer).allow);
  frames_.prompt(request_id_, prompt::kToolAnswered, "", [&](core::JsonWriter& data) {
    data.key("toolCallId").string(tool.call_id).key("isAllow").boolean(allow);
    data.key("by").string(session::name_of_answerer(ended.outcome));
    data.key("state").string(session::state_name(ended.state));
  });
}

// Shows a question of the agent and ends the turn, so that the person's next message can answer it.
void ChatView::on_question(const session::Interaction& question) {
  end_model_call();
  say((streamed_ && !second() ? "\n\n" : "") + question_text(question.prompt));
  pause();
}

void ChatView::pause() {
  paused_ = true;
  if (!show_) return;
  if (!second()) return frames_.complete(request_id_, {});
  frames_.prompt(request_id_, prompt::kComplete, "The agent waits for an answer.",
                 [this](core::JsonWriter& data) {
                   if (detail_) data.key("waits").boolean(true);
                 });
}

// The turn of the answer begins. An answer of another interface has no request: the run id is the
// request id, as in begin().
void ChatView::on_question_closed(const session::Interaction& ended) {
  const session::Outcome& outcome = ended.outcome;
  const bool ends_run =
      ended.state == session::InteractionState::cancelled && outcome.client_id.empty();
  if (!paused_ || run_id_.empty() || ends_run) return;
  const auto request = outcome.answer.meta.find(std::string(kAnswerRequest));
  const bool of_chat = request != outcome.answer.meta.end() && !request->second.empty() &&
                       request->second.size() <= kMaxRequestIdBytes;
  request_id_ = of_chat ? request->second : run_id_;
  paused_ = false;
  if (detail_ && show_ && ended.state == session::InteractionState::answered) {
    ChatRequest answer;
    answer.request_id = request_id_;
    for (const session::Content& content : outcome.answer.contents) answer.content += content.text;
    frames_.user_message(answer);
  }
  prompt(second() ? prompt::kStarted : prompt::kThinking, second() ? "Started." : "Thinking...");
  if (asks()) pause();
}

// True if a question of the agent is open.
bool ChatView::asks() const {
  return std::any_of(asked_.begin(), asked_.end(),
                     [](const auto& asked) { return !asked.second.tool; });
}

void ChatView::lose(core::WallTime now) {
  show_ = true;
  frames_.set_place(now, 0);
  lose_run();
}

void ChatView::lose_run() {
  runtime::Reply reply;
  reply.stop_reason = "error";
  reply.error = "The run was interrupted because the server stopped. Send the message again.";
  end(reply);
}

void ChatView::ask_tool(WaitingTool& tool) {
  if (tool.run_id != run_id_ || std::exchange(tool.shown, true)) return;
  tool.request_id = request_id_;
  announce_postponed(tool.call_id);
  ToolRequest request{tool.call_id, tool.name, tool.arguments, tool.of_client};
  const std::string key = run::approval_key(run_id_, tool.call_id);
  if (detail_) {
    request.explanation = tool.explanation;
    if (!tool.of_client) request.interaction = key;
  }
  frames_.tool_request(request_id_, request);
}

void ChatView::prompt(std::string_view type, std::string_view message) {
  if (show_) frames_.prompt(request_id_, type, message);
}

}  // namespace parley::chat
