// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/mcp_fixture/fixture_offer.h"

#include <algorithm>
#include <utility>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_revision.h"
#include "agents/mcp/prompt_catalog.h"
#include "base/core/json_member.h"

namespace parley::mcp_fixture {
namespace {

using boost::json::object;
using boost::json::value;
using mcp::ExchangePtr;

std::vector<FixtureTool> all_tools() {
  std::vector<FixtureTool> tools = plain_tools();
  for (const FixtureTool& tool : asking_tools()) tools.push_back(tool);
  return tools;
}

void list_tools(const ExchangePtr& exchange) {
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("tools").begin_array();
  for (const FixtureTool& tool : all_tools()) {
    json.begin_object().key("name").string(tool.name);
    json.key("description").string("A tool of the conformance suite");
    json.key("inputSchema").raw(tool.schema).end_object();
  }
  json.end_array();
  mcp::write_cache_hints(json, exchange->client());
  json.end_object();
  exchange->reply(result);
}

void list_all_prompts(const ExchangePtr& exchange) {
  std::string result = R"({"prompts":[{"name":"test_simple_prompt","description":"A prompt"},)"
                       R"({"name":"test_prompt_with_arguments","description":"A prompt",)"
                       R"("arguments":[{"name":"arg1","description":"One","required":true},)"
                       R"({"name":"arg2","description":"Two","required":true}]},)"
                       R"({"name":"test_prompt_with_embedded_resource","description":"A prompt",)"
                       R"("arguments":[{"name":"resourceUri","description":"URI",)"
                       R"("required":true}]},)"
                       R"({"name":"test_prompt_with_image","description":"A prompt"},)"
                       R"({"name":"test_input_required_result_prompt",)"
                       R"("description":"A prompt"}])";
  if (exchange->client().modern()) result += R"(,"ttlMs":1000,"cacheScope":"private")";
  exchange->reply(result + "}");
}

// A user's message with one content.
std::string message_of(std::string_view content) {
  return R"({"role":"user","content":)" + std::string(content) + "}";
}

std::string text_content(std::string_view text) {
  std::string content;
  core::JsonWriter json(content);
  json.begin_object().key("type").string("text").key("text").string(text).end_object();
  return content;
}

void get_prompt(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  const std::string name = core::string_member(exchange->params(), "name");
  std::string messages;
  if (name == "test_simple_prompt") {
    messages = message_of(text_content("This is a simple prompt for testing."));
  } else if (name == "test_prompt_with_arguments") {
    messages =
        message_of(text_content("Prompt with arguments: arg1='" + argument(*exchange, "arg1") +
                                "', arg2='" + argument(*exchange, "arg2") + "'"));
  } else if (name == "test_prompt_with_embedded_resource") {
    std::string uri;
    core::JsonWriter(uri).string(argument(*exchange, "resourceUri"));
    messages = message_of(R"({"type":"resource","resource":{"uri":)" + uri +
                          R"(,"mimeType":"text/plain","text":"Embedded for a test."}})") +
               "," + message_of(text_content("Please process the embedded resource above."));
  } else if (name == "test_prompt_with_image") {
    messages = message_of(R"({"type":"image","mimeType":"image/png","data":")" +
                          std::string(kPixel) + R"("})") +
               "," + message_of(text_content("Please analyze the image above."));
  } else if (name == "test_input_required_result_prompt") {
    return get_asking_prompt(dependencies, exchange);
  } else {
    return exchange->fail(mcp::kInvalidParams, "Unknown prompt: " + name);
  }
  exchange->reply(R"({"messages":[)" + messages + "]}");
}

void list_resources(const ExchangePtr& exchange) {
  std::string result = R"({"resources":[{"uri":"test://static-text","name":"Static text",)"
                       R"("mimeType":"text/plain"},)"
                       R"({"uri":"test://static-binary","name":"Static binary",)"
                       R"("mimeType":"image/png"},)"
                       R"({"uri":"test://watched-resource","name":"Watched",)"
                       R"("mimeType":"text/plain"}])";
  if (exchange->client().modern()) result += R"(,"ttlMs":1000,"cacheScope":"private")";
  exchange->reply(result + "}");
}

void list_templates(const ExchangePtr& exchange) {
  std::string result = R"({"resourceTemplates":[{"uriTemplate":"test://template/{id}/data",)"
                       R"("name":"Template","mimeType":"application/json"}])";
  if (exchange->client().modern()) result += R"(,"ttlMs":1000,"cacheScope":"private")";
  exchange->reply(result + "}");
}

void read_resource(const ExchangePtr& exchange) {
  const std::string uri = core::string_member(exchange->params(), "uri");
  const std::string_view view = uri;
  constexpr std::string_view kTemplate = "test://template/";
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("contents").begin_array().begin_object().key("uri").string(uri);
  if (uri == "test://static-text" || uri == "test://watched-resource") {
    json.key("mimeType").string("text/plain");
    json.key("text").string("This is the content of the static text resource.");
  } else if (uri == "test://static-binary") {
    json.key("mimeType").string("image/png").key("blob").string(kPixel);
  } else if (view.starts_with(kTemplate) && view.ends_with("/data")) {
    const std::string_view id = view.substr(kTemplate.size(), view.size() - kTemplate.size() - 5);
    json.key("mimeType").string("application/json");
    json.key("text").string(R"({"id":")" + std::string(id) + R"(","templateTest":true})");
  } else {
    std::string data = R"({"uri":)";
    core::JsonWriter(data).string(uri);
    const bool modern = exchange->client().modern();
    return exchange->fail(modern ? mcp::kInvalidParams : mcp::kLegacyResourceNotFound,
                          "Resource not found", data + "}");
  }
  json.end_object().end_array();
  mcp::write_cache_hints(json, exchange->client());
  json.end_object();
  exchange->reply(result);
}

}  // namespace

void Bulletin::add(const void* owner, Reader reader) {
  readers_.emplace_back(owner, std::move(reader));
}

void Bulletin::remove(const void* owner) {
  std::erase_if(readers_, [owner](const auto& each) { return each.first == owner; });
}

void Bulletin::tell(const mcp::Change& change) {
  const auto readers = readers_;
  for (const auto& [owner, reader] : readers) reader(change);
}

void FixtureOffer::write_capabilities(core::JsonWriter& json, std::string_view) const {
  json.key("tools").raw(R"({"listChanged":true})");
  json.key("prompts").raw(R"({"listChanged":true})");
  json.key("resources").raw(R"({"subscribe":true,"listChanged":true})");
  json.key("completions").raw("{}");
}

bool FixtureOffer::handle(const ExchangePtr& exchange) {
  const std::string& method = exchange->method();
  if (method == "tools/list") return list_tools(exchange), true;
  if (method == "tools/call") return call_tool(exchange), true;
  if (method == "prompts/list") return list_all_prompts(exchange), true;
  if (method == "prompts/get") return get_prompt(dependencies_, exchange), true;
  if (method == "resources/list") return list_resources(exchange), true;
  if (method == "resources/templates/list") return list_templates(exchange), true;
  if (method == "resources/read") return read_resource(exchange), true;
  if (method == "completion/complete") {
    exchange->reply(R"({"completion":{"values":["paris","park","party"],"total":3}})");
    return true;
  }
  return false;
}

void FixtureOffer::call_tool(const ExchangePtr& exchange) {
  const std::string name = core::string_member(exchange->params(), "name");
  for (const FixtureTool& tool : all_tools()) {
    if (tool.name == name) return tool.call(dependencies_, exchange);
  }
  exchange->fail(mcp::kInvalidParams, "Unknown tool: " + name);
}

std::vector<mcp::MirroredArgument> FixtureOffer::mirrored_arguments(std::string_view tool) const {
  if (tool != "test_mirrored_argument") return {};
  return {{"Region", {"region"}}};
}

void FixtureOffer::watch(const mcp::Interests&, std::function<void(const mcp::Change&)> changed) {
  dependencies_.bulletin.remove(this);
  dependencies_.bulletin.add(this, std::move(changed));
}

std::string argument(const mcp::Exchange& exchange, std::string_view name) {
  const value* arguments = exchange.params().if_contains("arguments");
  if (arguments == nullptr || !arguments->is_object()) return {};
  return core::string_member(arguments->get_object(), name);
}

void reply_text(const ExchangePtr& exchange, std::string_view text) {
  exchange->reply(R"({"content":[)" + text_content(text) + R"(],"isError":false})");
}

}  // namespace parley::mcp_fixture
