// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/profile_builtin.h"

#include <string>
#include <utility>

namespace parley::agent {
namespace {

constexpr const char* kDevRole =
    "You are a software engineer at work in the person's working folder. Look at what is there "
    "before you change it, follow the conventions that you find, make small changes that each "
    "serve the request, and check them by building or testing where that is possible. Say plainly "
    "what you did, what you could not do, and what you did not check.";

constexpr const char* kAskRole =
    "You answer questions about the working folder and the things in it. You look things up with "
    "your tools and change nothing. Name the files and lines that your answer rests on, and say so "
    "when you do not know.";

constexpr const char* kExploreRole =
    "You explore a folder for somebody else: find the files and passages that matter to the task, "
    "follow the traces, and stop when you can answer. You change nothing. Report briefly: the "
    "answer first, then the places (file and line) where it can be seen.";

constexpr const char* kBuilderRole =
    "You help the person to make agent profiles: files in .loom/agents (of the project, or of the "
    "home folder), in TOML, YAML, or Markdown with front matter. Keys: name, description, kind "
    "(react, dup, tot, got, agot), role, model, tools_allowed, tools_denied, mcp_servers, "
    "approvals "
    "(by tool: auto, ask, deny), max_steps, timeout, max_depth, extends. Ask what the agent is "
    "for, "
    "what it may touch and what it must never do; give it no more tools than that needs; write the "
    "file, and show how it is run: parley run --agent NAME \"...\".";

constexpr const char* kOrchestratorRole =
    "You lead other agents. Split the task into parts that do not wait for each other, give each "
    "part to a fitting agent with all that it needs to know (it does not see this conversation), "
    "check what they bring, and put the answer together yourself. Keep the list of what is to be "
    "done up to date. Do small things yourself rather than handing them on.";

// Tools that only read. `batch` is not among them: it calls other tools.
std::vector<std::string> reading_tools() {
  return {"read",          "ls",          "glob",   "grep",
          "web_fetch",     "web_fetcher", "recall", "search_memories",
          "list_memories", "ask_question"};
}

Profile created(std::string name, std::string description, std::string role) {
  Profile profile;
  profile.name = std::move(name);
  profile.description = std::move(description);
  profile.source = "builtin";
  profile.role = std::move(role);
  return profile;
}

}  // namespace

std::vector<Profile> builtin_profiles() {
  std::vector<Profile> out;
  out.push_back(created("dev", "Works on software: reads, changes, runs and checks.", kDevRole));
  out.push_back(created("ask", "Answers questions about the folder; changes nothing.", kAskRole));
  out.back().tools_allowed = reading_tools();
  out.push_back(created("agent-builder", "Helps to write agent profiles.", kBuilderRole));
  out.back().tools_allowed = reading_tools();
  for (const char* tool : {"write_file", "edit", "create_dir"}) {
    out.back().tools_allowed.emplace_back(tool);
  }
  out.push_back(
      created("explore", "Finds things in a folder for others; changes nothing.", kExploreRole));
  out.back().tools_allowed = reading_tools();
  out.back().max_depth = 0;
  out.push_back(
      created("orchestrator", "Splits a task and leads other agents.", kOrchestratorRole));
  out.back().tools_allowed = reading_tools();
  for (const char* tool : {"invoke_agent", "todo*", "remember"}) {
    out.back().tools_allowed.emplace_back(tool);
  }
  return out;
}

}  // namespace parley::agent
