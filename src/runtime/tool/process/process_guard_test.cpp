// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/process_guard.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/tool/process/child_environment.h"

namespace parley::tool {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(20);

// True if a process has ended; the zombie of an orphan counts, since its new parent reaps it.
bool is_over(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t at = line.rfind(") ");
  return at == std::string::npos || line[at + 2] == 'Z' || line[at + 2] == 'X';
}

bool all_over(const std::vector<pid_t>& pids) {
  const auto end = steady_clock::now() + kPatience;
  while (!std::ranges::all_of(pids, is_over)) {
    if (steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

// The program process_owner with its commands.
class Owner {
 public:
  explicit Owner(std::vector<std::string> scripts) {
    scripts.insert(scripts.begin(), PROCESS_OWNER);
    std::vector<char*> words;
    for (std::string& word : scripts) words.push_back(word.data());
    words.push_back(nullptr);
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    EXPECT_EQ(::posix_spawn(&pid_, PROCESS_OWNER, &actions, nullptr, words.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    output_ = pipe[0];
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    kill();
    ::close(output_);
  }

  // Reads the numbers that its commands write, one per line, until there are `count`.
  std::vector<pid_t> numbers(std::size_t count) {
    while (static_cast<std::size_t>(std::ranges::count(said_, '\n')) < count && read_some()) {
    }
    std::vector<pid_t> out;
    for (std::size_t at = 0; said_.find('\n', at) != std::string::npos;) {
      out.push_back(std::stoi(said_.substr(at)));
      at = said_.find('\n', at) + 1;
    }
    EXPECT_EQ(out.size(), count) << said_;
    return out;
  }

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  pid_t pid() const { return pid_; }

  // True if no process holds its standard output any more.
  bool output_ends() {
    while (read_some()) {
    }
    return ended_;
  }

 private:
  bool read_some() {
    pollfd waiting{output_, POLLIN, 0};
    if (::poll(&waiting, 1, 1'000 * static_cast<int>(kPatience.count())) <= 0) return false;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(output_, buffer.data(), buffer.size());
    if (got > 0) said_.append(buffer.data(), static_cast<std::size_t>(got));
    ended_ = got == 0;
    return got > 0;
  }

  pid_t pid_ = 0;
  int output_ = -1;
  std::string said_;
  bool ended_ = false;
};

TEST(ProcessGuardTest, AfterKill9_GroupIsGone) {
  Owner owner({"sleep 300 & echo $!; (sleep 301 & echo $!; wait) & echo $!; echo $$; wait"});
  const std::vector<pid_t> pids = owner.numbers(4);
  owner.kill();
  EXPECT_TRUE(all_over(pids));
}

TEST(ProcessGuardTest, ProcessIgnoringTerm_IsGone) {
  Owner owner({"trap '' TERM HUP INT; sleep 300 & echo $!; echo $$; wait"});
  const std::vector<pid_t> pids = owner.numbers(2);
  owner.kill();
  EXPECT_TRUE(all_over(pids));
}

TEST(ProcessGuardTest, ProcessOutsideGroup_IsKnownByMark) {
  Owner owner({"setsid sh -c 'echo $$; exec sleep 300' & wait"});
  const std::vector<pid_t> pids = owner.numbers(1);
  owner.kill();
  EXPECT_TRUE(all_over(pids));
}

TEST(ProcessGuardTest, ProcessWithoutEnvironment_IsKnownByGroup) {
  Owner owner({"env -i sleep 300 & echo $!; wait"});
  const std::vector<pid_t> pids = owner.numbers(1);
  owner.kill();
  EXPECT_TRUE(all_over(pids));
}

TEST(ProcessGuardTest, OwnSessionAndEmptyEnvironment_AfterKill9_IsGone) {
  Owner owner({"env -i setsid sh -c 'echo $$; exec sleep 300' & wait"});
  const std::vector<pid_t> pids = owner.numbers(1);
  owner.kill();
  EXPECT_TRUE(all_over(pids));
}

TEST(ProcessGuardTest, ManyCommands_AreGoneTogether) {
  Owner owner(std::vector<std::string>(20, "sleep 300 & echo $!; wait"));
  const std::vector<pid_t> pids = owner.numbers(20);
  owner.kill();
  EXPECT_TRUE(all_over(pids));
}

TEST(ProcessGuardTest, Guard_EndsAndHoldsNoDescriptor) {
  Owner owner({"echo $PPID"});
  const std::vector<pid_t> pids = owner.numbers(1);
  ASSERT_EQ(pids.front(), owner.pid());
  owner.kill();
  EXPECT_TRUE(owner.output_ends()) << "the guard would hold the owner's standard output";
}

TEST(ProcessGuardTest, Guard_HasOwnSessionAndSingleExtraDescriptor) {
  const ProcessGuard guard;
  ASSERT_GT(guard.pid(), 0);
  const std::string self = "/proc/" + std::to_string(guard.pid());
  // The guard closes inherited descriptors right after fork().
  const auto end = steady_clock::now() + kPatience;
  std::vector<std::string> streams;
  std::size_t count = 0;
  while ((count != 4 || ::getsid(guard.pid()) != guard.pid()) && steady_clock::now() < end) {
    std::error_code error;
    streams.clear();
    count = 0;
    for (const auto& each : std::filesystem::directory_iterator(self + "/fd", error)) {
      ++count;
      if (std::stoi(each.path().filename()) <= STDERR_FILENO) {
        streams.push_back(std::filesystem::read_symlink(each.path(), error));
      }
    }
  }
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(::getsid(guard.pid()), guard.pid());
  EXPECT_THAT(streams, testing::Each("/dev/null"));
}

TEST(ProcessGuardTest, Guard_EndsWithOwner_LeavesNoZombie) {
  pid_t pid = 0;
  {
    const ProcessGuard guard;
    pid = guard.pid();
    ::kill(pid, SIGTERM);
    ::kill(pid, SIGINT);
    EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0) << "only its owner's end ends it";
  }
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace parley::tool
