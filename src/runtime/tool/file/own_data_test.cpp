// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// No tool can reach the program's own data (tokens, events of all owners), for any working folder
// and any spelling of the path.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/tool/file/workspace.h"
#include "runtime/tool/process/bash.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "the-admin-token";

// A data folder within the working folder.
class OwnData : public testing::Test {
 protected:
  OwnData() {
    fs::create_directories(data_ + "/tool-output");
    top_.write("data/token", kSecret);
    world_.working_folder = top_.path();
    world_.tools = builtin_file_tools({world_.pool, data_, world_.entropy});
  }

  // One call of each tool that takes a path.
  static std::vector<std::pair<std::string, std::string>> calls(const std::string& folder) {
    const std::string file = folder + "/token";
    return {
        {"read", R"({"path":")" + file + R"("})"},
        {"ls", R"({"path":")" + folder + R"("})"},
        {"glob", R"({"pattern":"*","path":")" + folder + R"("})"},
        {"grep", R"({"pattern":"admin","path":")" + folder + R"("})"},
        {"grep", R"({"pattern":"admin","path":")" + file + R"("})"},
        {"write_file", R"({"path":")" + file + R"(","content":"x"})"},
        {"write_file", R"({"path":")" + folder + R"(/new","content":"x"})"},
        {"write_file", R"({"path":")" + file + R"(","content":"x","append":true})"},
        {"edit", R"({"path":")" + file + R"(","oldString":"admin","newString":"x"})"},
        {"multiedit",
         R"({"path":")" + file + R"(","edits":[{"oldString":"admin","newString":"x"}]})"},
        {"apply_patch",
         R"({"patchText":"*** Begin Patch\n*** Delete File: )" + file + R"(\n*** End Patch\n"})"},
        {"move_file", R"({"source":")" + file + R"(","destination":"got"})"},
        {"move_file", R"({"source":")" + folder + R"(","destination":"got"})"},
        {"delete_file", R"({"path":")" + file + R"("})"},
        {"delete_file", R"({"path":")" + folder + R"(","recursive":true})"},
        {"create_dir", R"({"path":")" + folder + R"(/new"})"},
    };
  }
  void expect_refused(const std::string& folder) {
    for (const auto& [name, arguments] : calls(folder)) {
      EXPECT_THAT(world_.refused(name, arguments), Not(HasSubstr(kSecret))) << arguments;
    }
    EXPECT_EQ(top_.read("data/token"), kSecret);
  }

  FileToolWorld world_;
  TestFolder top_;
  const std::string data_ = top_.at("data");
};

TEST_F(OwnData, DataBelowWorkingFolder_IsRefusedByEveryTool) {
  expect_refused("data");
  expect_refused(data_);
  expect_refused("./x/../data");
}

TEST_F(OwnData, DataBehindSymlink_IsRefusedByEveryTool) {
  TestFolder other;
  // The link itself belongs to the folder: it may be moved and deleted. Its target may not.
  const std::string behind = "alias/tool-output/..";
  top_.link("data", "alias");
  expect_refused(behind);
  other.link(data_, "alias");
  expect_refused(other.at(behind));
  world_.working_folder = other.path();
  expect_refused(behind);
}

TEST_F(OwnData, DataThroughProc_IsRefusedByEveryTool) {
  const int fd = ::open(data_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::string self = "/proc/" + std::to_string(::getpid());
  for (const std::string& working : {std::string("/"), world_.working_folder}) {
    world_.working_folder = working;
    expect_refused("/proc/self/root" + data_);
    expect_refused(self + "/root" + data_);
    expect_refused("/proc/self/fd/" + std::to_string(fd));
    expect_refused(self + "/task/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd));
    expect_refused("/proc/self/cwd" + std::string("/..//../../../../../../..") + data_);
  }
  ::close(fd);
}

TEST_F(OwnData, WorkingFolderAtOrAboveData_IsRefused) {
  for (const std::string& folder :
       {data_, data_ + "/", top_.at("data/tool-output"), "/proc/self/root" + data_}) {
    world_.working_folder = folder;
    EXPECT_THAT(world_.refused("ls", "{}"), HasSubstr("Agents may not work in this folder"))
        << folder;
    EXPECT_THAT(world_.refused("read", R"({"path":"token"})"), Not(HasSubstr(kSecret)));
    EXPECT_THAT(world_.refused("read", R"({"path":"../token"})"), Not(HasSubstr(kSecret)));
    EXPECT_THAT(world_.refused("write_file", R"({"path":"x","content":"y"})"),
                HasSubstr("Agents may not work in this folder"));
  }
}

TEST_F(OwnData, Searches_SkipData) {
  EXPECT_THAT(world_.ok("grep", R"({"pattern":"the-admin","includeIgnored":true})"),
              Not(HasSubstr(kSecret)));
  EXPECT_THAT(world_.ok("glob", R"({"pattern":"**/token","includeIgnored":true})"),
              Not(HasSubstr("data")));
}

TEST(StoredResults, KeptResult_IsReadOnlyInItsSession) {
  FileToolWorld world;
  world.data.write("token", kSecret);
  const auto kept = world.outputs.keep(world.owner, world.session, "bash", "a long result");
  ASSERT_TRUE(kept);
  EXPECT_THAT(world.ok("read", R"({"path":")" + *kept + R"("})"), HasSubstr("a long result"));
  const std::string other = fs::path(*kept).parent_path().string() + "/../../token";
  EXPECT_THAT(world.refused("read", R"({"path":")" + other + R"("})"), Not(HasSubstr(kSecret)));
  world.session = "session-2";
  EXPECT_THAT(world.refused("read", R"({"path":")" + *kept + R"("})"),
              Not(HasSubstr("a long result")));
}

TEST_F(OwnData, Bash_DoesNotStartInData) {
  ProcessRunner runner;
  BashOptions options;
  options.data_folder = data_;
  options.environment = {"PATH=/usr/bin:/bin"};
  world_.tools.add(make_bash(runner, options));
  const std::string command = R"({"command":"cat token","workdir":")";
  EXPECT_THAT(world_.refused("bash", command + "data" + R"("})"), Not(HasSubstr(kSecret)));
  EXPECT_THAT(world_.refused("bash", command + "/proc/self/root" + data_ + R"("})"),
              Not(HasSubstr(kSecret)));
  world_.working_folder = data_;
  EXPECT_THAT(world_.refused("bash", R"({"command":"cat token"})"), Not(HasSubstr(kSecret)));
}

TEST_F(OwnData, ProcessFiles_AreOutside) {
  world_.working_folder = "/";
  for (const char* path :
       {"/proc/self/environ", "/proc/self/mem", "/proc/1/environ", "proc/version"}) {
    EXPECT_THAT(world_.refused("read", std::string(R"({"path":")") + path + R"("})"),
                HasSubstr("outside working folder"))
        << path;
  }
  world_.working_folder = "/proc";
  EXPECT_THAT(world_.refused("ls", "{}"), HasSubstr("Agents may not work in this folder"));
}

// Runs in a process of its own, with its own mounts. Where mounting is not permitted, an attack by
// a mount is not possible either.
TEST(OwnDataMounted, BindMountOfData_IsRefused) {
  const pid_t child = ::fork();
  if (child == 0) {
    TestFolder data;
    TestFolder folder;
    fs::create_directories(folder.at("alias"));
    data.write("sub/token", kSecret);
    const bool mounted =
        ::unshare(CLONE_NEWNS) == 0 &&
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount(data.path().c_str(), folder.at("alias").c_str(), nullptr, MS_BIND, nullptr) == 0;
    if (!mounted) ::_exit(0);
    const auto workspace = Workspace::open(folder.path(), data.path());
    const bool above = workspace && !workspace->locate("alias/sub/token");
    const bool below = !Workspace::open(folder.at("alias/sub"), data.path());
    ::umount2(folder.at("alias").c_str(), MNT_DETACH);
    ::_exit(above && below ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace parley::tool
