// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/worker.h"

#include <pthread.h>

#include <csignal>
#include <utility>

#include "base/core/contain.h"

namespace parley::tool {
namespace {

// One call: shared by the working thread and the waiting scheduler.
struct Job {
  enum class Phase : std::uint8_t { waiting, working, dropped };

  Job(ToolContext with, BlockingWork what, Tool::Done then, StopFlag flag)
      : context(std::move(with)),
        work(std::move(what)),
        done(std::move(then)),
        stop(std::move(flag)) {}

  // The thread that changes the phase from `waiting` decides the outcome.
  bool take(Phase next) {
    Phase expected = Phase::waiting;
    return phase.compare_exchange_strong(expected, next);
  }

  std::atomic<Phase> phase = Phase::waiting;
  // The members below, except `work` and `stop`, belong to the scheduler.
  ToolContext context;
  BlockingWork work;
  Tool::Done done;
  StopFlag stop;
  core::CancelToken::Registration registration;
  core::TimerId patience = 0;
};

void finish(const std::shared_ptr<Job>& job, ToolResult result) {
  if (!job->done) return;
  job->registration.reset();
  job->context.scheduler->cancel(job->patience);
  Tool::Done done = std::exchange(job->done, nullptr);
  const ToolContext context = std::exchange(job->context, {});
  done(std::move(result));
}

void post_finish(core::Scheduler& scheduler, std::shared_ptr<Job> job, ToolResult result) {
  scheduler.post([job = std::move(job), result = std::move(result)]() mutable {
    finish(job, std::move(result));
  });
}

void on_cancel(const std::shared_ptr<Job>& job) {
  job->stop.stop();
  core::Scheduler& scheduler = *job->context.scheduler;
  if (job->take(Job::Phase::dropped)) {
    post_finish(scheduler, job, cancelled_result());
    return;
  }
  job->patience = scheduler.after(kCancelPatience, [job] {
    finish(job,
           ToolResult::error(
               "The call was cancelled while it was in progress: its changes may have been made."));
  });
}

void work_on(core::Scheduler& scheduler, std::shared_ptr<Job> job) {
  if (!job->take(Job::Phase::working)) return;
  ToolResult result;
  const core::Result<void> worked =
      core::contain("file worker", [&] { result = job->work(job->stop); });
  if (!worked) result = ToolResult::error("The call failed. " + worked.error().message);
  job->work = nullptr;
  post_finish(scheduler, std::move(job), std::move(result));
}

}  // namespace

WorkerPool::WorkerPool(std::size_t threads) {
  // Signals are handled by other threads; SIGXFSZ on a full disk must not end the process.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {  // the system has no thread left
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    stop();
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  stopping_ = true;
  std::deque<core::Task> dropped;
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    dropped.swap(tasks_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::post(core::Task task) {
  {
    const std::scoped_lock lock(mutex_);
    if (closed_ || tasks_.size() >= kMaxQueued) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

StopFlag WorkerPool::make_flag() const {
  StopFlag flag;
  flag.pool_ = &stopping_;
  return flag;
}

void WorkerPool::work() {
  while (true) {
    core::Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
      if (closed_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    static_cast<void>(core::contain("file worker", task));
  }
}

void run_blocking(WorkerPool& pool, ToolContext context, BlockingWork work, Tool::Done done) {
  core::Scheduler& scheduler = *context.scheduler;
  auto job =
      std::make_shared<Job>(std::move(context), std::move(work), std::move(done), pool.make_flag());
  // Posted before the work, so that the result cannot arrive first.
  scheduler.post([job] {
    if (!job->done) return;
    // Weak: the token must not keep alive the objects that hold it.
    job->registration = job->context.cancel.on_cancel([weak = std::weak_ptr(job)] {
      if (const auto live = weak.lock()) on_cancel(live);
    });
  });
  if (pool.post([&scheduler, job] { work_on(scheduler, job); })) return;
  job->take(Job::Phase::dropped);
  post_finish(scheduler, std::move(job),
              ToolResult::error("Too many file operations are in progress; try again later."));
}

ToolResult cancelled_result() { return ToolResult::error("The call was cancelled."); }

core::Error cancelled_error() { return {core::Code::cancelled, cancelled_result().content, ""}; }

}  // namespace parley::tool
