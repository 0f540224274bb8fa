// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/curl_fetcher.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <vector>

#include "base/core/ask.h"
#include "base/core/contain.h"
#include "base/core/file_descriptor.h"
#include "base/http_client/curl_exchanges.h"
#include "base/http_client/fetch_pipe.h"

namespace parley::http_client {
namespace {

core::FileDescriptor opened(int fd) {
  if (fd < 0) throw std::runtime_error("the kernel has no descriptor left");
  return core::FileDescriptor(fd);
}

}  // namespace

// State and loop of the thread. Shared by the fetcher and, weakly, by the pipes of its exchanges.
class CurlWorker : public std::enable_shared_from_this<CurlWorker> {
 public:
  using Id = std::uint64_t;

  explicit CurlWorker(const core::Clock& clock);

  // Any thread.
  Id begin(FetchRequest request, const std::shared_ptr<FetchPipe>& pipe);
  void abort(Id id) { command({Command::Kind::abort, id}); }
  void unpause(Id id) { command({Command::Kind::unpause, id}); }
  void stop() { command({Command::Kind::stop, 0}); }

  // The thread's function: runs until stop().
  void run();

 private:
  struct Command {
    enum class Kind : std::uint8_t { begin, abort, unpause, stop };
    Kind kind;
    Id id;
    std::unique_ptr<CurlExchange> exchange = nullptr;  // for begin
    std::shared_ptr<FetchPipe> pipe = nullptr;         // for begin
  };
  void command(Command command);
  void run_commands();
  int wait_ms() const;
  void wait();
  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* known);
  static int on_timer(CURLM* multi, long timeout_ms, void* self);

  const core::Clock& clock_;
  const core::FileDescriptor epoll_;
  const core::FileDescriptor wakeup_;

  std::mutex mutex_;  // guards the members below
  std::vector<Command> commands_;
  Id last_id_ = 0;

  // Used by the thread only.
  CurlExchanges exchanges_;
  bool stopping_ = false;
  std::optional<core::MonoTime> curl_wants_at_;
};

CurlWorker::CurlWorker(const core::Clock& clock)
    : clock_(clock),
      epoll_(opened(::epoll_create1(EPOLL_CLOEXEC))),
      wakeup_(opened(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))),
      exchanges_(clock) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wakeup_.get();
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wakeup_.get(), &event) != 0) {
    throw std::runtime_error("epoll");
  }
  CURLM* const multi = exchanges_.multi();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &CurlWorker::on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &CurlWorker::on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, CurlFetcher::kKeptConnections);
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
}

CurlWorker::Id CurlWorker::begin(FetchRequest request, const std::shared_ptr<FetchPipe>& pipe) {
  Id id = 0;
  {
    const std::scoped_lock lock(mutex_);
    id = ++last_id_;
  }
  pipe->on_drained(
      core::unless_gone(weak_from_this(), [id](CurlWorker& self) { self.unpause(id); }));
  command({Command::Kind::begin, id,
           std::make_unique<CurlExchange>(clock_, std::move(request), pipe), pipe});
  return id;
}

void CurlWorker::command(Command command) {
  bool first = false;
  {
    const std::scoped_lock lock(mutex_);
    first = commands_.empty();
    commands_.push_back(std::move(command));
  }
  if (!first) return;
  const std::uint64_t one = 1;
  // Fails only if the counter is full: then the thread is about to wake up anyway.
  (void)!::write(wakeup_.get(), &one, sizeof one);
}

void CurlWorker::run_commands() {
  std::vector<Command> commands;
  {
    const std::scoped_lock lock(mutex_);
    commands.swap(commands_);
  }
  for (Command& command : commands) {
    switch (command.kind) {
      case Command::Kind::begin:
        if (auto end = exchanges_.start(command.id, std::move(command.exchange))) {
          command.pipe->put_end(std::move(*end));
        }
        break;
      case Command::Kind::abort:
        exchanges_.drop(command.id);
        break;
      case Command::Kind::unpause:
        exchanges_.unpause(command.id);
        break;
      case Command::Kind::stop:
        stopping_ = true;
        break;
    }
  }
}

int CurlWorker::wait_ms() const {
  std::optional<core::MonoTime> next = exchanges_.next_idle();
  if (curl_wants_at_ && (!next || *curl_wants_at_ < *next)) next = curl_wants_at_;
  if (!next) return -1;
  constexpr core::Millis kLongest = std::chrono::seconds(60);
  const auto left = std::chrono::ceil<core::Millis>(*next - clock_.mono());
  return static_cast<int>(std::clamp(left, core::Millis(0), kLongest).count());
}

void CurlWorker::wait() {
  std::array<epoll_event, 128> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), wait_ms());
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events.at(static_cast<std::size_t>(i));
    if (event.data.fd == wakeup_.get()) {
      std::uint64_t value = 0;
      (void)!::read(wakeup_.get(), &value, sizeof value);
      continue;
    }
    int mask = 0;
    if ((event.events & (EPOLLIN | EPOLLHUP)) != 0) mask |= CURL_CSELECT_IN;
    if ((event.events & EPOLLOUT) != 0) mask |= CURL_CSELECT_OUT;
    if ((event.events & EPOLLERR) != 0) mask |= CURL_CSELECT_ERR;
    curl_multi_socket_action(exchanges_.multi(), event.data.fd, mask, &running);
  }
  if (curl_wants_at_ && *curl_wants_at_ <= clock_.mono()) {
    curl_wants_at_.reset();
    curl_multi_socket_action(exchanges_.multi(), CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

void CurlWorker::run() {
  while (!stopping_) {
    static_cast<void>(core::contain("fetcher", [this] {
      wait();
      run_commands();
      exchanges_.collect();
      exchanges_.end_idle();
    }));
  }
  exchanges_.close_all();
}

int CurlWorker::on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* known) {
  (void)easy;
  auto& worker = *static_cast<CurlWorker*>(self);
  if (what == CURL_POLL_REMOVE) {
    ::epoll_ctl(worker.epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    return 0;
  }
  epoll_event event{};
  event.data.fd = fd;
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  const int first = known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (::epoll_ctl(worker.epoll_.get(), first, fd, &event) != 0) {
    // libcurl has closed and reopened a descriptor with this number: the kernel's set differs.
    const int second = first == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    ::epoll_ctl(worker.epoll_.get(), second, fd, &event);
  }
  curl_multi_assign(worker.exchanges_.multi(), fd, &worker);
  return 0;
}

int CurlWorker::on_timer(CURLM* multi, long timeout_ms, void* self) {
  (void)multi;
  auto& worker = *static_cast<CurlWorker*>(self);
  worker.curl_wants_at_.reset();
  if (timeout_ms >= 0) worker.curl_wants_at_ = worker.clock_.mono() + core::Millis(timeout_ms);
  return 0;
}

CurlFetcher::CurlFetcher(const core::Clock& clock) : worker_(std::make_shared<CurlWorker>(clock)) {
  // The new thread inherits a mask that blocks all signals: other threads wait for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([worker = worker_] { worker->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

CurlFetcher::~CurlFetcher() {
  worker_->stop();
  thread_.join();
}

void CurlFetcher::fetch(FetchRequest request, FetchEvents events, core::Scheduler& scheduler,
                        const core::CancelToken& cancel, Done done) {
  auto pipe = std::make_shared<FetchPipe>(std::move(events), scheduler, std::move(done));
  if (cancel.cancelled()) {
    return pipe->end_now({FetchEnd::Kind::cancelled, "The exchange was cancelled."});
  }
  const CurlWorker::Id id = worker_->begin(std::move(request), pipe);
  pipe->watch_cancel(cancel, core::unless_gone(std::weak_ptr(worker_),
                                               [id](CurlWorker& worker) { worker.abort(id); }));
}

}  // namespace parley::http_client
