// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/assistant_client.h"

#include <agentassist.pb.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <optional>
#include <utility>

#include "base/core/base64.h"
#include "base/core/duration_text.h"
#include "base/core/id.h"
#include "base/core/json_writer.h"

namespace parley::mcp {
namespace {

namespace pb = agentassistproto;

// McpResultContent.type
constexpr int kText = 1;
constexpr int kImage = 2;
constexpr int kAudio = 3;
constexpr int kResource = 4;

constexpr core::Millis kCancelTimeout = std::chrono::seconds(5);
constexpr core::Millis kLongestCancelling = std::chrono::minutes(10);
// An attempt that takes longer than this has reached the server, because a failing connect ends
// sooner.
constexpr core::Millis kSurelyConnected = std::chrono::seconds(6);
constexpr std::size_t kMaxCancelAnswerBytes = 64U << 10U;
constexpr std::string_view kService = "/agentassistproto.SrvAgentAssist/";

std::int32_t seconds_of(core::Millis time) {
  return static_cast<std::int32_t>(std::chrono::ceil<std::chrono::seconds>(time).count());
}

template <typename Request>
void fill_common(const AssistantCall& call, Request& request) {
  request.set_projectdirectory(call.project_directory);
  request.set_timeout(seconds_of(call.timeout));
  request.set_agentname(call.agent_name);
  request.set_reasoningmodelname(call.reasoning_model_name);
  request.set_mcpclientname(call.client_name);
}

void write_question(const core::Question& question, pb::Question& out) {
  out.set_question(question.text);
  out.set_header(question.header);
  out.set_multiple(question.multiple);
  out.set_custom(question.custom);
  for (const core::Choice& choice : question.choices) {
    pb::Option& option = *out.add_options();
    option.set_label(choice.label);
    option.set_description(choice.description);
  }
}

std::string encode(const AssistantCall& call, const std::string& key, const std::string& token,
                   std::int64_t timestamp) {
  if (call.kind == AssistantCall::Kind::ask_question) {
    pb::AskQuestionRequest request;
    request.set_id(key);
    request.set_usertoken(token);
    request.set_timestamp(timestamp);
    fill_common(call, *request.mutable_request());
    request.mutable_request()->set_question(call.text);
    for (const core::Question& question : call.questions) {
      write_question(question, *request.mutable_request()->add_questions());
    }
    return request.SerializeAsString();
  }
  pb::TaskFinishRequest request;
  request.set_id(key);
  request.set_usertoken(token);
  request.set_timestamp(timestamp);
  fill_common(call, *request.mutable_request());
  request.mutable_request()->set_summary(call.text);
  return request.SerializeAsString();
}

// Checks the base64, because an agent rejects the whole answer for a fault in one content.
template <typename Media>
core::Content media_of(core::Content::Type type, std::string_view name, const Media& media) {
  std::optional<std::string> data = core::base64_decode(media.data());
  if (!data || data->empty()) {
    return core::text_content("The " + std::string(name) + " (" + media.mime_type() +
                              ") that belongs here is not valid base64 and was left out.");
  }
  return {type, {}, media.mime_type(), {}, *std::move(data)};
}

core::Content content_of(const pb::McpResultContent& wire) {
  switch (wire.type()) {
    case kText:
      return core::text_content(wire.text().text());
    case kImage:
      return media_of(core::Content::Type::image, "image", wire.image());
    case kAudio:
      return media_of(core::Content::Type::audio, "audio", wire.audio());
    case kResource: {
      const pb::EmbeddedResource& resource = wire.embedded_resource();
      return {
          core::Content::Type::resource, {}, resource.mime_type(), resource.uri(), resource.data()};
    }
    default:
      return core::text_content("A content of an unknown type (" + std::to_string(wire.type()) +
                                ") was left out.");
  }
}

// Both response types have the same field numbers, so one type parses both.
core::Result<AssistantReply> decode(const std::string& body) {
  pb::AskQuestionResponse response;
  if (!response.ParseFromString(body)) {
    return core::fail(core::Code::internal,
                      "The server's answer is not a response of the Agent Assistant protocol.");
  }
  AssistantReply reply;
  reply.is_error = response.iserror();
  for (const auto& [name, value] : response.meta()) reply.meta.emplace(name, value);
  for (const auto& content : response.contents()) reply.contents.push_back(content_of(content));
  return reply;
}

// A server of before the hash was stored does not name it.
bool is_for_others(const AssistantCall& call, const AssistantReply& reply) {
  const auto digest = reply.meta.find("parley.arguments_sha256");
  return !call.arguments_sha256.empty() && digest != reply.meta.end() &&
         digest->second != call.arguments_sha256;
}

struct ConnectError {
  std::string code;
  std::string message;
};

// Parses the body of a Connect error; both members are empty for any other body.
ConnectError read_connect_error(const std::string& body) {
  boost::system::error_code failed;
  const boost::json::value value = boost::json::parse(body, failed);
  const boost::json::object* object = failed.failed() ? nullptr : value.if_object();
  if (object == nullptr) return {};
  const auto text = [&](std::string_view name) {
    const boost::json::value* member = object->if_contains(name);
    return member != nullptr && member->is_string() ? std::string(member->get_string())
                                                    : std::string();
  };
  return {text("code"), text("message")};
}

core::Code code_named(std::string_view name, int status) {
  for (int i = 0; i <= static_cast<int>(core::Code::unauthenticated); ++i) {
    const auto code = static_cast<core::Code>(i);
    if (core::code_name(code) == name) return code;
  }
  if (status == 401) return core::Code::unauthenticated;
  if (status == 403) return core::Code::permission_denied;
  if (status == 404) return core::Code::unimplemented;
  return core::Code::unknown;
}

bool is_away(int status) { return status == 502 || status == 503 || status == 504; }

std::string start_hint(const ServerAccess& endpoint) {
  return "Start the server with `parley serve` (or `make run` in its folder), or name it with "
         "agentassistant-mcp.toml or --host, --port and --token; the server was expected at " +
         endpoint.base_url + " (" + endpoint.origin + ").";
}

}  // namespace

struct AssistantClient::Call {
  AssistantCall request;
  Done done;
  std::string key;
  std::int64_t timestamp = 0;
  core::MonoTime deadline;
  core::MonoTime attempt_began;
  core::TimerId deadline_timer = 0;
  core::TimerId retry_timer = 0;
  http_client::TransferId transfer = 0;
  ServerAccess endpoint;
  int failures = 0;
  bool other_name = false;
  std::string trouble;  // reason for the failure of the last finished attempt; empty before
  bool ever_reached = false;

  bool reached(core::MonoTime now) const {
    return transfer != 0 && (trouble.empty() || now - attempt_began >= kSurelyConnected);
  }
};

struct AssistantClient::Cancellation {
  std::string key;
  std::string body;
  core::MonoTime until;
  core::TimerId retry_timer = 0;
  http_client::TransferId transfer = 0;
  int failures = 0;
};

AssistantClient::AssistantClient(core::Scheduler& scheduler, core::Entropy& entropy,
                                 http_client::HttpClient& http, AccessSource endpoint,
                                 core::Millis first_contact)
    : scheduler_(scheduler),
      entropy_(entropy),
      http_(http),
      endpoint_(std::move(endpoint)),
      first_contact_(first_contact) {}

AssistantClient::~AssistantClient() {
  for (const auto& [id, call] : calls_) {
    http_.abort(call->transfer);
    scheduler_.cancel(call->deadline_timer);
    scheduler_.cancel(call->retry_timer);
  }
  for (const auto& [id, cancellation] : cancellations_) {
    http_.abort(cancellation->transfer);
    scheduler_.cancel(cancellation->retry_timer);
  }
}

CallId AssistantClient::start(AssistantCall request, Done done) {
  const CallId id = ++last_id_;
  auto call = std::make_unique<Call>();
  call->key = core::new_id(scheduler_.clock(), entropy_);
  call->timestamp = core::to_unix_ms(scheduler_.clock().wall());
  call->deadline = scheduler_.clock().mono() + request.timeout + kGrace;
  call->deadline_timer = scheduler_.after(request.timeout, [this, id] { on_timeout(id); });
  call->request = std::move(request);
  call->done = std::move(done);
  calls_.emplace(id, std::move(call));
  attempt(id);
  return id;
}

void AssistantClient::attempt(CallId id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  Call& call = *found->second;
  call.retry_timer = 0;
  call.endpoint = endpoint_();
  const core::MonoTime now = scheduler_.clock().mono();
  call.attempt_began = now;
  const bool question = call.request.kind == AssistantCall::Kind::ask_question;
  const bool report = (call.request.kind == AssistantCall::Kind::work_report) != call.other_name;
  http_client::HttpPost post;
  post.url = call.endpoint.base_url + std::string(kService);
  post.url += question ? "AskQuestion" : (report ? "WorkReport" : "TaskFinish");
  post.headers = {"Content-Type: application/proto", "Connect-Protocol-Version: 1",
                  "Authorization: Bearer " + call.endpoint.token};
  if (!call.request.arguments_sha256.empty()) {
    post.headers.push_back("Parley-Arguments-SHA256: " + call.request.arguments_sha256);
  }
  if (!call.request.action.empty()) {
    post.headers.push_back("Parley-Action: " + core::base64_encode(call.request.action));
  }
  post.body = encode(call.request, call.key, call.endpoint.token, call.timestamp);
  // One second after the deadline, so that the deadline's own timer fires first.
  post.timeout = std::chrono::ceil<core::Millis>(call.deadline - now) + std::chrono::seconds(1);
  post.max_bytes = kMaxAnswerBytes;
  post.ca_file = call.endpoint.ca_file;
  post.proxy = call.endpoint.proxy;
  post.environment_proxy = false;
  call.transfer = http_.post_to(std::move(post), [this, id](http_client::HttpAnswer answer) {
    on_answer(id, std::move(answer));
  });
}

void AssistantClient::on_answer(CallId id, http_client::HttpAnswer answer) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  Call& call = *found->second;
  call.transfer = 0;
  if (answer.too_large) {
    cancel_on_server(call, "The answer is larger than the limit of the agent's MCP server.");
    finish(id, core::fail(core::Code::resource_exhausted,
                          "The answer is larger than 64 MiB and was not read."));
  } else if (answer.status == 0) {
    call.ever_reached = call.ever_reached || answer.sent;
    retry(id, std::move(answer.failure));
  } else if (is_away(answer.status)) {
    retry(id, "the server answered HTTP " + std::to_string(answer.status));
  } else if (answer.status == 200) {
    on_success(id, answer.body);
  } else {
    on_connect_error(id, answer);
  }
}

void AssistantClient::on_success(CallId id, const std::string& body) {
  core::Result<AssistantReply> reply = decode(body);
  if (reply && reply->is_error) {
    const auto error = reply->meta.find("error");
    if (error != reply->meta.end() && error->second == "shutting_down") {
      calls_.at(id)->ever_reached = true;
      retry(id, "the server is shutting down");
      return;
    }
  }
  if (reply && is_for_others(calls_.at(id)->request, *reply)) {
    reply = core::fail(core::Code::aborted,
                       "The answer is for other arguments than those of this call.");
  }
  finish(id, std::move(reply));
}

void AssistantClient::on_connect_error(CallId id, const http_client::HttpAnswer& answer) {
  Call& call = *calls_.at(id);
  if (try_other_name(call, answer) || try_new_endpoint(call, answer)) {
    attempt(id);
    return;
  }
  const ConnectError error = read_connect_error(answer.body);
  const core::Code code = code_named(error.code, answer.status);
  std::string text = "The server at " + call.endpoint.base_url + " refused the call: ";
  text += core::code_name(code);
  if (!error.message.empty()) text += ": " + error.message;
  if (error.code.empty()) text += " (HTTP " + std::to_string(answer.status) + ")";
  if (code == core::Code::unauthenticated) {
    text += " The token comes from " + call.endpoint.origin + "; `parley token create` makes one.";
  }
  finish(id, core::fail(code, std::move(text)));
}

// True if the call must be repeated under its other name: a server of the first generation knows
// only TaskFinish, later ones only WorkReport.
bool AssistantClient::try_other_name(Call& call, const http_client::HttpAnswer& answer) {
  const bool unknown = answer.status == 404 || answer.status == 501;
  if (!unknown || call.other_name || call.request.kind == AssistantCall::Kind::ask_question) {
    return false;
  }
  call.other_name = true;
  return true;
}

// True if the call must be repeated because the endpoint has changed: a restarted server may have a
// new token.
bool AssistantClient::try_new_endpoint(Call& call, const http_client::HttpAnswer& answer) {
  if (answer.status != 401) return false;
  const ServerAccess now = endpoint_();
  return now.base_url != call.endpoint.base_url || now.token != call.endpoint.token;
}

void AssistantClient::retry(CallId id, std::string why) {
  Call& call = *calls_.at(id);
  const core::MonoTime now = scheduler_.clock().mono();
  if (now - call.attempt_began >= kSurelyConnected) call.failures = 0;
  call.trouble = std::move(why);
  const core::MonoTime began = call.deadline - kGrace - call.request.timeout;
  if (!call.ever_reached && now - began >= first_contact_) return give_up_unreached(id);
  call.retry_timer = scheduler_.after(pause_after(call.failures++), [this, id] { attempt(id); });
}

// Runs at the question's deadline. Waits kGrace for a server that has the question to report that.
void AssistantClient::on_timeout(CallId id) {
  Call& call = *calls_.at(id);
  call.deadline_timer = 0;
  if (!call.reached(scheduler_.clock().mono())) return give_up_unreached(id);
  call.deadline_timer = scheduler_.after(kGrace, [this, id] { on_deadline(id); });
}

void AssistantClient::on_deadline(CallId id) {
  Call& call = *calls_.at(id);
  call.deadline_timer = 0;
  const auto seconds = seconds_of(call.request.timeout);
  const std::string text = "Nobody answered within " + std::to_string(seconds) +
                           (seconds == 1 ? " second." : " seconds.");
  cancel_on_server(call, text);
  finish(id, core::fail(core::Code::deadline_exceeded, text));
}

void AssistantClient::give_up_unreached(CallId id) {
  Call& call = *calls_.at(id);
  if (call.ever_reached) cancel_on_server(call, "The agent's timeout for the answer has expired.");
  const auto waited = core::Millis(call.request.timeout) + kGrace -
                      std::chrono::ceil<core::Millis>(call.deadline - scheduler_.clock().mono());
  std::string text = "The assistant server could not be reached within " +
                     std::to_string(core::rounded_seconds(waited)) + " seconds";
  if (!call.trouble.empty()) text += " (" + call.trouble + ")";
  finish(id, core::fail(core::Code::unavailable, text + ". " + start_hint(call.endpoint)));
}

void AssistantClient::finish(CallId id, AssistantOutcome outcome) {
  const auto found = calls_.find(id);
  const std::unique_ptr<Call> call = std::move(found->second);
  calls_.erase(found);
  http_.abort(call->transfer);
  scheduler_.cancel(call->deadline_timer);
  scheduler_.cancel(call->retry_timer);
  call->done(std::move(outcome));
}

void AssistantClient::cancel(CallId id, std::string_view reason) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  const std::unique_ptr<Call> call = std::move(found->second);
  calls_.erase(found);
  scheduler_.cancel(call->deadline_timer);
  scheduler_.cancel(call->retry_timer);
  // A server that never received the question needs no cancellation.
  if (call->transfer != 0 || call->ever_reached) cancel_on_server(*call, reason);
  http_.abort(call->transfer);
}

void AssistantClient::cancel_on_server(const Call& call, std::string_view reason) {
  auto cancellation = std::make_unique<Cancellation>();
  cancellation->key = call.key;
  cancellation->until =
      std::min<core::MonoTime>(call.deadline, scheduler_.clock().mono() + kLongestCancelling);
  core::JsonWriter json(cancellation->body);
  json.begin_object().key("reason").string(reason).end_object();
  const CallId id = ++last_id_;
  cancellations_.emplace(id, std::move(cancellation));
  send_cancellation(id);
}

void AssistantClient::send_cancellation(CallId id) {
  Cancellation& cancellation = *cancellations_.at(id);
  cancellation.retry_timer = 0;
  const ServerAccess endpoint = endpoint_();
  http_client::HttpPost post;
  post.url = endpoint.base_url + "/v1/interactions/" + cancellation.key + "/cancel";
  post.headers = {"Content-Type: application/json", "Authorization: Bearer " + endpoint.token};
  post.body = cancellation.body;
  post.timeout = kCancelTimeout;
  post.max_bytes = kMaxCancelAnswerBytes;
  post.ca_file = endpoint.ca_file;
  post.proxy = endpoint.proxy;
  post.environment_proxy = false;
  const auto on_done = [this, id](const http_client::HttpAnswer& answer) {
    Cancellation& sent = *cancellations_.at(id);
    sent.transfer = 0;
    const bool away = answer.status == 0 || is_away(answer.status);
    if (!away || scheduler_.clock().mono() >= sent.until) {
      cancellations_.erase(id);
      return;
    }
    sent.retry_timer =
        scheduler_.after(pause_after(sent.failures++), [this, id] { send_cancellation(id); });
  };
  cancellation.transfer = http_.post_to(std::move(post), on_done);
}

std::string AssistantClient::status(CallId id) const {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return "This call has ended.";
  const Call& call = *found->second;
  if (call.reached(scheduler_.clock().mono())) return "Waiting for the person's answer.";
  return "No answer from the assistant server at " + call.endpoint.base_url + " (" + call.trouble +
         "); trying again.";
}

// 100 ms, doubled after each failure, at most 5 s, times a random factor of 0.75 to 1.25 (jitter),
// so that many clients of one server do not retry at the same time.
core::Millis AssistantClient::pause_after(int failures) {
  const core::Millis longest = std::min(kFirstPause * (1 << std::min(failures, 10)), kLongestPause);
  const auto percent = static_cast<std::int64_t>(75 + entropy_.next_u64() % 51);
  return core::Millis(longest.count() * percent / 100);
}

}  // namespace parley::mcp
