// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <string>

#include "runtime/tool/process/child_environment.h"
#include "tests/support/tool/test_scheduler.h"

namespace parley::tool {
namespace {

using std::chrono::milliseconds;

// A process and its output, seen on the test's thread.
struct Seen {
  std::string out;
  std::string err;
  std::optional<ProcessEnd> end;
};

class Processes : public testing::Test {
 protected:
  ProcessId start(const std::string& script, Seen& seen, bool input = false) {
    ProcessSpec spec;
    spec.command = {"sh", "-c", script};
    spec.folder = "/";
    spec.environment = process_environment();
    spec.input = input;
    return start(std::move(spec), seen);
  }
  ProcessId start(ProcessSpec spec, Seen& seen) {
    ProcessEvents events;
    events.on_output = [this, &seen](ProcessStream stream, std::string_view bytes) {
      scheduler_.post([&seen, stream, text = std::string(bytes)] {
        (stream == ProcessStream::out ? seen.out : seen.err) += text;
      });
    };
    events.on_end = [this, &seen](ProcessEnd end) {
      scheduler_.post([&seen, end = std::move(end)] { seen.end = end; });
    };
    return runner_.start(std::move(spec), std::move(events));
  }
  bool ended(Seen& seen) {
    return scheduler_.run_until([&] { return seen.end.has_value(); });
  }
  bool says(Seen& seen, const std::string& text) {
    return scheduler_.run_until([&] { return seen.out.find(text) != std::string::npos; });
  }
  // True if a process has ended; the zombie of an orphan counts, since its new parent reaps it.
  static bool is_missing(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(stat, line);
    const std::size_t at = line.rfind(") ");
    return at == std::string::npos || line[at + 2] == 'Z' || line[at + 2] == 'X';
  }
  bool gone(pid_t pid) {
    return scheduler_.run_until([&] {
      scheduler_.post([] {});
      return is_missing(pid);
    });
  }

  TestScheduler scheduler_;
  ProcessRunner runner_;
};

TEST_F(Processes, OutputAndExitCode_AreTold) {
  Seen seen;
  start("echo out; echo err >&2; exit 3", seen);
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(seen.out, "out\n");
  EXPECT_EQ(seen.err, "err\n");
  EXPECT_EQ(seen.end->exit_code, 3);
  EXPECT_FALSE(seen.end->signal);
  EXPECT_EQ(runner_.running(), 0U);
}

TEST_F(Processes, Signal_IsTold) {
  Seen seen;
  start("kill -SEGV $$", seen);
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(seen.end->signal, SIGSEGV);
}

TEST_F(Processes, MissingProgramOrFolder_IsFailureInWords) {
  Seen seen;
  ProcessSpec spec;
  spec.command = {"no-such-program-here"};
  spec.folder = "/";
  start(spec, seen);
  ASSERT_TRUE(ended(seen));
  EXPECT_NE(seen.end->failure.find("no-such-program-here"), std::string::npos);
  seen.end.reset();
  spec.command = {"true"};
  spec.folder = "/no/such/folder";
  start(spec, seen);
  ASSERT_TRUE(ended(seen));
  EXPECT_NE(seen.end->failure.find("/no/such/folder"), std::string::npos);
}

TEST_F(Processes, Child_HasOwnSessionDefaultSignalsNoDescriptors) {
  Seen seen;
  start(
      "cut -d' ' -f1,5,6 /proc/self/stat; ls /proc/self/fd | wc -l; "
      "grep -c 'SigIgn:.*0000000000000000' /proc/self/status; wc -c",
      seen);
  ASSERT_TRUE(ended(seen));
  int pid = 0;
  int group = 0;
  int session = 0;
  int descriptors = 0;
  int clean = 0;
  int input = -1;
  std::sscanf(seen.out.c_str(), "%d %d %d %d %d %d", &pid, &group, &session, &descriptors, &clean,
              &input);
  EXPECT_EQ(group, session);
  EXPECT_NE(session, ::getsid(0));
  EXPECT_EQ(descriptors, 4) << "the three, and the folder that ls reads";
  EXPECT_EQ(clean, 1);
  EXPECT_EQ(input, 0) << "stdin is empty";
}

TEST_F(Processes, Input_IsWrittenAndClosed) {
  Seen seen;
  const ProcessId id = start("cat; echo end", seen, true);
  const std::string much(3U << 20U, 'x');
  runner_.write(id, much);
  runner_.close_input(id);
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(seen.out.size(), much.size() + 4);
}

TEST_F(Processes, ProgramIgnoringInput_IsEndedAtLimit) {
  Seen seen;
  const ProcessId id = start("exec sleep 60", seen, true);
  for (int i = 0; i < 40; ++i) runner_.write(id, std::string(1U << 20U, 'x'));
  ASSERT_TRUE(ended(seen));
  EXPECT_TRUE(seen.end->signal);
}

TEST_F(Processes, InputAfterExit_DoesNoHarm) {
  Seen seen;
  const ProcessId id = start("exec 0<&-; echo ready; sleep 0.2", seen, true);
  ASSERT_TRUE(says(seen, "ready"));
  runner_.write(id, "hello");
  ASSERT_TRUE(ended(seen));
  runner_.write(id, "hello");
  runner_.stop(id);
  EXPECT_EQ(seen.end->exit_code, 0);
}

TEST_F(Processes, Stop_LetsProgramCleanUp) {
  Seen seen;
  const ProcessId id =
      start("trap 'echo cleaned; exit 9' TERM; echo ready; while :; do sleep 0.01; done", seen);
  ASSERT_TRUE(says(seen, "ready"));
  runner_.stop(id, milliseconds(10'000));
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(seen.end->exit_code, 9);
  EXPECT_NE(seen.out.find("cleaned"), std::string::npos);
}

TEST_F(Processes, Stop_KillsWholeGroup) {
  Seen seen;
  const ProcessId id = start("trap '' TERM; (trap '' TERM; sleep 60) & echo $!; wait", seen);
  ASSERT_TRUE(says(seen, "\n"));
  const pid_t child = std::stoi(seen.out);
  const auto begun = std::chrono::steady_clock::now();
  runner_.stop(id);
  ASSERT_TRUE(ended(seen));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30))
      << "before its programs end";
  EXPECT_EQ(seen.end->signal, SIGKILL);
  EXPECT_TRUE(gone(child));
}

TEST_F(Processes, BackgroundChildren_EndWithProgram) {
  Seen seen;
  start("sleep 60 & echo $!", seen);
  ASSERT_TRUE(ended(seen)) << "the pipe that the background holds is not waited for";
  EXPECT_EQ(seen.end->exit_code, 0);
  EXPECT_TRUE(gone(std::stoi(seen.out)));
}

TEST_F(Processes, ChildrenOutsideSession_AreEnded) {
  Seen seen;
  start("setsid sh -c 'echo $$; exec sleep 60' & sleep 0.2; exit 0", seen);
  ASSERT_TRUE(ended(seen));
  ASSERT_FALSE(seen.out.empty());
  EXPECT_TRUE(gone(std::stoi(seen.out)));
}

TEST_F(Processes, OwnSessionAndEmptyEnvironment_IsEnded) {
  Seen seen;
  start("env -i setsid sh -c 'echo $$; exec sleep 60' & sleep 0.2; exit 0", seen);
  ASSERT_TRUE(ended(seen));
  ASSERT_FALSE(seen.out.empty());
  EXPECT_TRUE(gone(std::stoi(seen.out)));
}

TEST_F(Processes, EndOfCommand_LeavesOthersAlone) {
  Seen lasting;
  const ProcessId other = start("env -i setsid sh -c 'echo $$; exec sleep 60' & wait", lasting);
  ASSERT_TRUE(says(lasting, "\n"));
  Seen seen;
  start("exit 0", seen);
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(::kill(std::stoi(lasting.out), 0), 0);
  runner_.stop(other);
  ASSERT_TRUE(ended(lasting));
  EXPECT_TRUE(gone(std::stoi(lasting.out)));
}

TEST_F(Processes, EndedProgram_LeavesNoZombie) {
  Seen seen;
  start("echo $$", seen);
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(::waitpid(std::stoi(seen.out), nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Processes, ManyPrograms_ShareThread) {
  std::vector<Seen> all(20);
  for (std::size_t i = 0; i < all.size(); ++i)
    start("sleep 0.1; echo " + std::to_string(i), all[i]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_TRUE(ended(all[i]));
    EXPECT_EQ(all[i].out, std::to_string(i) + "\n");
  }
}

TEST(ProcessRunnerEnd, Destruction_KillsRunning_TellsEveryCaller) {
  TestScheduler scheduler;
  auto runner = std::make_unique<ProcessRunner>();
  pid_t pid = 0;
  std::string out;
  bool ended = false;
  ProcessSpec spec;
  spec.command = {"sh", "-c", "echo $$; exec sleep 60"};
  spec.folder = "/";
  spec.environment = process_environment();
  ProcessEvents events;
  events.on_output = [&](ProcessStream, std::string_view bytes) {
    scheduler.post([&out, text = std::string(bytes)] { out += text; });
  };
  events.on_end = [&](ProcessEnd end) { ended = end.signal == SIGKILL; };
  runner->start(spec, std::move(events));
  ASSERT_TRUE(scheduler.run_until([&] { return out.find('\n') != std::string::npos; }));
  pid = std::stoi(out);
  runner.reset();
  EXPECT_TRUE(ended);
  EXPECT_NE(::kill(pid, 0), 0);
}

}  // namespace
}  // namespace parley::tool
