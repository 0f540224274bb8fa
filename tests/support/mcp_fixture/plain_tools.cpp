// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <memory>

#include "agents/mcp/mcp_revision.h"
#include "tests/support/mcp_fixture/fixture_offer.h"

namespace parley::mcp_fixture {
namespace {

using mcp::ExchangePtr;

constexpr core::Millis kStep{50};

// Silence of a tenth of a second, 8 kHz, one byte a sample.
constexpr std::string_view kWave = "UklGRiUAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACA";

constexpr std::string_view kMeasuredSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",)"
    R"("$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{)"
    R"("street":{"type":"string"},"city":{"type":"string"}}}},)"
    R"("properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},)"
    R"("contactMethod":{"type":"string","enum":["phone","email"]},)"
    R"("phone":{"type":"string"},"email":{"type":"string"}},)"
    R"("allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],)"
    R"("if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},)"
    R"("then":{"required":["phone"]},"else":{"required":["email"]},)"
    R"("additionalProperties":false})";

constexpr std::string_view kMirroredSchema =
    R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})";

std::string png() {
  return R"({"type":"image","mimeType":"image/png","data":")" + std::string(kPixel) + R"("})";
}

void reply_contents(const ExchangePtr& exchange, const std::string& contents) {
  exchange->reply(R"({"content":[)" + contents + "]}");
}

// Runs `step` three times, then answers.
void in_steps(const FixtureDependencies& dependencies, const ExchangePtr& exchange, int number,
              void (*step)(mcp::Exchange& exchange, int number)) {
  if (number == 3) return reply_text(exchange, "Done.");
  step(*exchange, number);
  dependencies.scheduler.after(kStep, [dependencies, exchange, number, step] {
    in_steps(dependencies, exchange, number + 1, step);
  });
}

void simple_text(const FixtureDependencies&, const ExchangePtr& exchange) {
  reply_text(exchange, "This is a simple text response for testing.");
}
void image(const FixtureDependencies&, const ExchangePtr& exchange) {
  reply_contents(exchange, png());
}
void audio(const FixtureDependencies&, const ExchangePtr& exchange) {
  reply_contents(exchange, R"({"type":"audio","mimeType":"audio/wav","data":")" +
                               std::string(kWave) + R"("})");
}
void embedded(const FixtureDependencies&, const ExchangePtr& exchange) {
  reply_contents(exchange,
                 R"({"type":"resource","resource":{"uri":"test://embedded-resource",)"
                 R"("mimeType":"text/plain","text":"This is an embedded resource content."}})");
}
void mixed(const FixtureDependencies&, const ExchangePtr& exchange) {
  reply_contents(exchange, R"({"type":"text","text":"Multiple content types test:"},)" + png() +
                               R"(,{"type":"resource","resource":{)"
                               R"("uri":"test://mixed-content-resource",)"
                               R"("mimeType":"application/json","text":"{\"test\":\"data\"}"}})");
}
void with_logging(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  in_steps(dependencies, exchange, 0,
           [](mcp::Exchange& to, int) { to.log("info", R"("Tool execution goes on")"); });
}
void with_progress(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  in_steps(dependencies, exchange, 0, [](mcp::Exchange& to, int number) {
    to.progress(std::int64_t{50} * number, 100, "Going on");
  });
}
void failing(const FixtureDependencies&, const ExchangePtr& exchange) {
  exchange->reply(R"({"content":[{"type":"text","text":)"
                  R"("This tool intentionally returns an error for testing"}],"isError":true})");
}
void logging_on_request(const FixtureDependencies&, const ExchangePtr& exchange) {
  exchange->log("info", R"("A message for those who asked")");
  reply_text(exchange, "Logged.");
}
void change(const FixtureDependencies& dependencies, const ExchangePtr& exchange,
            mcp::Change::Kind kind) {
  reply_text(exchange, "Changed.");
  dependencies.scheduler.after(kStep, [dependencies, kind] { dependencies.bulletin.tell({kind}); });
}
void change_tools(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  change(dependencies, exchange, mcp::Change::Kind::tools);
}
void change_prompts(const FixtureDependencies& dependencies, const ExchangePtr& exchange) {
  change(dependencies, exchange, mcp::Change::Kind::prompts);
}
void needs_sampling(const FixtureDependencies&, const ExchangePtr& exchange) {
  if (exchange->client().declares("sampling")) return reply_text(exchange, "It is there.");
  exchange->fail(mcp::kMissingCapability, "This tool needs sampling",
                 R"({"requiredCapabilities":{"sampling":{}}})");
}
void measured(const FixtureDependencies&, const ExchangePtr& exchange) {
  const auto* arguments = exchange->params().if_contains("arguments");
  reply_text(exchange, arguments == nullptr ? "{}" : boost::json::serialize(*arguments));
}
void greet(const FixtureDependencies&, const ExchangePtr& exchange) {
  reply_text(exchange, "Hello, " + argument(*exchange, "name") + "!");
}
void mirrored(const FixtureDependencies&, const ExchangePtr& exchange) {
  reply_text(exchange, "Region: " + argument(*exchange, "region"));
}
void streaming(const FixtureDependencies&, const ExchangePtr& exchange) {
  exchange->progress(1, 1, "Streaming");
  reply_text(exchange, "Streamed.");
}

}  // namespace

std::vector<FixtureTool> plain_tools() {
  constexpr std::string_view kNamed =
      R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";
  return {
      {"test_simple_text", kNoArguments, simple_text},
      {"test_image_content", kNoArguments, image},
      {"test_audio_content", kNoArguments, audio},
      {"test_embedded_resource", kNoArguments, embedded},
      {"test_multiple_content_types", kNoArguments, mixed},
      {"test_tool_with_logging", kNoArguments, with_logging},
      {"test_tool_with_progress", kNoArguments, with_progress},
      {"test_error_handling", kNoArguments, failing},
      {"test_logging_tool", kNoArguments, logging_on_request},
      {"test_trigger_tool_change", kNoArguments, change_tools},
      {"test_trigger_prompt_change", kNoArguments, change_prompts},
      {"test_missing_capability", kNoArguments, needs_sampling},
      {"json_schema_2020_12_tool", kMeasuredSchema, measured},
      {"greet", kNamed, greet},
      {"test_mirrored_argument", kMirroredSchema, mirrored},
      {"test_streaming_elicitation", kNoArguments, streaming},
  };
}

}  // namespace parley::mcp_fixture
