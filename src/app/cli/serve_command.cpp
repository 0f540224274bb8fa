// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/serve_command.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "agents/mcp/browser.h"
#include "app/cli/welcome.h"
#include "app/server/exit_code.h"
#include "app/server/logging.h"
#include "app/server/server_assembly.h"
#include "app/server/terminal.h"
#include "app/server/tls_assembly.h"
#include "app/server/version.h"
#include "base/core/clock.h"

namespace parley::app {

namespace {

// Waits for the signals of a server and for a nudge from another thread. Blocks SIGTERM, SIGINT and
// SIGHUP in this thread and in every thread created later, and ignores SIGPIPE. Must be created
// before any other thread.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Returns the number of the next signal; 0 after nudge(); std::nullopt after `patience`.
  std::optional<int> wait(core::Millis patience);
  // Ends a wait. Thread-safe.
  void nudge();

 private:
  int signal_fd_ = -1;
  int nudge_fd_ = -1;
};

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
  signal_fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  nudge_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

Signals::~Signals() {
  ::close(signal_fd_);
  ::close(nudge_fd_);
}

std::optional<int> Signals::wait(core::Millis patience) {
  std::array<pollfd, 2> fds = {{{signal_fd_, POLLIN, 0}, {nudge_fd_, POLLIN, 0}}};
  if (::poll(fds.data(), fds.size(), static_cast<int>(patience.count())) <= 0) return std::nullopt;
  if (fds[0].revents != 0) {
    signalfd_siginfo info{};
    if (::read(signal_fd_, &info, sizeof(info)) == sizeof(info)) {
      return static_cast<int>(info.ssi_signo);
    }
  }
  std::uint64_t count = 0;
  if (fds[1].revents != 0 && ::read(nudge_fd_, &count, sizeof(count)) == sizeof(count)) return 0;
  return std::nullopt;
}

void Signals::nudge() {
  const std::uint64_t one = 1;
  // The write cannot block: the counter of an eventfd holds nearly 2^64.
  (void)!::write(nudge_fd_, &one, sizeof(one));
}

// Together with the closing of the stores, each of these stays below the documented limit of 5 s.
constexpr core::Millis kDrainPatience{3'000};
constexpr core::Millis kDrainLimit{4'000};
constexpr core::Millis kTokenPoll{1'000};

// Raises the limit of descriptors to the system's maximum, because each connection needs one.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) spdlog::warn("cannot raise the descriptor limit");
}

std::string mcp_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / "agentassistant-mcp";
  if (!error && std::filesystem::exists(beside, error)) return beside.string();
  return "agentassistant-mcp";
}

std::string own_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "parley" : self.string();
}

WelcomeFacts facts_of(const ServerAssembly& server, const Settings& settings) {
  WelcomeFacts facts;
  facts.url = server.url();
  facts.token = server.token();
  if (!settings.front_end.empty()) facts.console_path = "/console/";
  facts.data = settings.data;
  facts.data_is_default = settings.data == default_data_directory();
  facts.program = own_program();
  facts.mcp_program = mcp_program();
  const net::Endpoint& at = server.endpoint();
  facts.phone_url = server.away_origin();
  if (!facts.phone_url.empty()) return facts;
  if (!at.is_loopback()) {
    const bool any = at.host == "0.0.0.0" || at.host == "::";
    const std::string host = any ? outside_address() : at.host;
    if (!host.empty()) {
      facts.phone_url =
          std::string(origin_scheme(settings)) + net::Endpoint{host, at.port}.to_string();
    }
    facts.own_authority = tls_mode(settings) == certificate::TlsMode::automatic;
  }
  return facts;
}

// Empty if there is none: then a phone shows the page to sign in.
std::string phone_token_of(ServerAssembly& server) {
  auto token = server.phone_token();
  if (token) return std::move(*token);
  spdlog::warn("the code for phones has no token: {}", token.error().message);
  return {};
}

// Logs how many lines were dropped, when the queue has room again.
class DroppedLines {
 public:
  void tell() {
    const LogState log = log_state();
    if (log.dropped == told_ || log.waiting > kLogQueueLines / 2) return;
    told_ = log.dropped;
    spdlog::warn("{} lines of this log were dropped since the start, because stderr was not read",
                 told_);
  }

 private:
  std::uint64_t told_ = 0;
};

// Serves until the first signal that ends the server, or until it is no node of its cluster.
void run_until_signal(ServerAssembly& server, Signals& signals) {
  DroppedLines dropped;
  while (true) {
    dropped.tell();
    const auto event = signals.wait(kTokenPoll);
    if (event == SIGTERM || event == SIGINT) return;
    if (event == SIGHUP) {
      if (const auto done = server.reload_tls(); !done) {
        spdlog::error("certificate and key could not be reloaded: {}", done.error().message);
      } else {
        spdlog::info("certificate and key were reloaded");
      }
    }
    if (server.ended()) return;
    server.poll_tokens();
  }
}

// A second signal ends the process at once.
void drain(ServerAssembly& server, Signals& signals) {
  spdlog::info("shutting down: new work is refused, waiting callers are notified");
  server.drain(kDrainPatience, [&signals] { signals.nudge(); });
  const core::SystemClock clock;
  const core::MonoTime end = clock.mono() + kDrainLimit;
  while (clock.mono() < end) {
    const auto event = signals.wait(core::Millis(100));
    if (event == 0) return;
    if (event == SIGTERM || event == SIGINT) {
      spdlog::warn("second signal: exiting at once");
      // Waits up to 400 ms for the queued lines. The log itself must not be ended, because other
      // threads still use it.
      for (int i = 0; i < 20 && log_state().waiting > 0; ++i) {
        std::this_thread::sleep_for(core::Millis(20));
      }
      ::_exit(kExitFailure);
    }
  }
  spdlog::warn("not all connections closed in time");
}

}  // namespace

void complain_about(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    complain({problem.message, problem.where,
              problem.hint.empty() ? "docs/configuration.md lists all settings." : problem.hint});
  }
}

namespace {

int serve_until_signal(const Configuration& config, const ServeOptions& options, Signals& signals) {
  const Settings& settings = config.settings;
  const bool terminal = stderr_is_terminal();
  for (const Problem& warning : config.warnings) spdlog::warn("{}", warning.to_string());
  raise_descriptor_limit();
  auto started = ServerAssembly::start(settings);
  if (!started) {
    complain(started.error().complaint);
    return started.error().code;
  }
  ServerAssembly& server = **started;
  spdlog::info("parley {} serves {} with data in {}{}", kVersion, server.url(), settings.data,
               settings.store_url.empty() ? "" : " and a database");
  if (!print("ready " + server.url() + "\n")) {
    spdlog::warn("the line \"ready\" was not written: stdout is closed");
  }
  WelcomeFacts facts = facts_of(server, settings);
  if (terminal || options.welcome) {
    if (!facts.phone_url.empty()) facts.phone_token = phone_token_of(server);
    const std::string text = welcome_text(facts, stderr_has_colour());
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (options.open && !mcp::open_browser(page_link(facts.url, facts.token))) {
    spdlog::warn("no browser could be opened: xdg-open is not installed");
  }
  run_until_signal(server, signals);
  drain(server, signals);
  server.stop();
  spdlog::info("stopped");
  return server.ended() ? kExitFailure : kExitOk;
}

int complain_no_memory(const char* why) {
  const StartFailure failure = no_memory_failure(why);
  complain(failure.complaint);
  return failure.code;
}

// std::thread reports with `resource_unavailable_try_again` that no thread can be started, for
// which the lack of address space for its stack is the usual reason.
bool is_lack(const std::error_code& code) {
  return code == std::errc::resource_unavailable_try_again || code == std::errc::not_enough_memory;
}

// The handler of exceptions that no thread catches: for lack of memory or threads the process ends
// with a sentence and its own code, otherwise as by default. Allocates nothing.
[[noreturn]] void end_uncaught() {
  static constexpr std::string_view kText =
      "parley: The server has too little memory, address space or threads.\n"
      "  next: Raise the limit (`ulimit -v`, `ulimit -u`; MemoryMax, LimitAS and TasksMax of "
      "systemd).\n";
  bool lack = false;
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    lack = true;
  } catch (const std::system_error& error) {
    lack = is_lack(error.code());
  } catch (...) {
    lack = false;
  }
  if (!lack) __gnu_cxx::__verbose_terminate_handler();
  const ssize_t said = ::write(STDERR_FILENO, kText.data(), kText.size());
  static_cast<void>(said);  // nothing can be done about a failure
  ::_exit(kExitNoMemory);
}

}  // namespace

int serve(const Configuration& config, const ServeOptions& options) {
  const Settings& settings = config.settings;
  // Created before the first thread, so that signals reach only this thread.
  Signals signals;
  std::set_terminate(end_uncaught);
  int status = kExitNoMemory;
  try {
    start_server_log(settings.log_level, settings.log_json, stderr_has_colour());
    status = serve_until_signal(config, options, signals);
  } catch (const std::bad_alloc&) {
    status = complain_no_memory("Memory could not be allocated.");
  } catch (const std::system_error& error) {
    if (!is_lack(error.code())) throw;
    status = complain_no_memory("A thread could not be started.");
  }
  return end_server_log(status);
}

}  // namespace parley::app
