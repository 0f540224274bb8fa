// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/tailnet/tailscale_program.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/core/visible_text.h"
#include "runtime/tool/process/child_environment.h"
#include "runtime/tool/process/process.h"

namespace parley::tailnet {
namespace {

constexpr std::string_view kProgramName = "tailscale";
// Most bytes of its own words that a sentence repeats.
constexpr std::size_t kMaxRepeated = 300;

// The output of one call, and its end.
struct Call {
  std::mutex mutex;  // guards all members
  std::condition_variable changed;
  std::string out;
  std::string errors;
  bool is_too_long = false;
  std::optional<tool::ProcessEnd> end;
};

std::string repeated_words(std::string_view words) {
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.remove_suffix(1);
  if (words.empty()) return "It gave no reason.";
  const bool is_cut = words.size() > kMaxRepeated;
  std::string line(words.substr(0, kMaxRepeated));
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return "It says: " + core::visible_line(line) + (is_cut ? "…" : "");
}

std::string spoken(const std::vector<std::string>& arguments) {
  return "`" + std::string(kProgramName) + " " + arguments.front() + "`";
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The name of the user of this process, or its number.
std::string user_name() {
  constexpr std::size_t kMaxEntryBytes = 16U << 10U;
  std::vector<char> buffer(kMaxEntryBytes);
  passwd entry{};
  passwd* found = nullptr;
  const uid_t user = ::geteuid();
  ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? std::to_string(user) : std::string(found->pw_name);
}

// False: the time is over, or the call was cancelled.
bool wait_for_end(Call& call, std::unique_lock<std::mutex>& lock, core::Millis patience,
                  const std::atomic<bool>& cancelled) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (!cancelled && std::chrono::steady_clock::now() < give_up) {
    const auto slice =
        std::min(give_up, std::chrono::steady_clock::now() + TailscaleProgram::kCancelCheck);
    if (call.changed.wait_until(lock, slice, [&call] { return call.end || call.is_too_long; })) {
      return true;
    }
  }
  return false;
}

// The advice for a call that ended with an error, from the program's own words.
std::string advice(std::string_view errors, const std::vector<std::string>& arguments) {
  if (has(errors, "Access denied") || has(errors, "access denied") || has(errors, "--operator")) {
    return "Let the user who runs Parley get certificates: add TS_PERMIT_CERT_UID=" + user_name() +
           " to /etc/default/tailscaled, then `sudo systemctl restart tailscaled`.";
  }
  if (has(errors, "failed to connect") || has(errors, "not running") ||
      has(errors, "isn't running")) {
    return "Start Tailscale: `sudo systemctl enable --now tailscaled`, then `sudo tailscale up`.";
  }
  if (has(errors, "does not support getting TLS certs")) {
    return "Switch HTTPS on for your tailnet, at https://login.tailscale.com/admin/dns.";
  }
  std::string command(kProgramName);
  for (const std::string& argument : arguments) command += " " + argument;
  return "Run `" + command + "` yourself until it works, then try again.";
}

}  // namespace

TailscaleProgram::TailscaleProgram(std::vector<std::string> environment, ProgramLimits limits)
    : environment_(tool::for_children(std::move(environment), {})), limits_(limits) {}

Found<std::string> TailscaleProgram::status() const {
  return run({"status", "--json", "--peers=false"}, limits_.status_time);
}

Found<std::string> TailscaleProgram::certificate(std::string_view name) const {
  return run({"cert", "--cert-file=-", "--key-file=-", std::string(name)},
             limits_.certificate_time);
}

Found<std::string> TailscaleProgram::run(std::vector<std::string> arguments,
                                         core::Millis patience) const {
  tool::ProcessSpec spec;
  spec.command = {std::string(kProgramName)};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.folder = "/";
  spec.environment = environment_;
  Call call;  // outlives the runner, which calls until its destruction
  tool::ProcessRunner runner;
  tool::ProcessEvents events;
  events.on_output = [&call, limit = limits_.output](tool::ProcessStream stream,
                                                     std::string_view bytes) {
    const std::scoped_lock lock(call.mutex);
    std::string& output = stream == tool::ProcessStream::out ? call.out : call.errors;
    call.is_too_long = call.is_too_long || bytes.size() > limit - output.size();
    if (!call.is_too_long) return static_cast<void>(output += bytes);
    call.changed.notify_all();
  };
  events.on_end = [&call](tool::ProcessEnd ended) {
    const std::scoped_lock lock(call.mutex);
    call.end = std::move(ended);
    call.changed.notify_all();
  };
  const tool::ProcessId process = runner.start(std::move(spec), std::move(events));
  std::unique_lock lock(call.mutex);
  const bool in_time = wait_for_end(call, lock, patience, *cancelled_);
  lock.unlock();
  runner.stop(process);
  lock.lock();
  call.changed.wait(lock, [&call] { return call.end.has_value(); });
  const tool::ProcessEnd& end = *call.end;
  const std::string message = spoken(arguments);
  if (!end.failure.empty()) {
    return fault("The program tailscale cannot be started.", end.failure,
                 "Install Tailscale (https://tailscale.com/download) and run `sudo tailscale up`; "
                 "docs/away.md has two other ways.");
  }
  if (call.is_too_long) {
    return fault(message + " answers too much.",
                 "It wrote more than " + std::to_string(limits_.output) + " bytes.",
                 "Look whether the program tailscale in PATH is that of Tailscale.");
  }
  if (*cancelled_) {
    return fault(message + " was stopped.", "The server stops.", "Start it again.");
  }
  if (!in_time) {
    return fault(message + " does not answer.",
                 "It was stopped after " + std::to_string(patience.count() / 1'000) + " s.",
                 "Run " + message + " yourself; `sudo systemctl restart tailscaled` often helps.");
  }
  if (end.exit_code != 0) {
    return fault(message + " fails.", repeated_words(call.errors), advice(call.errors, arguments));
  }
  return std::move(call.out);
}

}  // namespace parley::tailnet
