// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/local_run_service.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "model/session/approval.h"
#include "runtime/run/approval_question.h"
#include "runtime/run/run_launch.h"

namespace parley::run {

using core::Result;

LocalRunService::LocalRunService(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

LocalRunService::~LocalRunService() { stop(); }

void LocalRunService::stop() { impl_->stop(); }

RunWatchers& LocalRunService::watchers() { return impl_->watchers; }

void LocalRunService::take_up(OwnerFilter owners) {
  impl_->worker.post([impl = impl_, owners = std::move(owners)] { impl->take_up(owners); });
}

RunCounts LocalRunService::counts() const { return impl_->counts(); }

Result<std::unique_ptr<LocalRunService>> LocalRunService::open(const RunOptions& options,
                                                               const Services& services) {
  auto worker = std::make_unique<core::Worker>(services.clock);
  auto impl = std::make_shared<Impl>(options, services, *worker);
  impl->own_worker = std::move(worker);
  PARLEY_TRY_VOID(impl->open_index());
  // The constructor is private, so make_unique cannot reach it.
  return std::unique_ptr<LocalRunService>(new LocalRunService(std::move(impl)));
}

Result<std::unique_ptr<LocalRunService>> LocalRunService::open(const RunOptions& options,
                                                               const Services& services,
                                                               core::Scheduler& worker) {
  auto impl = std::make_shared<Impl>(options, services, worker);
  PARLEY_TRY_VOID(impl->open_index());
  return std::unique_ptr<LocalRunService>(new LocalRunService(std::move(impl)));
}

void LocalRunService::refuse_run(core::Scheduler& scheduler, Done<Run> done, core::Error error) {
  core::reply(scheduler, std::move(done), core::fail(std::move(error)));
}

void LocalRunService::start(RunRequest request, core::Scheduler& scheduler, Done<Run> done) {
  if (core::Result<void> may = core::admit_work(impl_->options.gate); !may) {
    return refuse_run(scheduler, std::move(done), std::move(may.error()));
  }
  impl_->start(std::move(request), scheduler, std::move(done));
}

void LocalRunService::resume(ResumeRequest request, core::Scheduler& scheduler, Done<Run> done) {
  if (core::Result<void> may = core::admit_work(impl_->options.gate); !may) {
    return refuse_run(scheduler, std::move(done), std::move(may.error()));
  }
  impl_->resume(std::move(request), scheduler, std::move(done));
}

void LocalRunService::fork(ForkRequest request, core::Scheduler& scheduler, Done<Run> done) {
  if (core::Result<void> may = core::admit_work(impl_->options.gate); !may) {
    return refuse_run(scheduler, std::move(done), std::move(may.error()));
  }
  impl_->fork(std::move(request), scheduler, std::move(done));
}

void LocalRunService::cancel(std::string owner, std::string run_id, core::Scheduler& scheduler,
                             Done<Run> done) {
  impl_->cancel(owner, run_id, scheduler, std::move(done));
}

void LocalRunService::approve(std::string owner, std::string run_id, std::string call_id,
                              ApprovalAnswer answer, core::Scheduler& scheduler, Done<bool> done) {
  auto tell = core::reply_on(scheduler, std::move(done));
  impl_->worker.post([impl = impl_, owner = std::move(owner), run_id = std::move(run_id),
                      call_id = std::move(call_id), answer = std::move(answer),
                      tell = std::move(tell)]() mutable {
    const Result<Run> run = impl->owned_here(owner, run_id);
    if (!run) return tell(core::fail(run.error()));
    impl->services.hub.with_session(
        run_session(run->session, owner),
        [key = approval_key(run_id, call_id), answer = std::move(answer),
         tell = std::move(tell)](Result<session::Session*> found) mutable {
          if (!found) return tell(core::fail(std::move(found.error())));
          (*found)->answer(
              key, session::approval_answer({answer.allow, answer.reason}), answer.by,
              [tell = std::move(tell)](Result<session::AnswerReceipt> receipt) mutable {
                tell(receipt ? Result<bool>(receipt->won) : core::fail(std::move(receipt.error())));
              });
        });
  });
}

void LocalRunService::find(std::string owner, std::string run_id, core::Scheduler& scheduler,
                           Done<Run> done) {
  impl_->with_index<Run>(
      scheduler, std::move(done),
      [impl = impl_, owner = std::move(owner), run_id = std::move(run_id)](
          RunIndex& index) -> Result<Run> { return impl->owned(index, owner, run_id); });
}

void LocalRunService::list(RunQuery query, core::Scheduler& scheduler, Done<RunPage> done) {
  impl_->with_index<RunPage>(
      scheduler, std::move(done),
      [query = std::move(query)](RunIndex& index) { return index.search(query); });
}

void LocalRunService::checkpoints(std::string owner, std::string run_id, core::Scheduler& scheduler,
                                  Done<std::vector<CheckpointInfo>> done) {
  impl_->worker.post([impl = impl_, owner = std::move(owner), run_id = std::move(run_id),
                      tell = core::reply_on(scheduler, std::move(done))]() mutable {
    const Result<Run> run = impl->owned_here(owner, run_id);
    if (!run) return tell(core::fail(run.error()));
    impl->history(*run, {}, [tell = std::move(tell)](Result<RunHistory> past) mutable {
      if (!past) return tell(core::fail(std::move(past.error())));
      tell(std::move(past->checkpoints));
    });
  });
}

void LocalRunService::checkpoint(std::string owner, std::string run_id, std::string checkpoint_id,
                                 core::Scheduler& scheduler, Done<CheckpointState> done) {
  impl_->worker.post([impl = impl_, owner = std::move(owner), run_id = std::move(run_id),
                      id = std::move(checkpoint_id),
                      tell = core::reply_on(scheduler, std::move(done))]() mutable {
    const Result<Run> run = impl->owned_here(owner, run_id);
    if (!run) return tell(core::fail(run.error()));
    impl->history(*run, id, [tell = std::move(tell)](Result<RunHistory> past) mutable {
      if (!past) return tell(core::fail(std::move(past.error())));
      CheckpointState state{std::move(past->checkpoints.back()), {}};
      core::JsonWriter json(state.state);
      past->state->write(json, 0);
      tell(std::move(state));
    });
  });
}

void LocalRunService::messages(std::string owner, std::string session, core::Scheduler& scheduler,
                               Done<std::vector<model::Message>> done) {
  impl_->worker.post([impl = impl_, owner = std::move(owner), session = std::move(session),
                      tell = core::reply_on(scheduler, std::move(done))]() mutable {
    const Result<Run> run = impl->last_run(owner, session);
    if (!run) return tell(core::fail(run.error()));
    impl->history(*run, {}, [tell = std::move(tell)](Result<RunHistory> past) mutable {
      if (!past) return tell(core::fail(std::move(past.error())));
      tell(agent::conversation_of(past->state.get(), past->cut_off));
    });
  });
}

void LocalRunService::sessions(RunSessionQuery query, core::Scheduler& scheduler,
                               Done<RunSessionPage> done) {
  impl_->worker.post([impl = impl_, query = std::move(query),
                      tell = core::reply_on(scheduler, std::move(done))]() mutable {
    impl->list_sessions(query, std::move(tell));
  });
}

void LocalRunService::session(std::string owner, std::string session, core::Scheduler& scheduler,
                              Done<RunSession> done) {
  impl_->worker.post([impl = impl_, owner = std::move(owner), session = std::move(session),
                      tell = core::reply_on(scheduler, std::move(done))]() mutable {
    impl->show_session(owner, session, std::move(tell));
  });
}

void LocalRunService::remove_session(std::string owner, std::string session,
                                     core::Scheduler& scheduler, Done<std::uint64_t> done) {
  impl_->worker.post([impl = impl_, owner = std::move(owner), session = std::move(session),
                      tell = core::reply_on(scheduler, std::move(done))]() mutable {
    impl->remove_session(owner, session, std::move(tell));
  });
}

void LocalRunService::set_model(std::string owner, std::string session, std::string model,
                                core::Scheduler& scheduler, Done<void> done) {
  impl_->with_index<void>(scheduler, std::move(done),
                          [impl = impl_, owner = std::move(owner), session = std::move(session),
                           model = std::move(model)](RunIndex& index) -> Result<void> {
                            PARLEY_TRY(const std::shared_ptr<model::Model> found,
                                       impl->services.models.find(model));
                            PARLEY_TRY(const std::optional<Run> last, index.last_of(session));
                            // A session of another owner is treated as one that does not exist.
                            if (last && last->owner != owner) return {};
                            return index.set_session_model(owner, session, found->id());
                          });
}

void LocalRunService::tools(FolderRequest request, core::Scheduler& scheduler,
                            Done<tool::Toolbox> done) {
  impl_->worker.post(
      [impl = impl_, request = std::move(request), &scheduler, done = std::move(done)]() mutable {
        const Result<std::string> folder = impl->folder_of(request.path, request.any_folder);
        if (!folder) {
          return core::reply(scheduler, std::move(done), core::fail(folder.error()));
        }
        impl->services.tools.toolbox(*folder, scheduler,
                                     [done = std::move(done)](Result<tool::Toolbox> tools) mutable {
                                       // A run has an invoke_agent that knows its agents; this one
                                       // is only for display.
                                       if (tools) tools->add(agent::make_invoke_agent({}, 0));
                                       done(std::move(tools));
                                     });
      });
}

void LocalRunService::profiles(FolderRequest request, core::Scheduler& scheduler,
                               Done<agent::Profiles> done) {
  core::ask(impl_->worker, "runs", scheduler, std::move(done),
            [impl = impl_, request = std::move(request)]() -> Result<agent::Profiles> {
              PARLEY_TRY(const std::string folder,
                         impl->folder_of(request.path, request.any_folder));
              return agent::Profiles::load(folder, impl->options.home,
                                           impl->options.folder_approvals, impl->options.data_dir);
            });
}

model::ModelRegistry& LocalRunService::models() { return impl_->services.models; }

}  // namespace parley::run
