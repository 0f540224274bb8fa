// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a client of a chat says.
#include <algorithm>
#include <utility>

#include "access/entrance.h"
#include "comfyui/tool/workflow_tools.h"
#include "core/id.h"
#include "core/json_writer.h"
#include "core/utf8.h"
#include "protocol/chat/chat_connection.h"
#include "runtime/run/client_tool.h"
#include "session/approval.h"

namespace parley::chat {
namespace {

using core::Result;

constexpr std::string_view kSocket = "/ws/chat ";
constexpr std::string_view kBusy =
    "A run of this session goes on. Wait for its end, or interrupt it.";
constexpr std::string_view kHelp =
    "Commands:\n\n- `/help` lists the commands.\n\nAnything else is said to the agent.";
// The name by which front ends call the one agent that they know.
constexpr std::string_view kFrontEndAgent = "WORKFLOW_CHAT";
// The client's tool that shows a workflow, and its parameters in both generations.
constexpr std::string_view kSetWorkflow = "set_workflow";
constexpr std::string_view kAsText = "workflowJson";

// Front ends send {} or nothing where none is open.
bool has_workflow(const ClientMessage& message) {
  return message.workflow.find('"') != std::string::npos;
}

std::string text_of(const ClientMessage& message, const ChatSession& session) {
  std::string out = message.content;
  for (const std::string& attachment : message.attachments) out += "\n\n" + attachment;
  if (!session.rules.empty()) out += "\n\nRules of this session:\n" + session.rules;
  return out;
}

// Changed workflows go back through the client's own tool, if it offers one.
comfyui::ShowWorkflow show_in_client(const std::vector<model::ToolSpec>& tools,
                                     const run::AskClient& ask) {
  const auto found = std::find_if(tools.begin(), tools.end(), [](const model::ToolSpec& spec) {
    return spec.name == kSetWorkflow;
  });
  if (found == tools.end()) return nullptr;
  const bool as_text = found->parameters.find(kAsText) != std::string::npos;
  return [ask, as_text](const std::string& text, tool::ToolContext context, tool::Tool::Done done) {
    std::string arguments;
    core::JsonWriter json(arguments);
    json.begin_object();
    if (as_text) {
      json.key(kAsText).string(text);
    } else {
      json.key("workflow").raw(text);
    }
    json.end_object();
    context.call_id += ".show";
    run::call_client(ask, context, kSetWorkflow, arguments, std::move(done));
  };
}

session::Answer answer_to(const WaitingTool& tool, const ToolAnswer& said) {
  if (!tool.of_client) return session::approval_answer({said.allow, said.allow ? "" : said.error});
  if (!said.allow) {
    return run::client_answer(tool::ToolResult::error(
        said.error.empty() ? "The person refused this call." : "Refused: " + said.error));
  }
  if (said.success.value_or(true)) return run::client_answer(tool::ToolResult::ok(said.result));
  std::string text = said.error.empty() ? "The call failed." : said.error;
  if (!said.result.empty()) text += "\n" + said.result;
  return run::client_answer(tool::ToolResult::error(std::move(text)));
}

}  // namespace

template <typename T, typename Use>
absl::AnyInvocable<void(Result<T>)> ChatConnection::answering(Use use) {
  ++waiting_;
  return [link = link_, use = std::move(use)](Result<T> result) mutable {
    if (*link == nullptr) return;
    --(*link)->waiting_;
    use(**link, std::move(result));
  };
}

void ChatConnection::refuse(std::string_view request_id, std::string_view message) {
  context_.counters.errors.add();
  if (socket_ == nullptr) return;
  frames_.set_place(scheduler().clock().wall(), 0);
  frames_.prompt(request_id, prompt::kError, message);
}

void ChatConnection::on_message(net::WebSocket& /*socket*/, net::MessageType type,
                                std::string_view data) {
  if (socket_ == nullptr || !still_allowed()) return;
  context_.counters.messages.add();
  if (type == net::MessageType::binary && !core::is_utf8(data)) {
    return refuse({}, "The message is not UTF-8.");
  }
  const auto message = read_message(data);
  if (!message) return refuse(message.error().request_id, message.error().message);
  if (message->session_code != caller_.session_code) {
    return refuse(message->request_id, "\"sessionCode\" is not that of this connection.");
  }
  const access::Row& row =
      access::row_of("message", std::string(kSocket) + std::string(type_name(message->type)));
  if (const auto may = access::check_right(row, caller_.rights); !may) {
    return refuse(message->request_id, may.error().message);
  }
  if (message->generation) frames_.set_generation(*message->generation);
  take(*message);
}

void ChatConnection::take(const ClientMessage& message) {
  if (message.type == MessageType::ping) {
    frames_.set_place(scheduler().clock().wall(), 0);
    return frames_.pong(message.request_id);
  }
  if (waiting_ >= context_.options.max_waiting) {
    return refuse(message.request_id,
                  "Too many messages of this connection wait for their answers.");
  }
  switch (message.type) {
    case MessageType::user_message:
      return user_message(message);
    case MessageType::user_order:
      return user_order(message);
    case MessageType::tool_answer:
      return tool_answer(message);
    case MessageType::interrupt:
      return interrupt(message);
    case MessageType::ping:
      return;
  }
}

// --- a run ---------------------------------------------------------------------------------------

void ChatConnection::user_message(const ClientMessage& message) {
  if (starting_ || !view_.run_id().empty()) return refuse(message.request_id, kBusy);
  // Before it is noted: the run would be refused later, and a note takes room, too.
  const Result<void> may = context_.gate.admit();
  starting_ =
      Starting{message.request_id, "run-" + core::new_id(scheduler().clock(), context_.entropy)};
  if (!may) return on_started(core::fail(may.error()));
  context_.sessions.find(
      caller_.owner, caller_.session_code, scheduler(),
      answering<ChatSession>([message](ChatConnection& self, Result<ChatSession> session) {
        if (!session) return self.on_started(core::fail(std::move(session.error())));
        self.begin_run(message, *session);
      }));
}

// The request is noted in the session first: whoever watches can tell whose run begins.
void ChatConnection::begin_run(const ClientMessage& message, const ChatSession& session) {
  run::RunRequest request;
  request.owner = caller_.owner;
  request.session = caller_.session_code;
  request.dialect = run::kChatDialect;
  request.run_id = starting_->run_id;
  request.message = model::Message::user(text_of(message, session));
  request.agent = message.agent.empty() || message.agent == kFrontEndAgent ? context_.options.agent
                                                                           : message.agent;
  request.client_tools = message.tools;
  if (has_workflow(message)) {
    request.own_tools = [workflow = message.workflow, tools = message.tools,
                         &workers = context_.workers](const run::AskClient& ask) {
      return comfyui::workflow_tools(workflow, workers, show_in_client(tools, ask));
    };
  }
  request.leave = {caller_.rights.has(auth::Right::run_auto),
                   caller_.rights.has(auth::Right::admin)};
  auto started = answering<run::Run>(
      [](ChatConnection& self, const Result<run::Run>& run) { self.on_started(run); });
  std::string payload = request_payload(message.request_id, request.run_id, message.content);
  core::Scheduler& home = scheduler();
  run::RunService& runs = context_.runs;
  const auto fail = [&home](absl::AnyInvocable<void(Result<run::Run>)> done, core::Error error) {
    home.post([done = std::move(done), error = std::move(error)]() mutable {
      done(core::fail(std::move(error)));
    });
  };
  context_.hub.with_session(
      session_key(),
      [&runs, &home, fail, request = std::move(request), payload = std::move(payload),
       started = std::move(started)](Result<session::Session*> found) mutable {
        if (!found) return fail(std::move(started), std::move(found.error()));
        (*found)->append("in", std::string(kRequestType), std::move(payload),
                         [&runs, &home, fail, request = std::move(request),
                          started = std::move(started)](Result<std::uint64_t> seq) mutable {
                           if (!seq) return fail(std::move(started), std::move(seq.error()));
                           runs.start(std::move(request), home, std::move(started));
                         });
      });
}

void ChatConnection::on_started(const Result<run::Run>& run) {
  const Starting starting = *std::exchange(starting_, std::nullopt);
  if (run) {
    if (starting.interrupted) {
      context_.runs.cancel(
          caller_.owner, starting.run_id, scheduler(),
          answering<run::Run>([](ChatConnection& /*self*/, const auto& /*run*/) {}));
    }
    return;
  }
  const bool busy = run.error().code == core::Code::failed_precondition;
  refuse(starting.request_id, run.error().message);
  // Nothing of a run will come: the front end may send again.
  if (!busy && frames_.generation() == Generation::first) {
    frames_.complete(starting.request_id, std::nullopt);
  }
}

void ChatConnection::user_order(const ClientMessage& message) {
  if (starting_ || !view_.run_id().empty()) return refuse(message.request_id, kBusy);
  const std::string& id = message.request_id;
  const bool second = frames_.generation() == Generation::second;
  frames_.set_place(scheduler().clock().wall(), 0);
  if (message.content != "/help") {
    refuse(id, "There is no command \"" +
                   std::string(core::utf8_truncate(message.content, kMaxRequestIdBytes)) + "\". " +
                   std::string(kHelp));
  } else if (second) {
    frames_.prompt(id, prompt::kStarted, "Started.");
    frames_.prompt(id, prompt::kMessageBlock, kHelp);
  } else {
    frames_.stream(id, kHelp);
  }
  frames_.complete(id, std::nullopt);
  if (second) frames_.prompt(id, prompt::kComplete, "Complete.");
}

void ChatConnection::interrupt(const ClientMessage& message) {
  if (starting_ && starting_->request_id == message.request_id) {
    starting_->interrupted = true;
    return;
  }
  if (view_.run_id().empty() || view_.request_id() != message.request_id) {
    frames_.set_place(scheduler().clock().wall(), 0);
    return frames_.complete(message.request_id, std::nullopt);
  }
  // Its end is shown as that of the run. One that has ended meanwhile is shown anyway.
  context_.runs.cancel(caller_.owner, view_.run_id(), scheduler(),
                       answering<run::Run>([](ChatConnection& /*self*/, const auto& /*run*/) {}));
}

// --- tools ---------------------------------------------------------------------------------------

// By its id, or the first of this name in the run of this request.
const WaitingTool* ChatConnection::find_tool(const ClientMessage& message) const {
  const ToolAnswer& answer = message.answer;
  if (message.request_id != view_.request_id()) return nullptr;
  const auto found = std::find_if(tools_.begin(), tools_.end(), [&](const WaitingTool& tool) {
    if (tool.run_id != view_.run_id()) return false;
    return answer.call_id ? tool.call_id == *answer.call_id : tool.name == answer.name;
  });
  return found == tools_.end() ? nullptr : &*found;
}

void ChatConnection::tool_answer(const ClientMessage& message) {
  const WaitingTool* tool = find_tool(message);
  if (tool == nullptr) {
    return refuse(message.request_id, "No call of \"" + message.answer.name +
                                          "\" waits for this answer. It may have its answer, or "
                                          "its run may have ended.");
  }
  if (tool->name != message.answer.name) {
    return refuse(message.request_id,
                  "\"data.toolName\" is not the name of the call; the tool still waits.");
  }
  const auto& arguments = message.answer.arguments;
  if (!tool->of_client && arguments && *arguments != tool->arguments) {
    return refuse(message.request_id,
                  "\"data.toolArgs\" is not what was asked for; the tool still waits.");
  }
  if (frames_.generation() == Generation::first && message.answer.call_id && !message.generation) {
    frames_.set_generation(Generation::second);
  }
  subscription_.answer(
      tool->key, answer_to(*tool, message.answer), {client_id_, caller_.name},
      [this, id = message.request_id](const Result<session::AnswerReceipt>& receipt) {
        if (!receipt) return refuse(id, receipt.error().message);
        if (!receipt->won) refuse(id, "The call has its answer already.");
      });
}

}  // namespace parley::chat
