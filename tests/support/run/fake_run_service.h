// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/json_writer.h"
#include "model/session/hub.h"
#include "runtime/run/run_service.h"
#include "runtime/stream/event_reader.h"
#include "runtime/stream/frame.h"

namespace parley::run {

// A registry of the models that a test lists.
class FakeModels final : public model::ModelRegistry {
 public:
  class Named final : public model::Model {
   public:
    explicit Named(std::string id) : id_(std::move(id)) {}
    const std::string& id() const override { return id_; }
    std::uint64_t context_tokens() const override { return 1'000; }
    void ask(model::ModelRequest /*request*/, model::ModelEvents /*events*/,
             core::Scheduler& scheduler, const core::CancelToken& /*cancel*/, Done done) override {
      scheduler.post([done = std::move(done)]() mutable {
        done(core::fail(core::Code::unavailable, "A fake model says nothing."));
      });
    }

   private:
    std::string id_;
  };

  core::Result<std::shared_ptr<model::Model>> find(const std::string& id) override {
    for (const model::ModelInfo& info : models) {
      if (info.id == id) return std::make_shared<Named>(id);
    }
    return core::fail(core::Code::not_found, "There is no model \"" + id + "\".", "model");
  }
  std::string default_id() const override {
    if (chosen_default) return *chosen_default;
    return models.empty() ? "" : models.front().id;
  }
  void list(core::Scheduler& scheduler, absl::AnyInvocable<void(Listing)> done) override {
    scheduler.post([done = std::move(done), models = models]() mutable {
      done(Listing{std::move(models), {}});
    });
  }

  std::vector<model::ModelInfo> models;
  std::optional<std::string> chosen_default;  // nullopt: the first model
};

// Runs with events that the test emits one by one. They are events of their sessions, as real ones
// are. One thread; answers arrive in a later run of the scheduler.
class FakeRunService final : public RunService {
 public:
  explicit FakeRunService(session::Hub& hub) : hub_(hub) {}

  // --- control by the test -----------------------------------------------------------------------

  void emit(const std::string& run_id, std::string_view node_id, const runtime::RunEvent& event) {
    std::string payload = runtime::stored_payload(event, node_id);
    event::LivePtr live = runtime::live_form(event, payload);
    append(runs.at(run_id), std::string(runtime::type_name(event)), std::move(payload), {},
           std::move(live));
  }
  // Ends a run with a reply line. `more`: further members, as JSON, with a comma before each.
  void reply(const std::string& run_id, std::string_view text, std::string_view stop_reason,
             RunState state, std::string_view more = {}) {
    Run& run = runs.at(run_id);
    run.state = state;
    std::string payload;
    core::JsonWriter json(payload);
    json.begin_object().key("type").string(runtime::kReplyType).key("reply").string(text);
    json.key("stop_reason").string(stop_reason).key("run_id").string(run_id);
    json.key("node_id").string("run-think-0").end_object();
    payload.insert(payload.size() - 1, more);
    append(run, std::string(runtime::kReplyType), std::move(payload),
           [&run](std::uint64_t seq) { run.last_seq = seq; });
  }
  void finish(const std::string& run_id, std::string_view text, std::string_view more = {}) {
    reply(run_id, text, "end_turn", RunState::finished, more);
  }
  // Id of the run that was started last.
  const std::string& last() const { return last_; }

  // --- RunService ------------------------------------------------------------------------------

  void start(RunRequest request, core::Scheduler& scheduler, Done<Run> done) override {
    requests.push_back(request);
    if (start_failure) return post(scheduler, std::move(done), core::fail(*start_failure));
    Run run;
    run.id = request.run_id.empty() ? "run-" + std::to_string(runs.size() + 1) : request.run_id;
    run.session = request.session;
    run.owner = request.owner;
    run.agent = request.agent;
    run.kind = kind;
    run.model = request.model;
    run.message = request.message.content;
    last_ = run.id;
    Run& kept = runs[run.id] = run;
    append(kept, "run_start",
           runtime::stored_payload(runtime::RunStart{run.id, run.message, run.agent}, "run-0"),
           [&kept, &scheduler, done = std::move(done)](std::uint64_t seq) mutable {
             kept.first_seq = seq;
             post(scheduler, std::move(done), core::Result<Run>(kept));
           });
  }
  void resume(ResumeRequest request, core::Scheduler& scheduler, Done<Run> done) override {
    runs.at(request.run_id).state = RunState::running;
    runs.at(request.run_id).last_seq = 0;
    find(request.owner, request.run_id, scheduler, std::move(done));
  }
  void fork(ForkRequest request, core::Scheduler& scheduler, Done<Run> done) override {
    find(request.owner, request.run_id, scheduler, std::move(done));
  }
  void cancel(std::string owner, std::string run_id, core::Scheduler& scheduler,
              Done<Run> done) override {
    core::Result<Run> found = owned(owner, run_id);
    if (found && found->last_seq > 0) {
      found = core::fail(core::Code::failed_precondition, "The run has ended.", "run_id");
    }
    if (found) reply(run_id, "", "cancelled", RunState::cancelled);
    post(scheduler, std::move(done), std::move(found));
  }
  void approve(std::string owner, std::string run_id, std::string call_id, ApprovalAnswer answer,
               core::Scheduler& scheduler, Done<bool> done) override {
    const core::Result<Run> found = owned(owner, run_id);
    if (!found) return post(scheduler, std::move(done), core::fail(found.error()));
    approvals.emplace_back(call_id, std::move(answer));
    post(scheduler, std::move(done), core::Result<bool>(approvals.size() == 1));
  }
  void find(std::string owner, std::string run_id, core::Scheduler& scheduler,
            Done<Run> done) override {
    post(scheduler, std::move(done), owned(owner, run_id));
  }
  void list(RunQuery query, core::Scheduler& scheduler, Done<RunPage> done) override {
    RunPage page;
    for (const auto& [id, run] : runs) {
      if (run.owner == query.owner) page.runs.push_back(run);
    }
    post(scheduler, std::move(done), core::Result<RunPage>(std::move(page)));
  }
  void checkpoints(std::string owner, std::string run_id, core::Scheduler& scheduler,
                   Done<std::vector<CheckpointInfo>> done) override {
    const core::Result<Run> found = owned(owner, run_id);
    if (!found) return post(scheduler, std::move(done), core::fail(found.error()));
    post(scheduler, std::move(done), core::Result<std::vector<CheckpointInfo>>());
  }
  void checkpoint(std::string /*owner*/, std::string /*run_id*/, std::string /*checkpoint_id*/,
                  core::Scheduler& scheduler, Done<CheckpointState> done) override {
    post(scheduler, std::move(done),
         core::fail(core::Code::not_found, "There is no such checkpoint."));
  }
  void messages(std::string /*owner*/, std::string /*session*/, core::Scheduler& scheduler,
                Done<std::vector<model::Message>> done) override {
    post(scheduler, std::move(done), core::Result<std::vector<model::Message>>());
  }
  void sessions(RunSessionQuery query, core::Scheduler& scheduler,
                Done<RunSessionPage> done) override {
    RunSessionPage page;
    for (const auto& [id, run] : runs) {
      if (run.owner == query.owner) page.sessions.push_back(session_of(run));
    }
    post(scheduler, std::move(done), core::Result<RunSessionPage>(std::move(page)));
  }
  void session(std::string owner, std::string session, core::Scheduler& scheduler,
               Done<RunSession> done) override {
    for (const auto& [id, run] : runs) {
      if (run.owner != owner || run.session != session) continue;
      return post(scheduler, std::move(done), core::Result<RunSession>(session_of(run)));
    }
    post(scheduler, std::move(done), core::fail(core::Code::not_found, "There is no session."));
  }
  void remove_session(std::string owner, std::string session, core::Scheduler& scheduler,
                      Done<std::uint64_t> done) override {
    const std::size_t gone = std::erase_if(runs, [&](const auto& one) {
      return one.second.owner == owner && one.second.session == session;
    });
    if (gone > 0) return post(scheduler, std::move(done), core::Result<std::uint64_t>(0));
    post(scheduler, std::move(done), core::fail(core::Code::not_found, "There is no session."));
  }
  void set_model(std::string /*owner*/, std::string session, std::string model,
                 core::Scheduler& scheduler, Done<void> done) override {
    const auto found = registry.find(model);
    if (!found) return post(scheduler, std::move(done), core::fail(found.error()));
    session_models[session] = model;
    post(scheduler, std::move(done), core::Result<void>());
  }
  void tools(FolderRequest request, core::Scheduler& scheduler, Done<tool::Toolbox> done) override {
    folders.push_back(request.path);
    folder_requests.push_back(request);
    post(scheduler, std::move(done), core::Result<tool::Toolbox>(toolbox));
  }
  void profiles(FolderRequest request, core::Scheduler& scheduler,
                Done<agent::Profiles> done) override {
    folders.push_back(request.path);
    folder_requests.push_back(request);
    post(scheduler, std::move(done), core::Result<agent::Profiles>(agents));
  }
  model::ModelRegistry& models() override { return registry; }

  std::map<std::string, Run> runs;
  std::vector<RunRequest> requests;
  std::vector<std::pair<std::string, ApprovalAnswer>> approvals;
  std::map<std::string, std::string> session_models;
  std::vector<std::string> folders;            // folders of all requests
  std::vector<FolderRequest> folder_requests;  // the same requests, with their permissions
  std::optional<core::Error> start_failure;
  std::string kind = "react";  // of the started runs
  FakeModels registry;
  tool::Toolbox toolbox;
  agent::Profiles agents;

 private:
  template <typename T, typename R>
  static void post(core::Scheduler& scheduler, Done<T> done, R result) {
    scheduler.post([done = std::move(done), result = core::Result<T>(std::move(result))]() mutable {
      done(std::move(result));
    });
  }

  static RunSession session_of(const Run& run) {
    RunSession session;
    session.id = run.session;
    session.runs = 1;
    session.first_user_message = run.message;
    session.last_reply = run.reply;
    return session;
  }

  core::Result<Run> owned(const std::string& owner, const std::string& run_id) {
    const auto found = runs.find(run_id);
    if (found != runs.end() && found->second.owner == owner) return found->second;
    return core::fail(core::Code::not_found, "There is no run of this id.", "run_id");
  }

  void append(const Run& run, std::string type, std::string payload,
              absl::AnyInvocable<void(std::uint64_t)> done = {}, event::LivePtr live = nullptr) {
    session::Session::NewEvent added{"out", std::move(type), std::move(payload), std::nullopt,
                                     std::move(live)};
    hub_.with_session({run.session, std::string(kRunDialect), run.owner},
                      [added = std::move(added),
                       done = std::move(done)](core::Result<session::Session*> session) mutable {
                        if (session) append_in(**session, std::move(added), std::move(done));
                      });
  }
  static void append_in(session::Session& session, session::Session::NewEvent added,
                        absl::AnyInvocable<void(std::uint64_t)> done) {
    const bool flowing = event::durability_of(added.type) == event::Durability::flowing;
    std::vector<session::Session::NewEvent> events;
    events.push_back(std::move(added));
    if (flowing) {
      const core::Result<std::uint64_t> seq = session.append_flowing(std::move(events));
      if (seq && done) done(*seq);
      return;
    }
    session.append_durable(std::move(events),
                           [done = std::move(done)](core::Result<std::uint64_t> seq) mutable {
                             if (seq && done) done(*seq);
                           });
  }

  session::Hub& hub_;
  std::string last_;
};

}  // namespace parley::run
