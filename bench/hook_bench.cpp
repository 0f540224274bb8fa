// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// hook_bench [--mode full|quick] --bin DIR --peers DIR --out FILE
//
// The cold start of `parley hook`: the time of a whole process for an event that needs no answer,
// without a server and with one, and the time from the start to the question at a user interface.
// The peers, in turns with it, are an empty Node program, a shell that reads its input, and a Node
// script that posts a question.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.h"
#include "give_up.h"
#include "row.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr const char* kToken = "token-of-the-benchmark";
constexpr std::string_view kAsks =
    R"({"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash",)"
    R"("tool_input":{"command":"make"}})";
constexpr std::string_view kWatches =
    R"({"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash",)"
    R"("tool_input":{"command":"make"}})";
constexpr int kWarmUp = 3;

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A process that reads `input` and whose output nobody sees.
class Run {
 public:
  Run(const std::vector<std::string>& command, std::string_view input) {
    std::array<int, 2> in{};
    if (pipe2(in.data(), O_CLOEXEC) != 0) give_up_on("pipe2");
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    start_ = Clock::now();
    if (posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
      give_up("cannot start " + command.front());
    }
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    write_all(in[1], input);
    close(in[1]);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    if (pid_ > 0) end();
  }

  // Waits for the end of the process, which must have the status 0.
  double end() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    if (status != 0) give_up("a measured process failed");
    return ms_since(start_);
  }
  double so_far() const { return ms_since(start_); }

 private:
  pid_t pid_ = -1;
  Clock::time_point start_;
};

double time_of(const std::vector<std::string>& command, std::string_view input) {
  return Run(command, input).end();
}

// The time until the question of the process is at `ui`. Parley asks a bare "yes" again.
double time_to_question(const std::vector<std::string>& command, UserInterface& ui,
                        int further_questions) {
  Run run(command, kAsks);
  ui.answer_one();
  const double took = run.so_far();
  for (int i = 0; i < further_questions; ++i) ui.answer_one();
  run.end();
  return took;
}

struct Settings {
  std::string bin;
  std::string peers;
  std::string out;
  int rounds = 300;
};

int run(const Settings& settings) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("parley-hook-bench-" + std::to_string(getpid()));
  const std::string none = (folder / "none").string();
  const std::string data = (folder / "data").string();
  std::filesystem::create_directories(none);
  const std::string parley = settings.bin + "/parley";
  const std::vector<std::string> node = {"/usr/bin/env", "node", "-e", "0"};
  const std::vector<std::string> shell = {"/bin/sh", "-c", "cat >/dev/null"};
  const std::vector<std::string> alone = {parley, "hook", "claude", "--data", none};
  const std::vector<std::string> hook = {parley, "hook", "claude", "--data", data};
  Row absent{"hook without a server", "ms", "an empty Node program"};
  Row absent_shell{"the same", "ms", "a shell that reads its input"};
  Row idle{"hook of a watched event, nothing waits", "ms", "an empty Node program"};
  Row question{"start of a hook to its question", "ms", "a Node script that posts a question"};
  {
    ChildProcess server({parley, "serve", "--listen", "127.0.0.1:0", "--data", data, "--token",
                         kToken, "--log-level", "error"});
    const std::uint16_t port = port_of(server.read_line());
    UserInterface ui(port, kToken);
    const std::vector<std::string> script = {"/usr/bin/env", "node",
                                             settings.peers + "/hook_script.mjs",
                                             "http://127.0.0.1:" + std::to_string(port), kToken};
    for (int round = 0; round < kWarmUp + settings.rounds; ++round) {
      const double without = time_of(alone, kAsks);
      const double empty = time_of(node, kAsks);
      const double least = time_of(shell, kAsks);
      const double watched = time_of(hook, kWatches);
      const double asked = time_to_question(hook, ui, 1);
      const double posted = time_to_question(script, ui, 0);
      if (round < kWarmUp) continue;
      absent.ours.push_back(without);
      absent.theirs.push_back(empty);
      absent_shell.ours.push_back(without);
      absent_shell.theirs.push_back(least);
      idle.ours.push_back(watched);
      idle.theirs.push_back(empty);
      question.ours.push_back(asked);
      question.theirs.push_back(posted);
    }
  }
  std::filesystem::remove_all(folder);
  return write_rows(settings.out, {&absent, &absent_shell, &idle, &question}) ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  parley::bench::Settings settings;
  std::string mode = "full";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--mode") mode = argv[i + 1];
    if (option == "--bin") settings.bin = argv[i + 1];
    if (option == "--peers") settings.peers = argv[i + 1];
    if (option == "--out") settings.out = argv[i + 1];
  }
  if (settings.bin.empty() || settings.peers.empty() || settings.out.empty() ||
      (mode != "full" && mode != "quick")) {
    std::fprintf(stderr, "hook_bench [--mode full|quick] --bin DIR --peers DIR --out FILE\n");
    return 2;
  }
  if (mode == "quick") settings.rounds = 10;
  return parley::bench::run(settings);
}
