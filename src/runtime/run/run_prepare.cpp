// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Preparation of a run, on the worker before it begins.
#include <algorithm>
#include <filesystem>

#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/loop_thread.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "runtime/agent/system_prompt.h"
#include "runtime/run/recorded_tools.h"
#include "runtime/run/run_launch.h"
#include "runtime/tool/file/workspace.h"

namespace parley::run {

namespace fs = std::filesystem;

using core::Code;
using core::Result;
using Impl = LocalRunService::Impl;

namespace {

HistoryQuery past_of(const Run& run) {
  HistoryQuery query;
  query.session = run.session;
  query.run_id = run.id;
  query.first_seq = run.first_seq;
  query.last_seq = run.last_seq;
  query.kind = agent::kind_from_name(run.kind).value_or(agent::Kind::react);
  return query;
}

Result<void> check(const RunRequest& request, const RunOptions& options) {
  if (request.message.content.empty() && request.message.parts.empty()) {
    return core::fail(Code::invalid_argument,
                      "The message is empty. It must say what the agent is to do.", "message");
  }
  if (request.message.content.size() > options.max_message_bytes) {
    return core::fail(
        Code::invalid_argument,
        "The message is longer than " + std::to_string(options.max_message_bytes) + " bytes.",
        "message");
  }
  if (!core::is_utf8(request.message.content)) {
    return core::fail(Code::invalid_argument, "The message is not UTF-8.", "message");
  }
  for (const auto& [name, id] :
       {std::pair{"session", &request.session}, {"run_id", &request.run_id}}) {
    if (id->empty() || core::is_safe_id(*id)) continue;
    return core::fail(Code::invalid_argument,
                      "An id must have 1 to 64 of the characters A-Z a-z 0-9 . _ -", name);
  }
  return {};
}

// True if `real`, a canonical path, is in one of the folders where runs of every owner may work.
bool may_work_in(const fs::path& real, const RunOptions& options) {
  std::vector<std::string> folders = options.folders;
  folders.push_back(options.working_folder);
  return std::any_of(folders.begin(), folders.end(), [&real](const std::string& folder) {
    std::error_code error;
    const fs::path root = fs::canonical(folder, error);
    if (error) return false;
    return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
  });
}

Result<void> check_approvals(const Run& run, RunLeave leave) {
  if (run.approvals != tool::Approval::automatic || leave.automatic) return {};
  return core::fail(Code::permission_denied,
                    "A run whose tools do not ask needs a token with the right \"run-auto\".",
                    "rights");
}

core::Error no_leave(std::string_view right, const fs::path& folder) {
  return {Code::permission_denied,
          "Runs of this token may not work in \"" + folder.string() +
              "\". Name a folder of the setting runs.folders, or use a token with the right \"" +
              std::string(right) + "\".",
          "rights"};
}

}  // namespace

Result<std::string> Impl::folder_of(const std::string& wanted, bool any_folder) const {
  core::assert_may_block("a working folder");
  if (core::has_nul(wanted)) {
    return core::fail(Code::invalid_argument,
                      "The path of the working folder must not have a NUL character.",
                      "working_folder");
  }
  const fs::path path = wanted.empty() ? options.working_folder : wanted;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  // Checked first, so that the error does not reveal which folders exist elsewhere on the disk.
  if (!any_folder && !may_work_in(real, options)) return core::fail(no_leave("admin", path));
  if (error || !fs::is_directory(real, error)) {
    const std::string where =
        options.node.empty() ? ""
                             : " on the node \"" + options.node + "\", which serves this workspace";
    return core::fail(Code::invalid_argument,
                      "The working folder \"" + path.string() + "\" does not exist" + where + ".",
                      "working_folder");
  }
  return real.string();
}

// A resumed or forked run has the folder and the approvals of its beginning.
Result<void> Impl::check_leave(const Run& run, RunLeave leave) const {
  PARLEY_TRY_VOID(check_approvals(run, leave));
  PARLEY_TRY_VOID(folder_of(run.working_folder, leave.any_folder));
  return {};
}

void Impl::history(const Run& run, const std::string& until_checkpoint, HistoryDone done) {
  HistoryQuery query = past_of(run);
  query.until_checkpoint = until_checkpoint;
  read_history(services.store, std::move(query), worker, std::move(done));
}

// Resolves an agent by name. `model` is used if the profile names none.
Result<LiveRun::Worker> Impl::worker_of(const std::string& agent, const std::string& working_folder,
                                        const std::string& model) {
  // No agent works on the server's own data, neither of a run nor of a sub-agent.
  PARLEY_TRY_VOID(tool::Workspace::open(working_folder, options.data_dir));
  const agent::Profiles profiles = agent::Profiles::load(
      working_folder, options.home, options.folder_approvals, options.data_dir);
  Result<agent::Profile> profile = profiles.find(agent);
  if (!profile) {
    core::Error error = std::move(profile.error());
    error.field = "agent";
    return core::fail(std::move(error));
  }
  const std::optional<agent::Kind> kind = agent::kind_from_name(profile->kind);
  if (!kind) {
    return core::fail(Code::invalid_argument, "There is no agent kind \"" + profile->kind + "\".",
                      "agent");
  }
  PARLEY_TRY(std::shared_ptr<model::Model> found,
             services.models.find(profile->model.empty() ? model : profile->model));
  LiveRun::Worker who;
  who.kind = *kind;
  who.model = std::move(found);
  std::error_code no_current;
  who.system_prompt =
      agent::system_prompt(*profile, working_folder,
                           std::filesystem::current_path(no_current).string(), options.data_dir);
  who.notices = profiles.notices(profile->name);
  who.left_out = profiles.left_out();
  who.profile = std::move(*profile);
  return who;
}

void Impl::find_worker(std::string agent, std::string working_folder, std::string model,
                       core::Scheduler& shard, Done<LiveRun::Worker> done) {
  core::ask(
      worker, "runs", shard, std::move(done),
      [self = shared_from_this(), agent = std::move(agent), folder = std::move(working_folder),
       model = std::move(model)] { return self->worker_of(agent, folder, model); });
}

// The model is that of the request, else of the profile, else the one chosen for the session.
Result<void> Impl::fill_in(Launch& launch, const std::string& wanted_model) {
  Run& run = launch.setup.run;
  PARLEY_TRY(const std::string chosen, index_->session_model(run.owner, run.session));
  PARLEY_TRY(LiveRun::Worker who, worker_of(run.agent, run.working_folder, chosen));
  if (!wanted_model.empty()) {
    PARLEY_TRY(std::shared_ptr<model::Model> found, services.models.find(wanted_model));
    who.model = std::move(found);
  }
  run.kind = std::string(agent::kind_name(who.kind));
  run.model = who.model->id();
  launch.setup.worker = std::move(who);
  return {};
}

// The conversation that a new run continues; `last` is the last run of the session.
Result<std::optional<HistoryQuery>> Impl::past_for(const RunRequest& request, const Run& last) {
  if (!request.continues || *request.continues == last.id) return past_of(last);
  if (request.continues->empty()) return std::nullopt;
  PARLEY_TRY(std::optional<Run> named, index_->find(*request.continues));
  if (!named || named->session != last.session) {
    return core::fail(Code::invalid_argument, "The session has no run of this id.", "continues");
  }
  return past_of(*named);
}

Result<Impl::LaunchPtr> Impl::prepare(RunRequest request) {
  PARLEY_TRY_VOID(check(request, options));
  auto launch = std::make_shared<Launch>();
  Run& run = launch->setup.run;
  PARLEY_TRY(std::string folder, folder_of(request.working_folder, request.leave.any_folder));
  run.working_folder = std::move(folder);
  run.owner = std::move(request.owner);
  run.id = request.run_id.empty() ? "run-" + core::new_id(services.clock, services.entropy)
                                  : std::move(request.run_id);
  run.session = request.session.empty()
                    ? "session-" + core::new_id(services.clock, services.entropy)
                    : std::move(request.session);
  run.agent = std::move(request.agent);
  run.message = request.message.content;
  run.started_at = services.clock.wall();
  launch->setup.message = std::move(request.message);
  launch->setup.client_tools = std::move(request.client_tools);
  launch->setup.own_tools = std::move(request.own_tools);
  launch->setup.allowed_tools = std::move(request.allowed_tools);
  launch->dialect = request.dialect;
  run.approvals = request.approvals;
  PARLEY_TRY_VOID(check_approvals(run, request.leave));
  run.values_each_node = request.values_each_node;
  run.dry = request.dry;
  PARLEY_TRY_VOID(fill_in(*launch, request.model));
  PARLEY_TRY(std::optional<Run> last, index_->last_of(run.session));
  if (last) {
    last = as_it_stands(std::move(*last));
    if (last->owner != run.owner) {
      return core::fail(Code::already_exists, "This id is taken. Choose another one.", "session");
    }
    PARLEY_TRY(std::optional<HistoryQuery> past, past_for(request, *last));
    launch->from = std::move(past);
    run.lost_numbers = last->lost_numbers;
    if (last->state == RunState::interrupted) launch->supersedes = last->id;
  }
  return launch;
}

Result<Impl::LaunchPtr> Impl::prepare(const ResumeRequest& request) {
  PARLEY_TRY(Run found, owned(*index_, request.owner, request.run_id));
  PARLEY_TRY_VOID(check_leave(found, request.leave));
  if (is_live(found.id)) {
    return core::fail(Code::failed_precondition, "The run is still active.", "run_id");
  }
  if (found.state == RunState::finished) {
    return core::fail(Code::failed_precondition,
                      "The run has finished. Fork it to go on from one of its checkpoints.",
                      "run_id");
  }
  PARLEY_TRY(const std::optional<Run> last, index_->last_of(found.session));
  if (last && last->id != found.id) {
    return core::fail(Code::failed_precondition,
                      "A later run of this session has gone on from it. Fork it instead.",
                      "run_id");
  }
  auto launch = std::make_shared<Launch>();
  launch->from = past_of(found);
  launch->goes_on = true;
  launch->whole_state = true;
  launch->insert = false;
  launch->before = found;
  Run& run = launch->setup.run;
  run = std::move(found);
  run.state = RunState::running;
  run.ended_at.reset();
  run.last_seq = 0;
  run.reply.clear();
  run.error.clear();
  PARLEY_TRY_VOID(fill_in(*launch, request.model.value_or(run.model)));
  PARLEY_TRY(const std::string text, index_->recorded_tools(run.id));
  RecordedTools recorded = read_recorded_tools(text);
  launch->setup.allowed_tools = std::move(recorded.allowed);
  launch->setup.client_tools = std::move(recorded.client_tools);
  launch->setup.missing_tools = std::move(recorded.gone);
  return launch;
}

Result<Impl::LaunchPtr> Impl::prepare(ForkRequest request) {
  PARLEY_TRY(Run found, owned(*index_, request.owner, request.run_id));
  PARLEY_TRY_VOID(check_leave(found, request.leave));
  if (!request.session.empty()) {
    PARLEY_TRY(const std::optional<Run> last, index_->last_of(request.session));
    if (last || !core::is_safe_id(request.session)) {
      return core::fail(Code::invalid_argument, "A fork needs a session id that is not in use.",
                        "session");
    }
  }
  auto launch = std::make_shared<Launch>();
  launch->from = past_of(found);
  launch->from->until_checkpoint = request.checkpoint_id;
  launch->whole_state = !request.message;
  Run& run = launch->setup.run;
  run.owner = found.owner;
  run.id = "run-" + core::new_id(services.clock, services.entropy);
  run.session = request.session.empty()
                    ? "session-" + core::new_id(services.clock, services.entropy)
                    : std::move(request.session);
  run.agent = found.agent;
  run.working_folder = found.working_folder;
  run.approvals = found.approvals;
  run.values_each_node = found.values_each_node;
  run.dry = found.dry;
  run.forked_from = found.id;
  run.started_at = services.clock.wall();
  run.message = request.message.value_or(found.message);
  if (request.message) launch->setup.message = model::Message::user(*request.message);
  PARLEY_TRY_VOID(fill_in(*launch, request.model.value_or(found.model)));
  return launch;
}

}  // namespace parley::run
