// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_command_line.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iostream>

#include "agents/mcp/mcp_command.h"
#include "app/cli/commands.h"
#include "app/cli/host_client.h"
#include "app/cli/pretty_json.h"
#include "app/cli/session_command.h"
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

namespace {

constexpr std::string_view kMcpHelp =
    "\n"
    "parley mcp list, show, add, edit, delete, enable, disable: the MCP servers whose tools runs\n"
    "may call; `parley mcp add --help` shows the flags.\n";

void add_output_flags(CLI::App& app, ToolOptions& options, const char* otherwise) {
  CLI::Option* output = app.add_option("--output", options.output, otherwise)
                            ->type_name("FORM")
                            ->check(CLI::IsMember({"json", "yaml"}));
  app.add_flag_callback(
         "--json", [&options] { options.output = "json"; }, "As --output json")
      ->excludes(output);
  app.add_option("--cwd", options.working_folder,
                 "Working folder of the runs. Default: the current folder")
      ->type_name("DIR");
}

// An option that may be given again.
void add_many(CLI::App& app, const char* name, std::vector<std::string>& into, const char* help,
              const char* type) {
  app.add_option(name, into, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

void RunCommandLine::add_to(CLI::App& app) {
  add_run(app);
  add_events(app);
  add_session(app);
  add_agent(app);
  add_tool(app);
  add_models(app);
  add_mcp(app);
}

int RunCommandLine::take_program(int argc, char** argv) {
  if (argc < 3 || std::string_view(argv[1]) != "mcp") return argc;
  char** const end = argv + argc;
  char** const mark =
      std::find_if(argv + 2, end, [](const char* word) { return std::string_view(word) == "--"; });
  if (mark != end) mcp_edit_.program.assign(mark + 1, end);
  return static_cast<int>(mark - argv);
}

void RunCommandLine::add_run(CLI::App& app) {
  CLI::App& run =
      add(app, "run",
          "Example:\n  parley run \"List the files here, then read README.md.\"\n\nRuns an agent "
          "and shows what it says and does. Without a configured model the built-in "
          "demonstration\nanswers. Exit codes: 0 a reply, 1 the run failed, 2 it could not start, "
          "4 cancelled, 5 the connection to the server was lost.",
          [this](const Settings& s) { return run_agent(s, run_); });
  run.add_option("message", run_.message, "Task for the agent; - reads it from stdin");
  run.add_flag("-i,--interactive", run_.interactive,
               "Reads one message per line, all in one session; /help lists the commands");
  run.add_option("--agent", run_.agent,
                 "Agent: react, dup, tot, got, agot, or the name of a profile")
      ->type_name("NAME");
  run.add_option("--model", run_.model, "provider/name")->type_name("MODEL");
  run.add_option("--session", run_.session, "Continues this session")->type_name("ID");
  run.add_option("--resume", run_.resume,
                 "Continues this run, which was interrupted, failed or cancelled")
      ->type_name("RUN");
  run.add_option("--cwd", run_.working_folder,
                 "Working folder of its tools. Default: the current folder")
      ->type_name("DIR");
  CLI::Option* approve =
      run.add_option("--approve", run_.approve,
                     "Approval of all tool calls, in place of the policies of the tools")
          ->type_name("POLICY")
          ->check(CLI::IsMember({"auto", "ask", "deny"}));
  run.add_flag("--dry", run_.dry, "Offers all tools and executes none")->excludes(approve);
  run.add_option(
         "--mcp-config", run_.mcp_config,
         "File with the MCP servers, in place of the usual mcp.json; not with a running server")
      ->type_name("FILE");
  add_run_forms(run);
}

void RunCommandLine::add_run_forms(CLI::App& run) {
  run.add_flag("--values", run_.values, "Prints the whole state after every step");
  CLI::Option* json = run.add_flag_callback(
      "--json", [this] { run_.form = RunForm::stream; }, "Prints frames, one JSON object per line");
  CLI::Option* form = run.add_flag_callback(
      "--export", [this] { run_.form = RunForm::single_key; },
      "Prints frames in the single-key form");
  CLI::Option* pretty = run.add_flag_callback(
      "--pretty", [this] { run_.form = RunForm::readable; }, "Prints readable text (the default)");
  json->excludes(form)->excludes(pretty);
  form->excludes(pretty);
  CLI::Option* file =
      run.add_option("--file", run_.file,
                     "Writes the frames to a new file; with --json or --export instead of stdout")
          ->type_name("FILE");
  run.add_flag("--append", run_.append, "Appends to an existing file")->needs(file);
  run.add_flag("--timestamp", run_.timestamp, "Adds the time of each frame or line")
      ->excludes(form);
}

void RunCommandLine::add_events(CLI::App& app) {
  CLI::App& events = *app.add_subcommand(
      "events",
      "Example:\n  parley events run.ndjson --check\n\nReads the event streams of runs, merges the "
      "sources, and prints one line per event; findings go to stderr. Exit codes: 0, 1 if --check "
      "finds something or a source cannot be read, 5 the server cannot be reached.");
  events
      .add_option("source", events_.sources,
                  "Files of NDJSON in either form, http(s) URLs of a run's events, - for stdin")
      ->required()
      ->type_name("FILE|URL|-");
  events.add_flag("--check", events_.check, "Exit code 1 if a rule of the stream is broken");
  auto* json = events.add_flag("--json", events_.json,
                               "Prints a summary of the runs and the findings as JSON");
  events
      .add_flag("--export", events_.single_key,
                "Prints the events in the single-key form, one per line")
      ->excludes(json);
  events
      .add_option("--token", events_.token,
                  "Token for URLs. Default: PARLEY_TOKEN, then that of the running server")
      ->type_name("TOKEN");
  events.add_option("--data", events_.data, "Data directory of a server on this computer")
      ->type_name("DIR");
  events.callback([this] { chosen_ = [this] { return show_events(events_); }; });
}

void RunCommandLine::add_session(CLI::App& app) {
  CLI::App& session =
      add_group(app, "session",
                "Example:\n  parley session list\n\nConversations with agents. A session consists "
                "of runs; `parley run --session ID` continues it.");
  CLI::App& list = add(session, "list", "Lists the sessions, newest first.",
                       [this](const Settings& s) { return list_run_sessions(s, json_); });
  list.add_flag("--json", json_, "As JSON; times in milliseconds since 1970");
  CLI::App& show = add(session, "show", "Shows one session, with its first message and last reply.",
                       [this](const Settings& s) { return show_run_session(s, name_, json_); });
  show.add_option("id", name_, "Id of the session")->required();
  show.add_flag("--json", json_, "As JSON");
  CLI::App& remove =
      add(session, "delete",
          "Deletes a session: its runs, their events, checkpoints and files. Refused "
          "while one of its runs is active.",
          [this](const Settings& s) { return delete_run_session(s, name_, json_); });
  remove.add_option("id", name_, "Id of the session")->required();
  remove.add_flag("--json", json_, "As JSON");
}

void RunCommandLine::add_agent(CLI::App& app) {
  CLI::App& agent = add_group(
      app, "agent",
      "Example:\n  parley agent graph react\n\nThe agents that runs may name: the built-in ones "
      "and the profiles of\n.loom/agents, in the working folder and in the home directory.");
  const auto add_folder = [this](CLI::App& to) {
    to.add_option("--cwd", agent_.working_folder,
                  "Working folder of the runs. Default: the current folder")
        ->type_name("DIR");
  };
  CLI::App& list = add(agent, "list", "Lists all agents, their kinds and what they do.",
                       [this](const Settings& s) { return list_agents(s, agent_); });
  list.add_flag("--json", agent_.json, "As JSON");
  add_folder(list);
  CLI::App& graph = add(agent, "graph", "Shows the graph of an agent: its nodes and edges.",
                        [this](const Settings& s) { return show_agent_graph(s, agent_); });
  graph.add_option("name", agent_.name, "Name of the agent")->required();
  graph.add_option("--format", agent_.format, "Output format: mermaid, or dot for Graphviz")
      ->capture_default_str()
      ->type_name("FORM")
      ->check(CLI::IsMember({"mermaid", "dot"}));
  add_folder(graph);
}

void RunCommandLine::add_tool(CLI::App& app) {
  CLI::App& tool = add_group(
      app, "tool",
      "Example:\n  parley tool show read\n\nThe tools that agents may call: the built-in ones and "
      "those of MCP servers.");
  CLI::App& list = add(tool, "list", "Lists all tools, and whether their calls need an approval.",
                       [this](const Settings& s) { return list_tools(s, tool_); });
  add_output_flags(list, tool_, "Prints full descriptions. Default: one line per tool");
  CLI::App& show = add(tool, "show", "Shows a tool as it is described to the model.",
                       [this](const Settings& s) { return show_tool(s, tool_); });
  show.add_option("name", tool_.name, "Name of the tool")->required();
  add_output_flags(show, tool_, "Output format. Default: yaml");
}

void RunCommandLine::add_models(CLI::App& app) {
  CLI::App& models = add_group(
      app, "models",
      "Example:\n  parley models list\n\nThe models that runs can use: those of the providers in "
      "parley.toml or of\nOPENAI_API_KEY, and the built-in demonstration.");
  CLI::App& list =
      add_command(models, "list", "Lists all models as PROVIDER/NAME.", flags_, chosen_,
                  [this](const Settings& s) { return list_models(s, json_); });
  list.add_flag("--json", json_, "As JSON");
  CLI::App& show =
      add_command(models, "show", "Shows one provider and its models.", flags_, chosen_,
                  [this](const Settings& s) { return show_provider(s, name_, json_); });
  show.add_option("provider", name_, "Name of the provider")->required();
  show.add_flag("--json", json_, "As JSON");
}

// --- MCP servers ----------------------------------------------------------------------------

CLI::App& RunCommandLine::add_mcp_command(CLI::App& mcp, const char* name, const char* about,
                                          std::function<int(const Settings&)> use) {
  CLI::App& app = add_command(mcp, name, about, flags_, chosen_, std::move(use));
  CLI::Option* file =
      app.add_option("--mcp-config", mcp_file_.named, "Use this file")->type_name("FILE");
  CLI::Option* user = app.add_flag("--user", mcp_file_.user, "~/.loom/mcp.json");
  app.add_flag("--project", mcp_file_.project, ".loom/mcp.json of the working folder")
      ->excludes(file)
      ->excludes(user);
  user->excludes(file);
  app.add_option("--cwd", mcp_file_.working_folder,
                 "The working folder. Default: the current folder")
      ->type_name("DIR");
  app.add_flag("--json", json_, "As JSON");
  return app;
}

void RunCommandLine::add_mcp_edit_flags(CLI::App& app) {
  app.add_option("name", name_, "Name of the MCP server")->required();
  app.footer("-- PROGRAM [ARGUMENT...]  Program that is the MCP server; must come last.");
  app.add_option("--url", mcp_edit_.url, "URL of the MCP server, in place of a program")
      ->type_name("URL");
  add_many(app, "--env", mcp_edit_.env,
           "Environment variable of the program; NAME alone takes its value from the environment "
           "when the program starts, so that the secret is not in the file",
           "NAME[=VALUE]");
  add_many(app, "--header", mcp_edit_.headers,
           "HTTP header; ${NAME} is replaced by the environment variable", "NAME: VALUE");
}

void RunCommandLine::add_mcp(CLI::App& app) {
  CLI::App& mcp = add_group(
      app, "mcp",
      "The MCP server on stdio, as agentassistant-mcp; and the MCP servers whose tools runs may "
      "call: list, show, add, edit, delete, enable, disable.");
  add_mcp_command(mcp, "list",
                  "Example:\n  parley mcp list\n\nLists the MCP servers of the file that runs "
                  "in this folder use.",
                  [this](const Settings& s) { return list_mcp_servers(s, mcp_file_, json_); });
  CLI::App& show = add_mcp_command(
      mcp, "show", "Shows one MCP server, without the values of its secrets.",
      [this](const Settings& s) { return show_mcp_server(s, mcp_file_, name_, json_); });
  show.add_option("name", name_, "Name of the MCP server")->required();
  CLI::App& fresh = add_mcp_command(
      mcp, "add",
      "Examples:\n  parley mcp add files --env API_KEY -- npx -y @example/files-server .\n  parley "
      "mcp add wiki --url https://wiki.example/mcp --header 'Authorization: Bearer "
      "${WIKI_TOKEN}'\n\nAdds an MCP server. Runs that start later have its tools.",
      [this](const Settings& s) { return add_mcp_server(s, mcp_file_, name_, mcp_edit_, json_); });
  add_mcp_edit_flags(fresh);
  CLI::App& edit = add_mcp_command(
      mcp, "edit", "Changes an MCP server; options that are not given stay as they are.",
      [this](const Settings& s) { return edit_mcp_server(s, mcp_file_, name_, mcp_edit_, json_); });
  add_mcp_edit_flags(edit);
  add_many(edit, "--unset-env", mcp_edit_.unset_env, "Removes a variable", "NAME");
  add_many(edit, "--unset-header", mcp_edit_.unset_headers, "Removes a header", "NAME");
  for (const auto& [word, about, on] :
       {std::tuple("enable", "Enables an MCP server for runs.", true),
        std::tuple("disable", "Disables an MCP server; it stays in the file.", false)}) {
    CLI::App& one = add_mcp_command(mcp, word, about, [this, on = on](const Settings& s) {
      return enable_mcp_server(s, mcp_file_, name_, on, json_);
    });
    one.add_option("name", name_, "Name of the MCP server")->required();
  }
  CLI::App& remove = add_mcp_command(
      mcp, "delete", "Removes an MCP server from the file.",
      [this](const Settings& s) { return delete_mcp_server(s, mcp_file_, name_, json_); });
  remove.add_option("name", name_, "Name of the MCP server")->required();
}

int run_mcp_server(const std::vector<std::string>& arguments) {
  const int code = mcp::agentassistant_mcp_main(arguments, std::cout, std::cerr);
  const bool helped = std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == "--help" || word == "-h" || word == "-help";
  });
  if (helped && code == 0) std::cout << kMcpHelp;
  return code;
}

}  // namespace parley::app
