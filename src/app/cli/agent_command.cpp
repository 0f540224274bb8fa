// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/agent_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iostream>

#include "app/cli/host_client.h"
#include "app/cli/pretty_json.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_member.h"
#include "base/core/percent.h"
#include "base/core/visible_text.h"

namespace parley::app {
namespace {

namespace json = boost::json;

// Kinds and profiles of agents in one list; the "kind" of a kind is its own name.
json::array in_one(const json::object& all) {
  json::array out;
  for (const json::value& each : all.at("kinds").get_array()) {
    json::object kind = each.get_object();
    kind["source"] = "builtin";
    kind["kind"] = kind.at("name");
    out.push_back(std::move(kind));
  }
  for (const json::value& each : all.at("agents").get_array()) out.push_back(each);
  return out;
}

std::string agent_lines(const json::array& agents) {
  std::size_t names = 0;
  std::size_t kinds = 0;
  for (const json::value& agent : agents) {
    names = std::max(names, core::text_member(agent.get_object(), "name").size());
    kinds = std::max(kinds, core::text_member(agent.get_object(), "kind").size());
  }
  std::string out;
  for (const json::value& agent : agents) {
    out += padded(core::text_member(agent.get_object(), "name"), names);
    out += padded(core::text_member(agent.get_object(), "kind"), kinds);
    out += core::text_member(agent.get_object(), "description");
    const std::string_view source = core::text_member(agent.get_object(), "source");
    if (source != "builtin") out.append("  [").append(source).append("]");
    out += "\n";
  }
  return out;
}

}  // namespace

int list_agents(const Settings& settings, const AgentOptions& options) {
  auto client = HostClient::open(settings);
  if (!client) return client.error();
  const auto answer = (*client)->call("GET", "/v1/agents?" + folder_query(options.working_folder));
  if (!answer) {
    return complain_call("The agents cannot be listed.", answer.error(),
                         "Name an existing folder with --cwd.");
  }
  const json::object& all = answer->get_object();
  for (const json::value& problem : all.at("problems").get_array()) {
    std::cerr << "warning: " << core::visible_line(std::string_view(problem.get_string())) << "\n";
  }
  const json::array agents = in_one(all);
  const bool written = options.json ? print(pretty_json(agents)) : print_text(agent_lines(agents));
  return written ? kExitOk : kExitFailure;
}

int show_agent_graph(const Settings& settings, const AgentOptions& options) {
  auto client = HostClient::open(settings);
  if (!client) return client.error();
  const auto answer = (*client)->call("GET", "/v1/agents/" + core::percent_encoded(options.name) +
                                                 "/graph?" + folder_query(options.working_folder));
  if (!answer) {
    return complain_call("The graph cannot be shown.", answer.error(),
                         "`parley agent list` lists the agents; --cwd DIR selects another folder.");
  }
  return print(core::string_member(answer->get_object(), options.format)) ? kExitOk : kExitFailure;
}

}  // namespace parley::app
