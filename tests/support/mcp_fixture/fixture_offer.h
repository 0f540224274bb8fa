// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/offer.h"
#include "agents/mcp/request_state.h"
#include "base/core/scheduler.h"

// The tools, prompts and resources that the conformance suite of MCP calls. For tests only.
namespace parley::mcp_fixture {

// Tells all clients of the fixture about changes. One thread.
class Bulletin {
 public:
  using Reader = std::function<void(const mcp::Change&)>;
  void add(const void* owner, Reader reader);
  void remove(const void* owner);
  void tell(const mcp::Change& change);

 private:
  std::vector<std::pair<const void*, Reader>> readers_;
};

struct FixtureDependencies {
  core::Scheduler& scheduler;
  Bulletin& bulletin;
  const mcp::RequestState& state;
};

class FixtureOffer final : public mcp::Offer {
 public:
  explicit FixtureOffer(const FixtureDependencies& dependencies) : dependencies_(dependencies) {}
  ~FixtureOffer() override { dependencies_.bulletin.remove(this); }

  void write_capabilities(core::JsonWriter& json, std::string_view revision) const override;
  std::string_view instructions() const override { return "For tests."; }
  bool handle(const mcp::ExchangePtr& exchange) override;
  std::vector<mcp::MirroredArgument> mirrored_arguments(std::string_view tool) const override;
  void watch(const mcp::Interests& interests,
             std::function<void(const mcp::Change&)> changed) override;

 private:
  void call_tool(const mcp::ExchangePtr& exchange);

  const FixtureDependencies dependencies_;
};

// A tool of the fixture. `call` answers now or later.
struct FixtureTool {
  std::string_view name;
  std::string_view schema;  // JSON
  void (*call)(const FixtureDependencies& dependencies, const mcp::ExchangePtr& exchange);
};

// Tools that answer by themselves, and tools that ask the client (in either generation).
std::vector<FixtureTool> plain_tools();
std::vector<FixtureTool> asking_tools();

inline constexpr std::string_view kNoArguments = R"({"type":"object","properties":{}})";

// An argument of tools/call that is a text; empty if it is absent.
std::string argument(const mcp::Exchange& exchange, std::string_view name);
// Answers a tool call with one text.
void reply_text(const mcp::ExchangePtr& exchange, std::string_view text);

// One request to the client: its JSON, and its key in revision 2026-07-28.
struct Input {
  std::string_view key;
  std::string_view method;
  std::string_view params;
};
// Answers that the client must be asked first; `state`: what the retry brings back, or empty.
void require_input(const FixtureDependencies& dependencies, const mcp::ExchangePtr& exchange,
                   const std::vector<Input>& inputs, std::string_view state = {});
// The prompt that asks the client first.
void get_asking_prompt(const FixtureDependencies& dependencies, const mcp::ExchangePtr& exchange);

inline constexpr std::string_view kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg==";

}  // namespace parley::mcp_fixture
