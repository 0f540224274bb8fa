// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "runtime/model/message.h"
#include "runtime/model/model.h"
#include "runtime/run/client_tool.h"
#include "runtime/stream/run_event.h"
#include "runtime/tool/tool.h"

namespace parley::run {

// The dialect of a session that is made for a run.
inline constexpr std::string_view kRunDialect = "loom";
// That of a chat, in which runs are as well. No run begins in a session of another dialect.
inline constexpr std::string_view kChatDialect = "chat";
// So many messages of the conversation of a chat are summarised, also where the model could take
// more.
inline constexpr std::size_t kMaxChatMessages = 500;
inline bool may_have_runs(std::string_view dialect) {
  return dialect == kRunDialect || dialect == kChatDialect;
}

enum class RunState : std::uint8_t {
  running,
  waiting,   // for a person's approval or answer
  finished,  // with a reply
  failed,    // with what was said so far, and why
  cancelled,
  interrupted,  // the process ended in its midst: can be resumed
};
std::string_view state_name(RunState state);
std::optional<RunState> state_from_name(std::string_view name);

// One run of an agent: a stretch of its session's events.
struct Run {
  std::string id;       // "run-" and a UUID
  std::string session;  // of the events; the thread, for who sees the stream
  std::string owner;    // id of the token
  std::string agent;    // as asked for: a kind or a profile
  std::string kind;     // "react", ...
  std::string model;    // "provider/name"
  std::string message;  // the person's, as text
  std::string working_folder;
  // As it was asked for; holds when it is resumed or forked, too.
  std::optional<tool::Approval> approvals;
  bool values_each_node = false;
  bool dry = false;         // no tool is executed
  std::string forked_from;  // run id; empty: from none
  RunState state = RunState::running;
  core::WallTime started_at;
  std::optional<core::WallTime> ended_at;
  std::uint64_t first_seq = 0;  // of run_start
  std::uint64_t last_seq = 0;   // of the reply; 0 while it goes on
  std::uint64_t steps = 0;
  // The session's last run was interrupted when events that were seen may not have been stored:
  // their numbers are not given again. Until the run, or the next one, has begun with later ones.
  bool lost_numbers = false;
  std::string reply;                    // once it has ended
  std::string error;                    // of a failed one, a sentence
  std::optional<runtime::Usage> usage;  // of all its model calls
};

// The `custom` of a run whose model does not take all attachments of its message:
// {"media_left_out":{model, parts:[{name, kind, media_type, bytes, text}]}}. The model has a note
// in the place of each.
inline constexpr std::string_view kMediaLeftOut = "media_left_out";

// A tool by its name and where it comes from (tool::Tool::source()): another server's tool of the
// same name is another one.
struct ToolOrigin {
  std::string name;
  std::string source;
  auto operator<=>(const ToolOrigin&) const = default;  // NOLINT(modernize-use-nullptr)
};
using AllowedTools = std::set<ToolOrigin>;

// Permissions of a run's caller beyond running agents in the folders of the settings.
struct RunLeave {
  bool automatic = false;   // have tools called without being asked (RunRequest::approvals)
  bool any_folder = false;  // work outside RunOptions::folders
};

// The folder that a caller wants to look at.
struct FolderWish {
  std::string path;         // empty: the server's setting
  bool any_folder = false;  // as RunLeave::any_folder
};

// What starts a run.
struct RunRequest {
  std::string owner;
  std::string session;  // the thread; empty: a new one
  std::string run_id;   // chosen by the client; empty: made
  model::Message message;
  std::string agent = "react";  // a kind, or a profile
  std::string model;            // empty: the profile's, the session's, the default
  std::string working_folder;   // empty: the server's setting
  // In place of the policies of tools and profile, for all tools; it can loosen `ask` but never
  // `deny`.
  std::optional<tool::Approval> approvals;
  bool values_each_node = false;
  bool dry = false;  // tools are offered, and say that they were not executed
  std::map<std::string, std::string> labels;  // kept with the run: {"workspace":"..."}
  // Tools whose calls are not asked about, where a policy says "ask". They are so for a run that is
  // resumed, too, with what people have allowed meanwhile.
  AllowedTools allowed_tools;
  // What the client offers beside the server's tools (client_tool.h). A run that is resumed offers
  // them again: whoever shows the session answers.
  std::vector<model::ToolSpec> client_tools;
  // Makes further tools of the server, for this run alone; they may call the client's. Not kept: a
  // run that is resumed is told that they are gone. Empty: none.
  std::function<std::vector<tool::ToolPtr>(const AskClient& ask)> own_tools;
  std::string_view dialect = kRunDialect;  // of the session, if it must be made
  // Run of this session whose conversation goes on; empty: it begins anew. Absent: the last run's.
  std::optional<std::string> continues;
  RunLeave leave = {};
};

// Goes on with a run that was interrupted or failed, from its last checkpoint.
struct ResumeRequest {
  std::string owner;
  std::string run_id;
  std::optional<std::string> model;  // in place of the one it had
  RunLeave leave = {};
};

// Begins a new session with the state at a checkpoint of a run, and a new run in it.
struct ForkRequest {
  std::string owner;
  std::string run_id;
  std::string checkpoint_id;
  std::string session;                 // the new one; empty: made
  std::optional<std::string> message;  // said there; empty: the run just goes on
  std::optional<std::string> model;
  RunLeave leave = {};
};

struct RunQuery {
  std::string owner;
  std::string session;  // empty: all
  std::optional<RunState> state;
  std::string before;  // run id: older ones; empty: from the newest
  std::size_t limit = 50;
};

struct RunPage {
  std::vector<Run> runs;  // newest first
  bool more = false;
};

// A session of runs: what its conversation has come to.
struct RunSession {
  std::string id;
  std::uint64_t runs = 0;
  std::uint64_t checkpoints = 0;
  core::WallTime created_at;       // its first run's beginning
  core::WallTime last_updated;     // its last checkpoint, or its last run's end
  std::int64_t latest_step = 0;    // of the last checkpoint
  std::string latest_source;       // of it: kSourceInput, ...; empty: there is none
  std::string first_user_message;  // what its first run was told
  std::string last_reply;          // of the last run that had one
};

// Where a checkpoint comes from.
inline constexpr std::string_view kSourceInput = "input";  // made as a run began
inline constexpr std::string_view kSourceFork = "fork";    // the same, of a fork
inline constexpr std::string_view kSourceLoop = "loop";    // after a node

struct RunSessionQuery {
  std::string owner;
  std::string
      before;  // id of a session: those whose last run began earlier; empty: from the newest
  std::size_t limit = 50;
};

struct RunSessionPage {
  std::vector<RunSession> sessions;  // the one with the newest run first
  bool more = false;
};

}  // namespace parley::run
