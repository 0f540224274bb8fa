// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Fuzz target: for any lines that an MCP server writes, each a message, the client survives and
// answers each caller once.
#include <spdlog/spdlog.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "runtime/tool/mcp/mcp_client.h"
#include "runtime/tool/mcp/mcp_tools.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/tool/fake_mcp_transport.h"

namespace pt = parley::tool;
namespace pc = parley::core;

namespace {

struct Answers {
  int ready = 0;
  int tools = 0;
  int result = 0;
};

void talk(std::string_view text, Answers& answers) {
  pc::FakeClock clock;
  pc::FakeScheduler scheduler(clock);
  const auto line = std::make_shared<pt::FakeMcpLine>();
  const auto client = std::make_shared<pt::McpClient>(
      "fuzz", std::make_unique<pt::FakeMcpTransport>(line), scheduler, pt::McpClientOptions{});
  client->initialize({}, [&answers](const pc::Result<void>&) { ++answers.ready; });
  client->list_tools([&answers](const auto&) { ++answers.tools; });
  client->call_tool(
      "t", {}, [](std::string_view) {},
      [&answers](const pc::Result<boost::json::object>& result) {
        ++answers.result;
        if (result) pt::read_mcp_result(*result);
      });
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line->say(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  client->close("the end");
  scheduler.run_ready();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  Answers answers;
  talk({reinterpret_cast<const char*>(data), size}, answers);
  if (answers.ready != 1 || answers.tools != 1 || answers.result != 1) std::abort();
  return 0;
}
