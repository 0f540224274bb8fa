// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/plan_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agents/hook/request_text.h"
#include "agents/hook/session_notes.h"
#include "base/core/temp_folder.h"

namespace parley::hook {
namespace {

namespace fs = std::filesystem;

HookEvent claude_event(std::string name, std::string tool, const fs::path& file = {}) {
  HookEvent event;
  event.name = std::move(name);
  event.session = "s";
  event.tool = std::move(tool);
  if (!file.empty()) event.input["file_path"] = file.string();
  return event;
}

class PlanFileTest : public ::testing::Test {
 protected:
  PlanFileTest() { fs::create_directories(plans_); }

  void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  void watch(const fs::path& file, const char* tool = "Write") {
    watch_plan(notes_, agent_, claude_event("PostToolUse", tool, file));
  }
  core::Result<std::string> read() {
    return read_plan(notes_, agent_, claude_event("PermissionRequest", "ExitPlanMode"));
  }

  core::TempFolder folder_;
  fs::path agent_ = folder_.file(".claude");
  fs::path plans_ = agent_ / "plans";
  fs::path notes_ = folder_.file("hooks");
};

TEST_F(PlanFileTest, WrittenPlan_IsReadAsItIsNow) {
  EXPECT_EQ(read().error().code, core::Code::not_found);
  write(plans_ / "fern.md", "# One\n");
  watch(plans_ / "fern.md");
  EXPECT_EQ(read().value(), "# One\n");
  write(plans_ / "fern.md", "# Two\n");
  EXPECT_EQ(read().value(), "# Two\n");
}

TEST_F(PlanFileTest, HomeBehindALink_IsTheSame) {
  const fs::path home = folder_.file("home");
  fs::create_directory_symlink(agent_.parent_path(), home);
  write(plans_ / "fern.md", "# One\n");
  watch_plan(notes_, home / ".claude",
             claude_event("PostToolUse", "Write", fs::canonical(plans_) / "fern.md"));
  EXPECT_EQ(read_plan(notes_, home / ".claude", claude_event("PermissionRequest", "ExitPlanMode"))
                .value(),
            "# One\n");
}

TEST_F(PlanFileTest, PlanOfAnotherSessionOrSubagent_IsAnother) {
  write(plans_ / "fern.md", "# One\n");
  watch(plans_ / "fern.md", "Edit");
  HookEvent other = claude_event("PermissionRequest", "ExitPlanMode");
  other.session = "t";
  EXPECT_FALSE(read_plan(notes_, agent_, other));
  other.session = "s";
  other.agent_id = "a";
  EXPECT_FALSE(read_plan(notes_, agent_, other));
  watch_plan(notes_, agent_, claude_event("SessionEnd", ""));
  EXPECT_FALSE(read());
}

TEST_F(PlanFileTest, FileOutsideOfPlans_IsNoPlan) {
  write(agent_ / "fern.md", "x");
  for (const fs::path& path :
       {agent_ / "fern.md", plans_ / "../fern.md", plans_ / "fern.txt", fs::path("/etc/fern.md"),
        fs::path(plans_.string() + "x/fern.md"), fs::path("plans/fern.md")}) {
    watch(path);
    EXPECT_FALSE(read()) << path;
  }
  write(plans_ / "fern.md", "x");
  watch(plans_ / "fern.md", "Read");
  EXPECT_FALSE(read());
}

TEST_F(PlanFileTest, LinkPipeOrFolder_IsNotRead) {
  write(folder_.file("secret.md"), "secret");
  watch(plans_ / "fern.md");
  fs::create_symlink(folder_.file("secret.md"), plans_ / "fern.md");
  EXPECT_FALSE(read());
  fs::remove(plans_ / "fern.md");
  ASSERT_EQ(::mkfifo((plans_ / "fern.md").c_str(), 0600), 0);
  EXPECT_EQ(read().error().code, core::Code::failed_precondition);
  fs::remove(plans_ / "fern.md");
  fs::create_directory(plans_ / "fern.md");
  EXPECT_EQ(read().error().code, core::Code::failed_precondition);
}

TEST_F(PlanFileTest, LinkedFolder_IsNotRead) {
  const fs::path other = folder_.file("other");
  fs::create_directory(other);
  write(other / "fern.md", "x");
  watch(plans_ / "fern.md");
  fs::remove(plans_);
  fs::create_directory_symlink(other, plans_);
  EXPECT_FALSE(read());
}

TEST_F(PlanFileTest, FileOfAnotherUser_IsNotRead) {
  write(plans_ / "fern.md", "x");
  watch(plans_ / "fern.md");
  constexpr uid_t kOther = 65534;
  if (::geteuid() != 0) return;  // only root can give a file away
  ASSERT_EQ(::chown((plans_ / "fern.md").c_str(), kOther, kOther), 0);
  EXPECT_EQ(read().error().code, core::Code::failed_precondition);
}

TEST_F(PlanFileTest, LongPlan_IsReadToTheLimitOfRequests) {
  write(plans_ / "fern.md", std::string(3U << 20U, 'x'));
  watch(plans_ / "fern.md");
  EXPECT_EQ(read().value().size(), kMaxRequestBytes + 1);
}

TEST_F(PlanFileTest, OldNotes_MakeRoom) {
  HookEvent event = claude_event("Stop", "");
  for (std::size_t i = 0; i < kMaxSessionNotes + 3; ++i) {
    event.session = "s" + std::to_string(i);
    keep_note(notes_, event, "told", "done");
  }
  EXPECT_EQ(note_of(notes_, event, "told"), "done");
  EXPECT_EQ(note_of(notes_, event, "plan"), "");
  const auto files = std::distance(fs::directory_iterator(notes_), fs::directory_iterator());
  EXPECT_EQ(files, static_cast<std::ptrdiff_t>(kMaxSessionNotes));
}

}  // namespace
}  // namespace parley::hook
