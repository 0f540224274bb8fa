// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/chat/chat_view.h"

#include <simdjson.h>

#include "core/json_member.h"
#include "core/json_writer.h"
#include "runtime/stream/frame.h"

namespace parley::chat {
namespace {

// Requests whose runs have not begun yet; more than one only where they come at once.
constexpr std::size_t kKeptRequests = 16;

}  // namespace

std::string request_payload(std::string_view request_id, std::string_view run_id,
                            std::string_view content) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("request_id").string(request_id).key("run_id").string(run_id);
  json.key("role").string("USER").key("content").string(content).end_object();
  return out;
}

std::optional<WaitingTool> waiting_tool(const session::Interaction& interaction) {
  using session::InteractionKind;
  const bool of_client = interaction.kind == InteractionKind::client_tool_call;
  if (!of_client && interaction.kind != InteractionKind::tool_approval) return std::nullopt;
  simdjson::dom::parser parser;
  simdjson::dom::object detail;
  simdjson::dom::object call;
  simdjson::dom::element arguments;
  if (parser.parse(interaction.prompt.detail).get(detail) != simdjson::SUCCESS ||
      detail[of_client ? "client_tool_call" : "tool_approval"].get(call) != simdjson::SUCCESS ||
      call["arguments"].get(arguments) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  WaitingTool out;
  out.key = interaction.key;
  out.call_id = core::string_member(call, "call_id");
  out.name = core::string_member(call, "name");
  out.run_id = core::string_member(call, "run_id");
  out.arguments = simdjson::minify(arguments);
  out.of_client = of_client;
  return out;
}

void ChatView::take(const event::Event& event, bool show) {
  if (event.type == kRequestType) return take_request(event);
  if (!runtime::is_frame(event.type)) return;
  const auto line = parser_.parse(event.payload);
  if (!line) return;
  show_ = show;
  frames_.set_place(event.at, event.seq);
  if (const runtime::Reply* reply = line->reply(); reply != nullptr) return end(*reply);
  const runtime::RunEvent* it = line->event();
  if (it == nullptr) return;
  if (const auto* start = std::get_if<runtime::RunStart>(it)) return begin(*start);
  if (!run_id_.empty()) on_event(*it);
}

void ChatView::take_request(const event::Event& event) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(event.payload).get(object) != simdjson::SUCCESS) return;
  requests_.emplace_back(core::string_member(object, "run_id"),
                         core::string_member(object, "request_id"));
  if (requests_.size() > kKeptRequests) requests_.pop_front();
}

// A run that was begun elsewhere has its own id for a request.
void ChatView::begin(const runtime::RunStart& start) {
  run_id_ = start.run_id.value_or("");
  request_id_ = run_id_;
  for (const auto& [run, request] : requests_) {
    if (run == run_id_) request_id_ = request;
  }
  streamed_ = false;
  tools_ = 0;
  announced_.clear();
  terminal_.clear();
  if (second()) prompt(prompt::kStarted, "Started.");
  think();
}

void ChatView::think() {
  prompt(prompt::kThinking, "Thinking...");
  in_model_call_ = true;
  usage_.reset();
}

// One AGENT_COMPLETE a model call, whether or not the model told its tokens.
void ChatView::end_model_call() {
  if (!std::exchange(in_model_call_, false) || !second() || !show_) return;
  frames_.complete(request_id_, usage_);
}

void ChatView::on_event(const runtime::RunEvent& event) {
  if (const auto* chunk = std::get_if<runtime::MessageChunk>(&event)) {
    streamed_ = streamed_ || !chunk->content.empty();
    if (show_ && !chunk->content.empty()) frames_.stream(request_id_, chunk->content);
  } else if (const auto* usage = std::get_if<runtime::Usage>(&event)) {
    usage_ = *usage;
  } else if (std::holds_alternative<runtime::ToolCallMade>(event)) {
    ++tools_;
  } else if (const auto* asked = std::get_if<runtime::ToolApproval>(&event)) {
    announce(asked->call_id);
  } else if (const auto* started = std::get_if<runtime::ToolStart>(&event)) {
    announce(started->call_id);
  } else if (const auto* output = std::get_if<runtime::ToolOutput>(&event)) {
    on_output(*output);
  } else if (const auto* ended = std::get_if<runtime::ToolEnd>(&event)) {
    on_tool_end(*ended);
  }
}

// A call is about to run, or to be asked for. The tokens of the model call are known by now.
void ChatView::announce(const std::optional<std::string>& call_id) {
  end_model_call();
  const bool first = announced_.empty();
  if (!announced_.insert(call_id.value_or("")).second) return;
  if (first || second()) prompt(prompt::kToolCalling, "Calling tools...");
}

// The first generation knows no terminal; of several outputs at once the first is shown.
void ChatView::on_output(const runtime::ToolOutput& output) {
  if (!second() || !output.call_id) return;
  if (terminal_.empty()) {
    terminal_ = *output.call_id;
    prompt(prompt::kTerminalStart, output.name);
  }
  if (show_ && terminal_ == *output.call_id) frames_.stream(request_id_, output.content);
}

void ChatView::end_terminal() {
  if (!std::exchange(terminal_, {}).empty()) prompt(prompt::kTerminalEnd, "");
}

void ChatView::on_tool_end(const runtime::ToolEnd& end) {
  announce(end.call_id);
  if (end.call_id && *end.call_id == terminal_) end_terminal();
  if (tools_ == 0 || --tools_ > 0) return;
  announced_.clear();
  prompt(prompt::kToolComplete, "The tools are done.");
  if (second()) think();
}

void ChatView::end(const runtime::Reply& reply) {
  if (run_id_.empty() || (reply.run_id && *reply.run_id != run_id_)) return;
  end_terminal();
  const std::string stop = reply.stop_reason.value_or("end_turn");
  const bool interrupted = stop == "cancelled";
  if (show_ && !streamed_ && !reply.reply.empty()) frames_.stream(request_id_, reply.reply);
  if (interrupted) {
    in_model_call_ = false;
    prompt(prompt::kInterrupted, "Interrupted.");
  } else {
    if (reply.error) prompt(prompt::kError, *reply.error);
    // After an error it moves what was streamed into the list of messages.
    if (reply.error) in_model_call_ = true;
    end_model_call();
    if (second()) prompt(prompt::kComplete, "Complete.");
  }
  if (show_ && !second()) frames_.complete(request_id_, std::nullopt);
  run_id_.clear();
  request_id_.clear();
}

void ChatView::ask_tool(const WaitingTool& tool) {
  if (tool.run_id != run_id_) return;
  frames_.tool_request(request_id_, {tool.call_id, tool.name, tool.arguments, tool.of_client});
}

void ChatView::prompt(std::string_view type, std::string_view message) {
  if (show_) frames_.prompt(request_id_, type, message);
}

}  // namespace parley::chat
