// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/stream/event_parser.h"
#include "runtime/stream/finding.h"

// What a reader makes of the frames of a run. Texts are as they came: not fit for a terminal.
namespace parley::runtime {

struct RunTree;

// One call of a tool.
struct ToolUse {
  enum class State : std::uint8_t { called, waiting, running, ended };

  std::optional<std::string> call_id;
  std::string name;
  std::string arguments;  // JSON text; what came of it while it is still written
  bool arguments_whole = false;
  bool approval_asked = false;
  bool started = false;
  bool interrupted = false;  // it ran when the process ended
  State state = State::called;
  std::string output;
  std::string result;
  bool is_error = false;
  std::vector<RunTree> agents;  // that it ran
};

// One node run: from its node_enter to its node_exit, with what follows it until the next one.
struct NodeRun {
  std::string name;
  std::string node_id;  // empty: the frames had none
  std::optional<std::uint64_t> first_event;
  std::optional<std::uint64_t> last_event;
  bool open = true;
  std::uint64_t entered_when_closed = 0;  // how many nodes had been entered then
  std::optional<std::string> error;
  std::string text;
  std::string thoughts;
  std::vector<ToolUse> tools;
  std::vector<RunTree> agents;  // of no tool that is known
  runtime::Usage usage;
};

// One expansion of a tree of thoughts.
struct TotLevel {
  std::vector<std::string> candidates;
  std::vector<double> scores;
  std::optional<std::uint64_t> chosen;
  std::uint64_t depth = 0;
  bool abandoned = false;  // a backtrack went above it
};

struct TotBacktracking {
  std::string reason;
  std::uint64_t to_depth = 0;
};

// One task of a graph of thoughts.
struct GotTask {
  enum class State : std::uint8_t { pending, running, done, failed };
  std::string id;
  std::string description;  // of the state, where it was sent
  State state = State::pending;
  std::string summary;  // or why it failed
  std::uint64_t nodes_added = 0;
};

struct RunTree {
  std::string id;  // empty: not told
  std::string session;
  std::string agent;
  std::string message;
  std::string sub_agent;  // its name, in another run
  std::string call_id;    // of the tool that ran it
  int depth = 0;
  std::uint64_t events = 0;
  std::optional<std::uint64_t> first_event;
  std::optional<std::uint64_t> last_event;
  std::optional<std::int64_t> began_at;  // milliseconds since the epoch, where frames tell times
  std::optional<std::int64_t> ended_at;
  bool whole = false;  // begins with its run_start
  std::uint64_t resumed = 0;
  std::vector<NodeRun> nodes;
  std::vector<TotLevel> tot;
  std::vector<TotBacktracking> backtracks;
  bool has_plan = false;
  std::vector<GotTask> got;
  std::vector<std::pair<std::string, std::string>> got_edges;
  std::vector<std::string> checkpoints;  // ids
  std::uint64_t unknown = 0;             // events of types that are not known
  runtime::Usage usage;                  // of it and its sub-agents
  std::uint64_t model_calls = 0;         // of these
  std::string state;                     // the last one, whole, as JSON text; empty: none was sent
  std::optional<Reply> reply;
};

struct SessionTree {
  std::string id;  // empty: the frames named none
  std::vector<RunTree> runs;
};

std::string_view state_name(ToolUse::State state);
std::string_view state_name(GotTask::State state);

}  // namespace parley::runtime
