// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Fuzz target: whatever an MCP server writes, each line a message, the client lives and answers
// whoever waits once.
#include <spdlog/spdlog.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/fake_scheduler.h"
#include "runtime/tool/mcp/fake_mcp_transport.h"
#include "runtime/tool/mcp/mcp_client.h"
#include "runtime/tool/mcp/mcp_result.h"

namespace pt = parley::tool;
namespace pc = parley::core;

namespace {

struct Told {
  int ready = 0;
  int tools = 0;
  int result = 0;
};

void talk(std::string_view text, Told& told) {
  pc::FakeClock clock;
  pc::FakeScheduler scheduler(clock);
  const auto line = std::make_shared<pt::FakeMcpLine>();
  const auto client = std::make_shared<pt::McpClient>(
      "fuzz", std::make_unique<pt::FakeMcpTransport>(line), scheduler, pt::McpClientOptions{});
  client->initialize({}, [&told](const pc::Result<void>&) { ++told.ready; });
  client->list_tools([&told](const auto&) { ++told.tools; });
  client->call_tool(
      "t", {}, [](std::string_view) {},
      [&told](const pc::Result<boost::json::object>& result) {
        ++told.result;
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
  Told told;
  talk({reinterpret_cast<const char*>(data), size}, told);
  if (told.ready != 1 || told.tools != 1 || told.result != 1) std::abort();
  return 0;
}
