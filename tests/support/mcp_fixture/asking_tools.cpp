// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <boost/json/serialize.hpp>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_revision.h"
#include "base/core/json_member.h"
#include "tests/support/mcp_fixture/fixture_offer.h"

namespace parley::mcp_fixture {
namespace {

using boost::json::object;
using boost::json::value;
using mcp::ExchangePtr;

constexpr std::string_view kElicit = "elicitation/create";
constexpr std::string_view kSample = "sampling/createMessage";
constexpr core::Millis kStateLife = std::chrono::minutes(10);

constexpr std::string_view kAskName =
    R"({"mode":"form","message":"What is your name?","requestedSchema":{"type":"object",)"
    R"("properties":{"name":{"type":"string"}},"required":["name"]}})";
constexpr std::string_view kAskColor =
    R"({"mode":"form","message":"Which color?","requestedSchema":{"type":"object",)"
    R"("properties":{"color":{"type":"string"}},"required":["color"]}})";
constexpr std::string_view kAskOk =
    R"({"mode":"form","message":"Go on?","requestedSchema":{"type":"object",)"
    R"("properties":{"ok":{"type":"boolean"}},"required":["ok"]}})";
constexpr std::string_view kAskContext =
    R"({"mode":"form","message":"In which context?","requestedSchema":{"type":"object",)"
    R"("properties":{"context":{"type":"string"}},"required":["context"]}})";
constexpr std::string_view kAskCapital =
    R"({"messages":[{"role":"user","content":{"type":"text",)"
    R"("text":"What is the capital of France?"}}],"maxTokens":100})";
constexpr std::string_view kAskGreeting =
    R"({"messages":[{"role":"user","content":{"type":"text","text":"Write a greeting"}}],)"
    R"("maxTokens":100})";

constexpr Input kName{"user_name", kElicit, kAskName};
constexpr Input kOk{"confirm", kElicit, kAskOk};
constexpr Input kCapital{"capital_question", kSample, kAskCapital};
constexpr Input kGreeting{"greeting", kSample, kAskGreeting};
constexpr Input kRoots{"client_roots", "roots/list", "{}"};

constexpr std::string_view kDefaultsForm =
    R"({"message":"Please review and update the form","requestedSchema":{"type":"object",)"
    R"("properties":{"name":{"type":"string","default":"John Doe"},)"
    R"("age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},)"
    R"("status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},)"
    R"("verified":{"type":"boolean","default":true}},"required":[]}})";
constexpr std::string_view kEnumsForm =
    R"({"message":"Please choose","requestedSchema":{"type":"object","properties":{)"
    R"("untitledSingle":{"type":"string","enum":["option1","option2","option3"]},)"
    R"("titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},)"
    R"({"const":"value2","title":"Second Option"}]},)"
    R"("legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],)"
    R"("enumNames":["Option One","Option Two","Option Three"]},)"
    R"("untitledMulti":{"type":"array","items":{"type":"string",)"
    R"("enum":["option1","option2","option3"]}},)"
    R"("titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},)"
    R"({"const":"value2","title":"Second Choice"}]}}},"required":[]}})";

// Asks a client of an older revision, and answers with its answer.
void ask_and_echo(const ExchangePtr& exchange, std::string_view method, std::string_view params) {
  exchange->ask_client(method, params, [exchange](const core::Result<object>& answer) {
    if (!answer) return exchange->fail(mcp::kInternalError, answer.error().message);
    reply_text(exchange, "The client answered: " + boost::json::serialize(*answer));
  });
}

void sampling(const FixtureDependencies&, const ExchangePtr& exchange) {
  std::string prompt;
  core::JsonWriter(prompt).string(argument(*exchange, "prompt"));
  ask_and_echo(exchange, kSample,
               R"({"messages":[{"role":"user","content":{"type":"text","text":)" + prompt +
                   R"(}}],"maxTokens":100})");
}
void elicitation(const FixtureDependencies&, const ExchangePtr& exchange) {
  std::string message;
  core::JsonWriter(message).string(argument(*exchange, "message"));
  ask_and_echo(exchange, kElicit,
               R"({"message":)" + message +
                   R"(,"requestedSchema":{"type":"object","properties":{)"
                   R"("username":{"type":"string"},"email":{"type":"string"}},)"
                   R"("required":["username","email"]}})");
}
void elicit_defaults(const FixtureDependencies&, const ExchangePtr& exchange) {
  ask_and_echo(exchange, kElicit, kDefaultsForm);
}
void elicit_enums(const FixtureDependencies&, const ExchangePtr& exchange) {
  ask_and_echo(exchange, kElicit, kEnumsForm);
}

// The answers that a retry brings; std::nullopt: the exchange was answered with an error.
std::optional<object> answers(const ExchangePtr& exchange) {
  auto responses = mcp::input_responses_of(*exchange);
  if (responses) return std::move(*responses);
  exchange->fail(mcp::kInvalidParams, responses.error().message);
  return std::nullopt;
}

// A member of the content of an accepted form; empty: none.
std::string content_of(const object& responses, std::string_view key, std::string_view name) {
  const value* response = responses.if_contains(key);
  if (response == nullptr) return {};
  const value* content = response->get_object().if_contains("content");
  if (content == nullptr || !content->is_object()) return {};
  const value* found = content->get_object().if_contains(name);
  if (found == nullptr) return {};
  return found->is_string() ? std::string(found->get_string()) : boost::json::serialize(*found);
}

std::string binding(const mcp::Exchange& exchange) { return mcp::binding_of("fixture", exchange); }

// The content of the state of a retry; std::nullopt: the exchange was answered with an error. Empty
// without a state.
std::optional<std::string> state_of(const FixtureDependencies& dependencies,
                                    const ExchangePtr& exchange) {
  const value* given = exchange->params().if_contains("requestState");
  if (given == nullptr) return std::string();
  auto opened = dependencies.state.open(
      given->is_string() ? std::string_view(given->get_string()) : std::string_view(),
      binding(*exchange), dependencies.scheduler.clock().wall());
  if (opened) return std::move(*opened);
  exchange->fail(mcp::kInvalidParams, opened.error().message);
  return std::nullopt;
}

// Asks for one input until it is there, then echoes it.
void until_there(const FixtureDependencies& dependencies, const ExchangePtr& exchange,
                 const Input& input) {
  const auto given = answers(exchange);
  if (!given) return;
  const value* found = given->if_contains(input.key);
  if (found == nullptr) return require_input(dependencies, exchange, {input});
  reply_text(exchange, "The client answered: " + boost::json::serialize(*found));
}

void require_elicitation(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  const auto given = answers(exchange);
  if (!given) return;
  const std::string name = content_of(*given, kName.key, "name");
  if (name.empty()) return require_input(dependencies, exchange, {kName});
  reply_text(exchange, "Hello, " + name + "!");
}
void require_sampling(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  until_there(dependencies, exchange, kCapital);
}
void require_roots(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  until_there(dependencies, exchange, kRoots);
}
void require_state(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  const auto given = answers(exchange);
  if (!given) return;
  const auto state = state_of(dependencies, exchange);
  if (!state) return;
  if (state->empty() || !given->contains(kOk.key)) {
    return require_input(dependencies, exchange, {kOk}, "confirm");
  }
  reply_text(exchange, "state-ok");
}
void require_many(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  const auto given = answers(exchange);
  if (!given) return;
  if (!state_of(dependencies, exchange)) return;
  for (const Input& input : {kName, kGreeting, kRoots}) {
    if (!given->contains(input.key)) {
      return require_input(dependencies, exchange, {kName, kGreeting, kRoots}, "many");
    }
  }
  reply_text(exchange, "All there: " + boost::json::serialize(*given));
}
void require_rounds(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  const auto given = answers(exchange);
  if (!given) return;
  const auto state = state_of(dependencies, exchange);
  if (!state) return;
  constexpr Input kFirst{"step1", kElicit, kAskName};
  constexpr Input kSecond{"step2", kElicit, kAskColor};
  if (!state->starts_with("name:")) {
    const std::string name = content_of(*given, kFirst.key, "name");
    if (state->empty() || name.empty()) {
      return require_input(dependencies, exchange, {kFirst}, "first");
    }
    return require_input(dependencies, exchange, {kSecond}, "name:" + name);
  }
  const std::string color = content_of(*given, kSecond.key, "color");
  if (color.empty()) return require_input(dependencies, exchange, {kSecond}, *state);
  reply_text(exchange, state->substr(5) + " likes " + color);
}
void require_sealed(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  const auto given = answers(exchange);
  if (!given) return;
  const auto state = state_of(dependencies, exchange);
  if (!state) return;
  if (state->empty()) return require_input(dependencies, exchange, {kOk}, "sealed");
  reply_text(exchange, "The state is whole.");
}
void require_declared(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  const auto given = answers(exchange);
  if (!given) return;
  std::vector<Input> inputs;
  const mcp::ClientFacts& client = exchange->client();
  if (client.declares("elicitation")) inputs.push_back(kName);
  if (client.declares("sampling")) inputs.push_back(kCapital);
  if (client.declares("roots")) inputs.push_back(kRoots);
  if (given->empty() && !inputs.empty()) return require_input(dependencies, exchange, inputs);
  reply_text(exchange, "Nothing more is needed.");
}

}  // namespace

void require_input(const FixtureDependencies& dependencies, const ExchangePtr& exchange,
                   const std::vector<Input>& inputs, std::string_view state) {
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("inputRequests").begin_object();
  for (const Input& input : inputs) {
    json.key(input.key).begin_object().key("method").string(input.method);
    json.key("params").raw(input.params).end_object();
  }
  json.end_object();
  if (!state.empty()) {
    const auto until = dependencies.scheduler.clock().wall() + kStateLife;
    json.key("requestState").string(dependencies.state.seal(state, binding(*exchange), until));
  }
  json.end_object();
  exchange->reply(result, {}, "input_required");
}

void get_asking_prompt(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  const auto given = answers(exchange);
  if (!given) return;
  const std::string context = content_of(*given, "user_context", "context");
  if (context.empty()) {
    return require_input(dependencies, exchange, {{"user_context", kElicit, kAskContext}});
  }
  std::string text;
  core::JsonWriter(text).string("Mind this context: " + context);
  exchange->reply(R"({"messages":[{"role":"user","content":{"type":"text","text":)" + text +
                  "}}]}");
}

std::vector<FixtureTool> asking_tools() {
  constexpr std::string_view kPrompted =
      R"({"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]})";
  constexpr std::string_view kWorded =
      R"({"type":"object","properties":{"message":{"type":"string"}},"required":["message"]})";
  return {
      {"test_sampling", kPrompted, sampling},
      {"test_elicitation", kWorded, elicitation},
      {"test_elicitation_sep1034_defaults", kNoArguments, elicit_defaults},
      {"test_elicitation_sep1330_enums", kNoArguments, elicit_enums},
      {"test_input_required_result_elicitation", kNoArguments, require_elicitation},
      {"test_input_required_result_sampling", kNoArguments, require_sampling},
      {"test_input_required_result_list_roots", kNoArguments, require_roots},
      {"test_input_required_result_request_state", kNoArguments, require_state},
      {"test_input_required_result_multiple_inputs", kNoArguments, require_many},
      {"test_input_required_result_multi_round", kNoArguments, require_rounds},
      {"test_input_required_result_tampered_state", kNoArguments, require_sealed},
      {"test_input_required_result_capabilities", kNoArguments, require_declared},
  };
}

}  // namespace parley::mcp_fixture
