// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// MCP client on the command line: mcp_probe CONFIG FOLDER. For each line of input, {"list":true} or
// {"call":TOOL,"arguments":{..}[,"cancel_at_output":true]}, it writes one JSON line.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <optional>

#include "base/http_client/curl_fetcher.h"
#include "runtime/tool/mcp/mcp_tools.h"
#include "tests/support/tool/test_scheduler.h"

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using namespace parley;

class Probe {
 public:
  Probe(const std::string& config, std::string folder) : folder_(std::move(folder)) {
    tool::McpOptions options;
    options.config_path = config;
    options.environment = tool::process_environment();
    options.program_environment = tool::for_children(options.environment, {});
    tools_.emplace(tool::Toolbox(), nullptr, std::move(options), runner_, fetcher_, scheduler_);
  }

  object serve(const object& order) {
    const tool::Toolbox tools = toolbox();
    const value* name = order.if_contains("call");
    if (name == nullptr) return list(tools);
    const tool::ToolPtr tool = tools.find(std::string_view(name->as_string()));
    if (!tool) return {{"error", "no such tool"}};
    return call(*tool, order);
  }

 private:
  tool::Toolbox toolbox() {
    std::optional<tool::Toolbox> out;
    tools_->toolbox(folder_, scheduler_,
                    [&out](core::Result<tool::Toolbox> tools) { out = std::move(*tools); });
    scheduler_.run_until([&out] { return out.has_value(); }, std::chrono::seconds(60));
    return out.value_or(tool::Toolbox());
  }

  object list(const tool::Toolbox& tools) const {
    array names;
    for (const tool::ToolPtr& tool : tools.all()) {
      const value schema = boost::json::parse(tool->spec().parameters);
      names.push_back(object{{"name", tool->spec().name},
                             {"source", tool->source()},
                             {"approval", tool::approval_name(tool->default_approval())},
                             {"schema", schema}});
    }
    array faults;
    for (const std::string& fault : tools_->faults(folder_)) faults.push_back(value(fault));
    return {{"tools", std::move(names)}, {"faults", std::move(faults)}};
  }

  object call(tool::Tool& tool, const object& order) {
    core::CancelSource cancel;
    std::optional<tool::ToolResult> result;
    std::string output;
    tool::ToolContext context;
    context.scheduler = &scheduler_;
    context.cancel = cancel.token();
    context.output = [&](std::string_view text) {
      output += text;
      if (order.contains("cancel_at_output")) cancel.cancel("The probe cancels.");
    };
    const value* arguments = order.if_contains("arguments");
    tool.run(std::move(context), arguments == nullptr ? object() : arguments->as_object(),
             [&result](tool::ToolResult it) { result = std::move(it); });
    scheduler_.run_until([&result] { return result.has_value(); }, std::chrono::seconds(60));
    if (!result) return {{"error", "no answer"}};
    return {{"content", result->content}, {"is_error", result->is_error}, {"output", output}};
  }

  const std::string folder_;
  tool::TestScheduler scheduler_;
  core::SystemClock clock_;
  tool::ProcessRunner runner_;
  http_client::CurlFetcher fetcher_{clock_};
  std::optional<tool::McpTools> tools_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  spdlog::set_default_logger(spdlog::stderr_logger_mt("mcp_probe"));
  Probe probe(words[1], words[2]);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << boost::json::serialize(probe.serve(boost::json::parse(line).as_object()))
              << std::endl;
  }
  return 0;
}
