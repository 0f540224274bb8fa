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

#include "base/core/clock.h"
#include "model/session/hub.h"
#include "runtime/model/message.h"
#include "runtime/model/model.h"
#include "runtime/run/client_tool.h"
#include "runtime/stream/run_event.h"
#include "runtime/tool/tool.h"

namespace parley::run {

// Dialect of a session that is created for a run.
inline constexpr std::string_view kRunDialect = "loom";
// Dialect of a chat, which can have runs too. No run begins in a session of another dialect.
inline constexpr std::string_view kChatDialect = "chat";
// Number of messages from which the conversation of a chat is summarised, even if the model could
// take more.
// Limit (Chats): messages of a conversation. Reached: all but the last 20 are summarised.
inline constexpr std::size_t kMaxChatMessages = 500;
inline bool may_have_runs(std::string_view dialect) {
  return dialect == kRunDialect || dialect == kChatDialect;
}
// A session that may have runs: of a run or of a chat, made with `dialect`.
inline session::SessionKey run_session(std::string id, std::string owner,
                                       std::string_view dialect = kRunDialect) {
  const std::string_view also = dialect == kRunDialect ? kChatDialect : kRunDialect;
  return {std::move(id), std::string(dialect), std::move(owner), std::string(also)};
}

enum class RunState : std::uint8_t {
  running,
  waiting,   // for a person's approval or answer
  finished,  // has a reply
  failed,    // has the text so far, and the reason
  cancelled,
  interrupted,  // the process ended during the run: can be resumed
};
std::string_view state_name(RunState state);
std::optional<RunState> state_from_name(std::string_view name);

// One run of an agent: a consecutive part of its session's events.
struct Run {
  std::string id;       // "run-" and a UUID
  std::string session;  // session of the events; called thread in the stream
  std::string owner;    // id of the token
  std::string agent;    // as requested: a kind or a profile
  std::string kind;     // "react", ...
  std::string model;    // "provider/name"
  std::string message;  // the person's message, as text
  std::string working_folder;
  // As requested; also applies after a resume and to forks.
  std::optional<tool::Approval> approvals;
  bool values_each_node = false;
  bool dry = false;         // no tool is executed
  std::string forked_from;  // run id; empty: not a fork
  RunState state = RunState::running;
  core::WallTime started_at;
  std::optional<core::WallTime> ended_at;
  std::uint64_t first_seq = 0;  // of run_start
  std::uint64_t last_seq = 0;   // of the reply; 0 while it runs
  std::uint64_t steps = 0;
  // True if the session's last run was interrupted when events that were seen may not have been
  // stored; their numbers are not reused. Reset once this run, or the next one, has begun with
  // later numbers.
  bool lost_numbers = false;
  std::string reply;                    // set once it has ended
  std::string error;                    // a sentence, if it failed
  std::optional<runtime::Usage> usage;  // of all its model calls
};

// Name of the `custom` event of a run whose model does not accept all attachments of its message:
// {"media_left_out":{model, parts:[{name, kind, media_type, bytes, text}]}}. The model gets a note
// in the place of each.
inline constexpr std::string_view kMediaLeftOut = "media_left_out";

// A tool by its name and its identity (tool::Tool::identity()): a tool of the same name from
// another server, or from another program under the same server's name, is a different tool.
struct ToolOrigin {
  std::string name;
  std::string source;
  auto operator<=>(const ToolOrigin&) const = default;  // NOLINT(modernize-use-nullptr)
};
using AllowedTools = std::set<ToolOrigin>;

// Permissions of a run's caller beyond running agents in the folders of the settings.
struct RunLeave {
  bool automatic = false;   // call tools without asking (RunRequest::approvals)
  bool any_folder = false;  // work outside RunOptions::folders
};

// A folder that a caller wants to inspect.
struct FolderRequest {
  std::string path;         // empty: the server's setting
  bool any_folder = false;  // as RunLeave::any_folder
};

// Request to start a run.
struct RunRequest {
  std::string owner;
  std::string session;  // the thread; empty: a new one
  std::string run_id;   // chosen by the client; empty: generated
  model::Message message;
  std::string agent = "react";  // a kind, or a profile
  std::string model;            // empty: that of the profile, of the session, or the default
  std::string working_folder;   // empty: the server's setting
  // Replaces the policies of tools and profile, for all tools; can loosen `ask` but never `deny`.
  std::optional<tool::Approval> approvals;
  bool values_each_node = false;
  bool dry = false;                           // tools are offered, but not executed
  std::map<std::string, std::string> labels;  // stored with the run: {"workspace":"..."}
  // Tools that may be called without asking, where a policy says "ask". Also applies after a
  // resume, together with those that people have allowed meanwhile.
  AllowedTools allowed_tools;
  // Tools of the client, offered besides the server's (client_tool.h). A resumed run offers them
  // again: the client that shows the session answers.
  std::vector<model::ToolSpec> client_tools;
  // Makes further tools of the server, for this run alone; they may call the client's. Not stored:
  // a resumed run is told that they are gone. Empty: none.
  std::function<std::vector<tool::ToolPtr>(const AskClient& ask)> own_tools;
  std::string_view dialect = kRunDialect;  // of the session, if it must be made
  // Run of this session whose conversation is continued; empty: a new conversation. Absent: the
  // last run.
  std::optional<std::string> continues;
  RunLeave leave = {};
};

// Request to resume an interrupted, failed or cancelled run from its last checkpoint.
struct ResumeRequest {
  std::string owner;
  std::string run_id;
  std::optional<std::string> model;  // replaces the previous one
  RunLeave leave = {};
};

// Request to fork a run: a new session with the state at a checkpoint, and a new run in it.
struct ForkRequest {
  std::string owner;
  std::string run_id;
  std::string checkpoint_id;
  std::string session;                 // the new one; empty: generated
  std::optional<std::string> message;  // new message; empty: the run continues without one
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

// A session of runs, summarised.
struct RunSession {
  std::string id;
  std::uint64_t runs = 0;
  std::uint64_t checkpoints = 0;
  core::WallTime created_at;       // start of its first run
  core::WallTime last_updated;     // its last checkpoint, or the end of its last run
  std::int64_t latest_step = 0;    // of the last checkpoint
  std::string latest_source;       // of that checkpoint: kSourceInput, ...; empty: no checkpoint
  std::string first_user_message;  // message of its first run
  std::string last_reply;          // of the last run that had one
};

// Origin of a checkpoint.
inline constexpr std::string_view kSourceInput = "input";  // made at the start of a run
inline constexpr std::string_view kSourceFork = "fork";    // made at the start of a fork
inline constexpr std::string_view kSourceLoop = "loop";    // after a node

struct RunSessionQuery {
  std::string owner;
  std::string
      before;  // id of a session: those whose last run began earlier; empty: from the newest
  std::size_t limit = 50;
};

struct RunSessionPage {
  std::vector<RunSession> sessions;  // ordered by their newest run, newest first
  bool more = false;
};

}  // namespace parley::run
