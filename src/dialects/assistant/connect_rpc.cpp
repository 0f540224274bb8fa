// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/connect_rpc.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/ask.h"
#include "base/core/base64.h"
#include "base/core/id.h"
#include "base/core/sha256.h"
#include "dialects/assistant/codec.h"
#include "dialects/assistant/connect_wire.h"
#include "identity/access/authority.h"
#include "identity/access/entrance.h"
#include "model/session/action.h"
#include "model/session/subscription.h"

namespace parley::assistant {
namespace {

using core::Code;
using session::InteractionPtr;

// The SHA-256 of the arguments of the tool call that the caller asks about, as its agent sent them.
constexpr std::string_view kArgumentsHeader = "Parley-Arguments-SHA256";
constexpr std::string_view kActionHeader = "Parley-Action";

// Form in which the answer is written.
struct AnswerForm {
  RpcCodec codec = RpcCodec::proto;
  bool gzip = false;
};

// A call whose question is pending. Used on the thread of its connection; the question's callback
// keeps it alive.
class WaitingCall : public std::enable_shared_from_this<WaitingCall> {
 public:
  WaitingCall(AssistantContext& context, net::Responder responder, AnswerForm form,
              const std::string& token_id)
      : context_(context),
        home_(responder.scheduler()),
        form_(form),
        responder_(std::move(responder)),
        question_(context.hub(), AssistantContext::session_key(token_id), home_) {}

  void start(session::AskRequest request, std::optional<core::Millis> timeout) {
    key_ = request.key;
    // The gate applies to new questions only: a repeated call attaches to its existing question.
    request.gate = context_.options().gate;
    responder_->on_disconnect(
        core::unless_gone(weak_from_this(), &WaitingCall::caller_disconnected));
    if (timeout) {
      timer_ =
          home_.after(*timeout, core::unless_gone(weak_from_this(), &WaitingCall::out_of_time));
    }
    question_.ask(std::move(request), nullptr,
                  [self = shared_from_this()](const core::Result<InteractionPtr>& ended) {
                    self->on_fate(ended);
                  });
  }

 private:
  void on_fate(const core::Result<InteractionPtr>& result) {
    if (result) return answer(in_band(with_arguments(result_of(**result), (*result)->prompt)));
    if (result.error().field == session::kShuttingDown) {
      return answer(in_band(error_result(session::kShuttingDown, result.error().message)));
    }
    refuse(result.error());
  }

  // The caller compares them with those of its call.
  static session::Answer with_arguments(session::Answer answer, const session::Prompt& prompt) {
    if (!prompt.arguments_sha256.empty()) {
      answer.meta.insert_or_assign(std::string(kArgumentsMeta), prompt.arguments_sha256);
    }
    return answer;
  }

  net::Response in_band(const session::Answer& answer) const {
    return rpc_answer(form_.codec, form_.gzip, question_response(key_, answer));
  }

  void refuse(const core::Error& error) {
    context_.counters().rpc_refused.add();
    answer(rpc_error(error));
  }

  void answer(net::Response response) {
    home_.cancel(std::exchange(timer_, 0));
    if (!responder_) return;
    net::Responder responder = std::move(*responder_);
    responder_.reset();
    responder.send(std::move(response));
  }

  void caller_disconnected() {
    if (!responder_) return;
    context_.counters().rpc_callers_disconnected.add();
    home_.cancel(std::exchange(timer_, 0));
    responder_.reset();
    question_ = {};
  }

  void out_of_time() {
    timer_ = 0;
    if (!responder_) return;
    refuse({Code::deadline_exceeded, "There was no answer within Connect-Timeout-Ms."});
    question_ = {};
  }

  AssistantContext& context_;
  core::Scheduler& home_;
  const AnswerForm form_;
  std::string key_;
  std::optional<net::Responder> responder_;
  core::TimerId timer_ = 0;
  session::Subscription question_;
};

// The parts of a call that are the same for every method.
struct Call {
  AssistantContext& context;
  net::Request request;
  net::Responder responder;
  AnswerForm form;
  std::optional<core::Millis> timeout;
  const access::Row* row = nullptr;

  void refuse(const core::Error& error) { refuse_caller({error}); }
  void refuse_caller(const access::Refused& refused) {
    context.counters().rpc_refused.add();
    responder.send(access::refuse(refused, rpc_error));
  }
};

std::string_view name_of(RpcMethod method) {
  switch (method) {
    case RpcMethod::ask_question:
      return "AskQuestion";
    case RpcMethod::task_finish:
      return "TaskFinish";
    case RpcMethod::work_report:
      return "WorkReport";
    case RpcMethod::send_mcp_client_info:
      return "SendMcpClientInfo";
  }
  return {};
}

const access::Row& row_of(RpcMethod method) {
  return access::row_of("POST", std::string(kServicePath) + std::string(name_of(method)));
}

tl::unexpected<access::Refused> refused(const core::Error& error) {
  return tl::unexpected(access::Refused{error});
}

// Reads the message and verifies its token. Errors are Connect errors.
template <typename Message>
tl::expected<auth::Identity, access::Refused> read_call(Call& call, Message& message) {
  core::Result<std::string> body = rpc_body_of(call.request, call.context.options().max_rpc_bytes);
  if (!body) return refused(body.error());
  if (const core::Result<void> read = read_message(call.form.codec, *body, message); !read) {
    return refused(read.error());
  }
  // Uncompressed, it was taken out of the request, which may have to be passed on.
  if (call.request.body.empty()) call.request.body = std::move(*body);
  const core::Result<std::string> token = rpc_token_of(call.request, message.usertoken());
  if (!token) return refused(token.error());
  return access::let_in(call.context.verifier(), *call.row, *token, call.request.peer);
}

// True if another node is the home of the caller: it has the call.
bool passes_on(Call& call, const auth::Identity& caller) {
  net::HomePassage* const homes = call.context.options().homes;
  return homes != nullptr && homes->pass_on(caller.workspace, call.request, call.responder);
}

core::Result<session::Action> action_of(std::string_view header) {
  const auto json = core::base64_decode(header);
  if (!json) {
    return core::fail(Code::invalid_argument,
                      std::string(kActionHeader) + " must be a JSON object in base64.",
                      std::string(kActionHeader));
  }
  return session::read_action(*json);
}

template <typename Message>
void serve_ask(Call call, session::InteractionKind kind) {
  Message message;
  const auto identity = read_call(call, message);
  if (!identity) {
    call.refuse_caller(identity.error());
    return;
  }
  if (passes_on(call, *identity)) return;
  if (!message.has_request()) {
    const session::Answer answer = error_result("invalid_request", "Request field is required");
    call.responder.send(
        rpc_answer(call.form.codec, call.form.gzip, question_response(message.id(), answer)));
    return;
  }
  if (call.timeout && *call.timeout <= core::Millis(0)) {
    call.refuse({Code::deadline_exceeded, "Connect-Timeout-Ms leaves no time to wait."});
    return;
  }
  if constexpr (requires { check_questions(message.request()); }) {
    if (const auto few = check_questions(message.request()); !few) return call.refuse(few.error());
  }
  session::AskRequest ask{access::authority_of(*identity)};
  ask.kind = kind;
  ask.prompt = prompt_of(message.request());
  if (const auto arguments = call.request.headers.get(kArgumentsHeader); !arguments.empty()) {
    if (!core::is_sha256_hex(arguments)) {
      return call.refuse({Code::invalid_argument,
                          std::string(kArgumentsHeader) +
                              " must be a SHA-256: 64 hexadecimal digits in lower case.",
                          std::string(kArgumentsHeader)});
    }
    ask.prompt.arguments_sha256 = arguments;
  }
  if (const auto action = call.request.headers.get(kActionHeader); !action.empty()) {
    auto named = action_of(action);
    if (!named) return call.refuse(named.error());
    // An action that the person does not see is not remembered.
    if (session::shows_action(ask.prompt, *named)) ask.prompt.action = *std::move(named);
  }
  ask.key = message.id();
  if (ask.key.empty()) {
    ask.key = core::new_id(call.responder.scheduler().clock(), call.context.entropy());
  }
  const auto waiting = std::make_shared<WaitingCall>(call.context, std::move(call.responder),
                                                     call.form, identity->workspace);
  waiting->start(std::move(ask), call.timeout);
}

void serve_client_info(Call call) {
  pb::McpClientInfoRequest message;
  const auto identity = read_call(call, message);
  if (!identity) {
    call.refuse_caller(identity.error());
    return;
  }
  if (passes_on(call, *identity)) return;
  pb::McpClientInfoResponse out;
  out.set_success(message.has_request());
  call.responder.send(rpc_answer(call.form.codec, call.form.gzip, out));
}

}  // namespace

tl::expected<net::Admission, net::Response> admit_rpc(AssistantContext& context, RpcMethod method,
                                                      const net::Request& head) {
  // Clients of the first generation send their token in the body, so the call is charged to the
  // unknown senders of its address.
  if (head.token().empty()) return net::Admission{{}, context.options().max_rpc_bytes};
  auto admission = access::admit(context.verifier(), row_of(method), head, rpc_error);
  if (admission) return admission;
  context.counters().rpc_calls.add();
  context.counters().rpc_refused.add();
  return admission;
}

void serve_rpc(AssistantContext& context, RpcMethod method, net::Request request,
               net::Responder responder) {
  context.counters().rpc_calls.add();
  const std::string_view type = request.headers.get("Content-Type");
  const std::optional<RpcCodec> codec = rpc_codec_of(type);
  if (!codec) {
    context.counters().rpc_refused.add();
    responder.send(rpc_unsupported_type(type));
    return;
  }
  const AnswerForm form{*codec, request.headers.lists("Accept-Encoding", "gzip")};
  Call call{context, std::move(request), std::move(responder), form, std::nullopt, &row_of(method)};
  if (const core::Result<void> version = check_protocol_version(call.request.headers); !version) {
    call.refuse(version.error());
    return;
  }
  const core::Result<std::optional<core::Millis>> timeout = rpc_timeout_of(call.request.headers);
  if (!timeout) {
    call.refuse(timeout.error());
    return;
  }
  call.timeout = *timeout;
  switch (method) {
    case RpcMethod::ask_question:
      serve_ask<pb::AskQuestionRequest>(std::move(call), session::InteractionKind::question);
      return;
    case RpcMethod::task_finish:
    case RpcMethod::work_report:
      serve_ask<pb::TaskFinishRequest>(std::move(call), session::InteractionKind::task_finish);
      return;
    case RpcMethod::send_mcp_client_info:
      serve_client_info(std::move(call));
      return;
  }
}

}  // namespace parley::assistant
