// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/tool_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>

#include "app/cli/host_client.h"
#include "app/cli/pretty_json.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_member.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "dialects/loom/tool_yaml.h"

namespace parley::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxBrief = 100;
constexpr std::size_t kApprovalWidth = 8;  // "auto/ask"

core::Result<json::array> tools_of(const Settings& settings, const ToolOptions& options,
                                   int& code) {
  auto client = HostClient::open(settings);
  if (!client) {
    code = client.error();
    return core::fail(core::Code::unavailable, "");
  }
  auto answer = (*client)->call("GET", "/v1/tools?" + folder_query(options.working_folder));
  if (!answer) {
    code = complain_call("The tools cannot be listed.", answer.error(),
                         "Name an existing folder with --cwd.");
    return core::fail(std::move(answer.error()));
  }
  json::value& all = answer->as_object()["tools"];
  return std::move(all.as_array());
}

// Only the members that a model receives.
json::value model_form(const json::value& tool) {
  json::object out;
  for (const char* name : {"name", "description", "input_schema"}) {
    out[name] = tool.as_object().at(name);
  }
  return out;
}

std::string yaml_form(const json::value& tool) {
  const json::value& schema = tool.as_object().at("input_schema");
  return loom::tool_yaml({core::string_member(tool.as_object(), "name"),
                          core::string_member(tool.as_object(), "description"),
                          json::serialize(schema)});
}

std::string brief(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::string_view cut = core::utf8_truncate(line, kMaxBrief);
  return std::string(cut) + (cut.size() < line.size() ? " ..." : "");
}

// "auto", or "auto/ask" for a tool some of whose calls need an approval.
std::string approval_of(const json::object& tool) {
  std::string approval = core::string_member(tool, "approval");
  const json::value* by_call = tool.if_contains("approval_by_call");
  if (by_call == nullptr || !by_call->is_object()) return approval;
  return approval + "/" + core::string_member(by_call->get_object(), "up_to");
}

std::string when_of(const json::object& tool) {
  const json::value* by_call = tool.if_contains("approval_by_call");
  if (by_call == nullptr || !by_call->is_object()) return {};
  const json::object& of = by_call->get_object();
  return "  [" + core::string_member(of, "up_to") + ": " + core::string_member(of, "when") + "]";
}

std::string tool_lines(const json::array& tools) {
  std::size_t width = 0;
  for (const json::value& tool : tools)
    width = std::max(width, core::string_member(tool.as_object(), "name").size());
  std::string out;
  for (const json::value& tool : tools) {
    std::string name = core::string_member(tool.as_object(), "name");
    name.resize(width, ' ');
    std::string approval = approval_of(tool.as_object());
    approval.resize(kApprovalWidth, ' ');
    out.append(name).append("  ").append(approval).append("  ");
    out += brief(core::string_member(tool.as_object(), "description"));
    const std::string source = core::string_member(tool.as_object(), "source");
    out += when_of(tool.as_object());
    if (source != "builtin") out += "  [" + source + "]";
    out += "\n";
  }
  return out;
}

}  // namespace

int list_tools(const Settings& settings, const ToolOptions& options) {
  int code = kExitFailure;
  const auto tools = tools_of(settings, options, code);
  if (!tools) return code;
  std::string out;
  if (options.output == "json") {
    json::array all;
    for (const json::value& tool : *tools) all.push_back(model_form(tool));
    out = pretty_json(all);
  } else if (options.output == "yaml") {
    for (const json::value& tool : *tools) out += "---\n" + yaml_form(tool);
  } else {
    out = core::visible_text(tool_lines(*tools));
  }
  return print(out) ? kExitOk : kExitFailure;
}

int show_tool(const Settings& settings, const ToolOptions& options) {
  int code = kExitFailure;
  const auto tools = tools_of(settings, options, code);
  if (!tools) return code;
  const auto found = std::find_if(tools->begin(), tools->end(), [&](const json::value& tool) {
    return core::string_member(tool.as_object(), "name") == options.name;
  });
  if (found == tools->end()) {
    complain({"There is no tool \"" + options.name + "\".",
              "Runs in this folder have " + std::to_string(tools->size()) + " other tools.",
              "`parley tool list` lists them; --cwd DIR selects another folder."});
    return kExitFailure;
  }
  const bool written =
      print(options.output == "json" ? pretty_json(model_form(*found)) : yaml_form(*found));
  return written ? kExitOk : kExitFailure;
}

}  // namespace parley::app
