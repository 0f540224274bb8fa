// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages of a client of a chat.
#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/json_text.h"
#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "dialects/chat/attached_uploads.h"
#include "dialects/chat/chat_connection.h"
#include "dialects/chat/chat_history.h"
#include "dialects/chat/front_end_call.h"
#include "dialects/chat/status_tool.h"
#include "identity/access/entrance.h"
#include "model/session/approval.h"
#include "runtime/agent/agent.h"
#include "runtime/comfyui/tool/server_tools.h"
#include "runtime/comfyui/tool/workflow_tools.h"
#include "runtime/run/client_tool.h"
#include "runtime/tool/inbox.h"

namespace parley::chat {
namespace {

using core::Result;

constexpr std::string_view kSocket = "/ws/chat ";
// The client's tool that returns the open workflow, and the advice to the model if none is open.
constexpr std::string_view kGetWorkflow = "get_workflow";
constexpr std::string_view kNoWorkflow =
    "Ask the person to open or save a workflow in the front end and to send the message again.";
// The client's tool that displays a workflow, and its parameters in both generations.
constexpr std::string_view kSetWorkflow = "set_workflow";
constexpr std::string_view kAsText = "workflowJson";

// Front ends send {} or nothing if no workflow is open.
bool has_workflow(const ClientMessage& message) {
  return message.workflow.find('"') != std::string::npos;
}

model::Message message_of(const ClientMessage& message, const ChatSession& session) {
  std::string text = words_of(message);
  if (!session.rules.empty()) text += "\n\nRules of this session:\n" + session.rules;
  std::vector<model::Part> parts;
  for (const Attachment& attachment : message.attachments) {
    if (attachment.media) parts.push_back(*attachment.media);
  }
  if (parts.empty()) return model::Message::user(std::move(text));
  model::Part words;
  words.text = std::move(text);
  parts.insert(parts.begin(), std::move(words));
  return model::Message::user_with(std::move(parts));
}

// The model that this owner has chosen for an agent; empty: none.
Result<std::string> chosen_model(const ChatContext& context, const std::string& owner,
                                 std::string_view agent) {
  if (context.front_end == nullptr) return std::string();
  if (agent.empty()) agent = kFrontEndAgent;
  const front_end::AgentSettings& agents = context.front_end->agents();
  if (agents.enabled(agent)) return agents.model_of(owner, agent);
  return core::fail(core::Code::permission_denied,
                    "The agent \"" + std::string(agent) + "\" is switched off.", "agent");
}

// The server that the session names, if it exists and is enabled; else the first of the settings.
// Null: none.
comfyui::ServerLinkPtr link_of(const comfyui::ComfyDependencies* dependencies,
                               const ChatSession& session) {
  if (dependencies == nullptr) return nullptr;
  const comfyui::ServerPtr server = session.comfyui_server.empty()
                                        ? dependencies->servers.first_of_settings()
                                        : dependencies->servers.find(session.comfyui_server);
  if (server == nullptr || !server->enabled) return nullptr;
  return std::make_shared<comfyui::ServerLink>(*dependencies, server);
}

// The tools for an open workflow, and those of the session's ComfyUI server.
std::vector<tool::ToolPtr> comfyui_tools(const comfyui::OpenWorkflowPtr& workflow,
                                         const comfyui::ServerLinkPtr& link,
                                         tool::WorkerPool& workers,
                                         const comfyui::ShowWorkflow& show) {
  std::vector<tool::ToolPtr> out;
  if (workflow) out = comfyui::workflow_tools(workflow, link, workers, show);
  if (!link) return out;
  for (tool::ToolPtr& tool : comfyui::server_tools(link, workflow, workers)) {
    out.push_back(std::move(tool));
  }
  return out;
}

// Sends changed workflows to the client's own tool, if it offers one.
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

// The workflow in the result of the client's tool: {"content": TEXT}, or the workflow itself.
Result<std::string> workflow_in(const std::string& output) {
  std::vector<core::JsonField> fields;
  std::vector<core::JsonField> none;
  // One level more than the workflow that it may contain.
  if (!core::is_utf8(output) || core::scan_object(output, kMaxWorkflowDepth + 1, {}, fields,
                                                  none) == core::ScanResult::malformed) {
    return core::fail(core::Code::invalid_argument, std::string(kNoWorkflow));
  }
  const core::JsonField* const content = core::find_field(fields, "content");
  const bool as_text = content != nullptr && content->type == core::JsonType::string;
  return as_text ? core::decode_json_string(content->value) : output;
}

// Asks the client's own tool for its open workflow, for front ends that send none.
comfyui::FetchWorkflow fetch_from_client(const run::AskClient& ask) {
  return
      [ask](tool::ToolContext context, absl::AnyInvocable<void(Result<std::string>)> done) mutable {
        context.call_id += ".fetch";
        run::call_client(ask, context, kGetWorkflow, "{}",
                         [done = std::move(done)](const tool::ToolResult& output) mutable {
                           if (!output.is_error) return done(workflow_in(output.content));
                           done(core::fail(core::Code::unavailable,
                                           "The front end did not send the open workflow: " +
                                               output.content + " " + std::string(kNoWorkflow)));
                         });
      };
}

// Source of the workflow of a message.
struct WorkflowPlace {
  std::string text;      // JSON text; empty: none in the message
  std::string problem;   // why the named saved workflow is not open; empty: no problem
  bool may_ask = false;  // no workflow in the message: the client's tool may be asked
};

// Null: the tools for a workflow are not offered.
comfyui::OpenWorkflowPtr open_at(const WorkflowPlace& place,
                                 const std::vector<model::ToolSpec>& tools,
                                 const run::AskClient& ask) {
  auto workflow = std::make_shared<comfyui::OpenWorkflow>(place.text);
  if (!place.text.empty()) return workflow;
  if (!place.problem.empty()) {
    workflow->fetch = [problem = place.problem](const tool::ToolContext& /*context*/, auto done) {
      done(core::fail(core::Code::not_found,
                      "No workflow is open. " + problem + " " + std::string(kNoWorkflow)));
    };
    return workflow;
  }
  const bool tells = std::any_of(tools.begin(), tools.end(), [](const model::ToolSpec& spec) {
    return spec.name == kGetWorkflow;
  });
  if (!place.may_ask || !tells) return nullptr;
  workflow->fetch = fetch_from_client(ask);
  return workflow;
}

session::Answer answer_to(const WaitingTool& tool, const ToolAnswer& answer) {
  if (!tool.of_client) {
    return session::approval_answer(
        {answer.allow, answer.allow ? "" : answer.error, answer.scope != Scope::once});
  }
  if (!answer.allow) {
    return run::client_answer(tool::ToolResult::error(
        answer.error.empty() ? "The person refused this call." : "Refused: " + answer.error));
  }
  if (answer.success.value_or(true)) return run::client_answer(tool::ToolResult::ok(answer.result));
  std::string text = answer.error.empty() ? "The call failed." : answer.error;
  if (!answer.result.empty()) text += "\n" + answer.result;
  return run::client_answer(tool::ToolResult::error(std::move(text)));
}

}  // namespace

void ChatConnection::refuse(std::string_view request_id, std::string_view message) {
  context_.counters.errors.add();
  if (socket_ == nullptr) return;
  frames_.set_place(scheduler().clock().wall(), 0);
  frames_.prompt(request_id, prompt::kError, message);
}

// No frame of a run follows, so AGENT_COMPLETE allows a front end of the first generation to send
// again. Those of the second do so after an error.
void ChatConnection::refuse_run(std::string_view request_id, std::string_view message) {
  refuse(request_id, message);
  if (request_id.empty() || socket_ == nullptr) return;
  if (frames_.generation() == Generation::first) frames_.complete(request_id, {});
}

void ChatConnection::on_message(net::WebSocket& /*socket*/, net::MessageType type,
                                std::string_view data) {
  if (socket_ == nullptr || !still_allowed()) return;
  context_.counters.messages.add();
  if (type == net::MessageType::binary && !core::is_utf8(data)) {
    return refuse({}, "The message is not UTF-8.");
  }
  const auto message = read_message(data);
  if (!message) {
    const MessageFault& fault = message.error();
    // The answer must not end a run that this request has begun.
    const bool begins_run = fault.begins_run && fault.request_id != view_.request_id();
    return begins_run ? refuse_run(fault.request_id, fault.message)
                      : refuse(fault.request_id, fault.message);
  }
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
                  "Too many messages of this connection are waiting for their answers. Wait for "
                  "one of them.");
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

void ChatConnection::check_run(absl::AnyInvocable<void(bool goes_on)> then) {
  context_.runs.find(
      caller_.owner, view_.run_id(), scheduler(),
      answering<run::Run>([run_id = view_.run_id(), then = std::move(then)](
                              ChatConnection& self, const Result<run::Run>& run) mutable {
        const bool goes_on =
            run && (run->state == run::RunState::running || run->state == run::RunState::waiting);
        // The end of the run may have been processed meanwhile, which the comparison detects. A run
        // with a stored end needs no lose(), because the event of its end follows.
        const bool lost = run && run->state == run::RunState::interrupted;
        if (lost && self.view_.run_id() == run_id) self.view_.lose(self.scheduler().clock().wall());
        then(goes_on || !self.view_.run_id().empty());
      }));
}

void ChatConnection::user_message(const ClientMessage& message) {
  if (starting_) return refuse(message.request_id, kBusy);
  WaitingQuestion* const question = open_question();
  if (question != nullptr && message.type == MessageType::user_message) {
    return answer_question(message, *question);
  }
  if (!view_.run_id().empty()) {
    return check_run([this, message](bool goes_on) {
      if (goes_on) return refuse(message.request_id, kBusy);
      user_message(message);
    });
  }
  // Checked before the request is stored, because a stored request takes space too, and the run
  // would be refused.
  const Result<void> may = context_.gate.admit();
  starting_ =
      Starting{message.request_id, "run-" + core::new_id(scheduler().clock(), context_.entropy)};
  if (!may) return on_started(core::fail(may.error()));
  context_.sessions.find(
      caller_.owner, caller_.session_code, scheduler(),
      answering<ChatSession>([message](ChatConnection& self, Result<ChatSession> session) {
        if (!session) return self.on_started(core::fail(std::move(session.error())));
        find_continued(
            self.context_.store, self.caller_.session_code, message.replaces, self.scheduler(),
            self.answering<Continued>([message, session = std::move(*session)](
                                          ChatConnection& still, const Result<Continued>& run) {
              if (!run) return still.on_started(core::fail(run.error()));
              still.read_uploads(message, session, *run);
            }));
      }));
}

void ChatConnection::read_uploads(ClientMessage message, ChatSession session, Continued continued) {
  const bool none = std::none_of(message.attachments.begin(), message.attachments.end(),
                                 [](const Attachment& each) { return !each.upload.empty(); });
  if (none || context_.front_end == nullptr) {
    return open_workflow(std::move(message), std::move(session), std::move(continued));
  }
  std::vector<Attachment> named = std::exchange(message.attachments, {});
  auto read = answering<std::vector<Attachment>>(
      [message = std::move(message), session = std::move(session),
       continued = std::move(continued)](ChatConnection& self,
                                         Result<std::vector<Attachment>> attachments) mutable {
        if (!attachments) return self.on_started(core::fail(std::move(attachments.error())));
        message.attachments = std::move(*attachments);
        self.open_workflow(std::move(message), std::move(session), std::move(continued));
      });
  context_.front_end->run<std::vector<Attachment>>(
      scheduler(), kMaxAttachedUploadBytes,
      [owner = caller_.owner,
       named = std::move(named)](const front_end::FrontEndStore::Tables& tables) {
        return attach_uploads(tables.uploads, owner, named);
      },
      std::move(read));
}

void ChatConnection::open_workflow(ClientMessage message, ChatSession session,
                                   Continued continued) {
  if (message.workflow_id.empty() || has_workflow(message) || context_.front_end == nullptr) {
    return begin(message, session, continued);
  }
  const std::int64_t id = id_from(message.workflow_id);
  auto opened = answering<front_end::SavedWorkflow>(
      [message = std::move(message), session = std::move(session),
       continued = std::move(continued)](ChatConnection& self,
                                         const Result<front_end::SavedWorkflow>& saved) mutable {
        if (saved && saved->content) {
          message.workflow = *saved->content;
        } else {
          message.workflow_problem =
              saved ? "The workflow \"" + saved->name + "\" was saved without content."
                    : saved.error().message;
        }
        self.begin(message, session, continued);
      });
  context_.front_end->run<front_end::SavedWorkflow>(
      scheduler(), 0,
      [owner = caller_.owner, id](const front_end::FrontEndStore::Tables& tables)
          -> Result<front_end::SavedWorkflow> { return tables.workflows.find(owner, id); },
      std::move(opened));
}

run::RunRequest ChatConnection::run_request(const ClientMessage& message,
                                            const ChatSession& session) {
  run::RunRequest request;
  request.owner = caller_.owner;
  request.session = caller_.session_code;
  request.dialect = run::kChatDialect;
  request.run_id = starting_->run_id;
  request.leave = {caller_.rights.has(auth::Right::run_auto),
                   caller_.rights.has(auth::Right::admin)};
  request.message = message_of(message, session);
  if (message.type == MessageType::user_order) {
    request.agent = agent::kind_name(agent::Kind::compact);
    return request;
  }
  const bool is_default = message.agent.empty() || message.agent == kFrontEndAgent;
  request.agent = is_default ? context_.options.agent : message.agent;
  request.client_tools = message.tools;
  request.allowed_tools = session.allowed_tools;
  WorkflowPlace place{has_workflow(message) ? message.workflow : std::string(),
                      message.workflow_problem,
                      frames_.generation() == Generation::second && !message.has_workflow};
  request.own_tools = [place = std::move(place), link = link_of(context_.comfyui, session),
                       tools = message.tools,
                       &workers = context_.workers](const run::AskClient& ask) {
    const comfyui::OpenWorkflowPtr workflow = open_at(place, tools, ask);
    auto own = comfyui_tools(workflow, link, workers, show_in_client(tools, ask));
    own.push_back(make_status_tool());
    return own;
  };
  return request;
}

// The request is stored in the session first, so that every client can relate the run to it.
void ChatConnection::begin(const ClientMessage& message, const ChatSession& session,
                           const Continued& continued) {
  ChatRequest note{message.request_id,
                   starting_->run_id,
                   message.type == MessageType::user_order,
                   message.content,
                   {},
                   continued.run_id,
                   message.replaces};
  for (const Attachment& attachment : message.attachments) {
    if (!attachment.name.empty()) note.attachments.push_back(attachment.name);
  }
  Result<std::string> model = chosen_model(context_, caller_.owner, message.agent);
  if (!model) return on_started(core::fail(std::move(model.error())));
  run::RunRequest request = run_request(message, session);
  request.model = std::move(*model);
  // If the last run of the session is not in the list (it may have been lost), the message starts a
  // new conversation.
  if (!continued.is_last || continued.run_id.empty()) request.continues = continued.run_id;
  auto started = answering<run::Run>(
      [](ChatConnection& self, const Result<run::Run>& run) { self.on_started(run); });
  core::Scheduler& home = scheduler();
  run::RunService& runs = context_.runs;
  append(std::string(kRequestType), request_payload(note),
         [&runs, &home, request = std::move(request),
          started = std::move(started)](Result<std::uint64_t> seq) mutable {
           if (seq) return runs.start(std::move(request), home, std::move(started));
           core::reply(home, std::move(started), core::fail(std::move(seq.error())));
         });
}

// `done` is called on the session's shard.
void ChatConnection::append(std::string type, std::string payload,
                            session::Session::EventDone done) {
  context_.hub.with_session(
      session_key(), [type = std::move(type), payload = std::move(payload),
                      done = std::move(done)](Result<session::Session*> found) mutable {
        if (!found) return done(core::fail(std::move(found.error())));
        (*found)->append("in", std::move(type), std::move(payload), std::move(done));
      });
}

void ChatConnection::on_started(const Result<run::Run>& run) {
  const Starting starting = *std::exchange(starting_, std::nullopt);
  if (run) {
    if (starting.interrupted) cancel_start(starting.run_id);
    return;
  }
  if (starting.interrupted && run.error().code == core::Code::cancelled) {
    frames_.set_place(scheduler().clock().wall(), 0);
    frames_.prompt(starting.request_id, prompt::kInterrupted, "Interrupted.");
    if (frames_.generation() == Generation::first) frames_.complete(starting.request_id, {});
    return;
  }
  const bool busy = run.error().code == core::Code::failed_precondition;
  if (busy) return refuse(starting.request_id, run.error().message);
  refuse_run(starting.request_id, run.error().message);
}

// --- tools ---------------------------------------------------------------------------------------

// Finds a call by its id, or the first call of this name in the run of this request. Skips calls
// that this client has answered, whose outcome is still open: clients send several answers in quick
// succession.
WaitingTool* ChatConnection::find_tool(const ClientMessage& message) {
  const ToolAnswer& answer = message.answer;
  const auto found = std::find_if(tools_.begin(), tools_.end(), [&](const WaitingTool& tool) {
    if (tool.answered || tool.request_id != message.request_id) return false;
    if (tool.run_id != view_.run_id()) return false;
    return answer.call_id ? tool.call_id == *answer.call_id : tool.name == answer.name;
  });
  return found == tools_.end() ? nullptr : &*found;
}

void ChatConnection::tool_answer(const ClientMessage& message) {
  WaitingTool* const tool = find_tool(message);
  if (tool == nullptr) {
    return refuse(message.request_id, "No call of \"" + message.answer.name +
                                          "\" is waiting for this answer. It may already be "
                                          "answered, or its run may have ended.");
  }
  if (tool->name != message.answer.name) {
    return refuse(
        message.request_id,
        "\"data.toolName\" must be the name of the tool in the call; the call is still waiting.");
  }
  const auto& arguments = message.answer.arguments;
  if (!tool->of_client && arguments && *arguments != tool->arguments) {
    return refuse(
        message.request_id,
        "\"data.toolArgs\" must be equal to the arguments of the call; the call is still waiting.");
  }
  if (message.answer.scope != Scope::once) {
    if (tool->of_client) {
      return refuse(message.request_id,
                    "\"data.scope\" is only for tools of the server; the call is still waiting.");
    }
    if (!caller_.rights.has(auth::Right::run)) {
      return refuse(
          message.request_id,
          "\"data.scope\" needs a token with the right \"run\"; the call is still waiting.");
    }
  }
  tool->answered = true;
  subscription_.answer(
      tool->key, answer_to(*tool, message.answer),
      {caller_.authority, {client_id_, caller_.name}, session::Channel::chat},
      [this, id = message.request_id, key = tool->key,
       origin = run::ToolOrigin{tool->name, tool->source},
       scope = message.answer.scope](const Result<session::AnswerReceipt>& receipt) {
        if (!receipt) {
          for (WaitingTool& still : tools_) {
            if (still.key == key) still.answered = false;
          }
          return refuse(id, receipt.error().message);
        }
        if (!receipt->won) return refuse(id, "The call is already answered.");
        if (scope != Scope::once) remember(id, origin, scope);
      });
}

// Stores the scope for later runs; the current run gets it with the answer.
void ChatConnection::remember(const std::string& request_id, run::ToolOrigin tool, Scope scope) {
  context_.sessions.allow(
      caller_.owner,
      {std::move(tool), scope == Scope::session ? caller_.session_code : std::string()},
      scheduler(), answering<void>([request_id](ChatConnection& self, const Result<void>& kept) {
        if (!kept) self.refuse(request_id, kept.error().message);
      }));
}

}  // namespace parley::chat
