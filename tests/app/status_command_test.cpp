// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <poll.h>

#include <filesystem>

#include "base/core/temp_folder.h"
#include "program.h"
#include "terminal_program.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kStatusToken = "status-test-token";

class StatusCommand : public ::testing::Test {
 protected:
  std::vector<std::string> serve_flags() const {
    return {"--listen", "127.0.0.1:0", "--data", dir_.file("data"), "--token", kStatusToken};
  }
  Ran parley(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data", dir_.file("data")});
    return run(dir_, std::move(words));
  }
  // `parley open` with this display; empty: none.
  Ran open_at(const std::string& display, std::vector<std::string> words = {"open"}) const {
    words.insert(words.end(), {"--data", dir_.file("data")});
    auto start = command(dir_, std::move(words));
    start.env["DISPLAY"] = display;
    start.env["WAYLAND_DISPLAY"] = "";
    Ran ran;
    auto process = conformance::Process::start(start);
    if (!process) {
      ADD_FAILURE() << process.error().message;
      return ran;
    }
    while ((*process)->read_some(ran.out, in_ms(kPatience)).value_or(false)) {
    }
    ran.status = (*process)->wait(in_ms(kPatience)).value_or(-1);
    ran.errors = (*process)->errors();
    return ran;
  }
  // A program in bin/ that writes its argument to a file, and then ends with `status`.
  void stand_in(const std::string& name, int status) const {
    std::filesystem::create_directories(dir_.file("bin"));
    const std::string path = dir_.file("bin/" + name);
    std::ofstream(path) << "#!/bin/sh\nprintf %s \"$1\" > '" << dir_.file("said.part") << "'\nmv '"
                        << dir_.file("said.part") << "' '" << dir_.file("said") << "'\nexit "
                        << status << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  core::TempFolder dir_;
};

TEST_F(StatusCommand, RunningServer_IsDescribed) {
  const Server server(dir_, serve_flags());
  server.call("POST", "/v1/interactions", kStatusToken,
              R"({"key":"k","prompt":{"text":"Go on?"}})");
  const Ran ran = parley({"status"});
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("runs at " + server.url()), HasSubstr("1 question"),
                             HasSubstr("Go on?"), Not(HasSubstr(kStatusToken))));
  const Ran json = parley({"status", "--json"});
  EXPECT_EQ(json.status, 0);
  EXPECT_THAT(json.out, Not(HasSubstr(kStatusToken)));
  const boost::json::value state = boost::json::parse(json.out);
  EXPECT_EQ(state.at("running"), true);
  EXPECT_EQ(std::string(state.at("url").as_string()), server.url());
  EXPECT_EQ(state.at("waiting").at("count"), 1);
  EXPECT_THAT(std::string(state.at("version").as_string()), ::testing::MatchesRegex("[0-9.]+"));
}

TEST_F(StatusCommand, NoServer_HasItsOwnExitCode) {
  const Ran ran = parley({"status"});
  EXPECT_EQ(ran.status, 5);
  EXPECT_THAT(ran.out, StartsWith("Parley is not running."));
  EXPECT_EQ(boost::json::parse(parley({"status", "--json"}).out).at("running"), false);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("data")));
}

// The file of a server that was killed names a process that is gone.
TEST_F(StatusCommand, KilledServer_IsNotRunning) {
  Server server(dir_, serve_flags());
  server.signal(SIGKILL);
  server.wait();
  EXPECT_TRUE(std::filesystem::exists(dir_.file("data/endpoint.json")));
  EXPECT_EQ(parley({"status"}).status, 5);
}

// A listener whose connections are counted, on a port of its own.
class Trap {
 public:
  Trap() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
  }
  Trap(const Trap&) = delete;
  Trap& operator=(const Trap&) = delete;
  ~Trap() { ::close(fd_); }
  const std::string& url() const { return url_; }
  bool was_called() const {
    pollfd waits{fd_, POLLIN, 0};
    return ::poll(&waits, 1, 0) != 0;
  }

 private:
  int fd_;
  std::string url_;
};

// The process id and the port of a killed server can be those of other programs by now.
TEST_F(StatusCommand, KilledServerWhoseProcessIdIsTakenAgain_IsNotCalled) {
  Server server(dir_, serve_flags());
  server.signal(SIGKILL);
  server.wait();
  const Trap trap;
  ASSERT_EQ(mode_of(dir_.file("data/endpoint.json")), 0600U);
  std::ofstream(dir_.file("data/endpoint.json")) << boost::json::serialize(
      boost::json::value{{"url", trap.url()}, {"token", kStatusToken}, {"pid", ::getpid()}});
  const Ran status = parley({"status"});
  EXPECT_EQ(status.status, 5);
  EXPECT_THAT(status.out, StartsWith("Parley is not running."));
  EXPECT_THAT(parley({"doctor"}).out, HasSubstr("none is running"));
  EXPECT_EQ(parley({"open", "--print"}).status, 5);
  EXPECT_NE(parley({"ask", "--timeout", "1", "Go?"}).status, 0);
  const Ran hook = run(dir_, {"hook", "claude", "--wait", "1", "--data", dir_.file("data")},
                       R"({"session_id":"s","transcript_path":"/t","cwd":"/p","permission_mode":)"
                       R"("default","hook_event_name":"PermissionRequest","tool_name":"Bash",)"
                       R"("tool_input":{"command":"make"}})");
  EXPECT_EQ(hook.status, 0);
  EXPECT_EQ(hook.out, "");
  EXPECT_FALSE(trap.was_called());
}

// The server runs, but the text of none of its tokens is known here.
TEST_F(StatusCommand, ServerWithoutKnownToken_IsSaidToRun) {
  {
    Server first(dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data")});
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(), 0);
  }
  ASSERT_TRUE(std::filesystem::remove(dir_.file("data/token")));
  const Server server(dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data")});
  const Ran status = parley({"status"});
  EXPECT_EQ(status.status, 0);
  EXPECT_THAT(status.out, AllOf(HasSubstr("runs at " + server.url()), HasSubstr("no token"),
                                HasSubstr("`parley token create")));
  EXPECT_THAT(parley({"doctor"}).out,
              AllOf(HasSubstr("no token"), Not(HasSubstr("does not answer"))));
  EXPECT_EQ(parley({"open", "--print"}).out, server.url() + "/\n");
}

TEST_F(StatusCommand, Open_HandsTheSignInLinkToTheBrowser) {
  const Server server(dir_, serve_flags());
  stand_in("xdg-open", 0);
  const Ran opened = open_at(":7");
  EXPECT_EQ(opened.status, 0);
  EXPECT_EQ(opened.out, "opened " + server.url() + "\n");
  // The browser is not waited for.
  const std::string said = dir_.file("said");
  for (int i = 0; i < 2'000 && !std::filesystem::exists(said); ++i) ::usleep(10'000);
  EXPECT_EQ(read_file(said), server.url() + "/?token=" + kStatusToken);
}

TEST_F(StatusCommand, OpenPrint_PrintsTheLink) {
  Server server(dir_, serve_flags());
  stand_in("xdg-open", 0);
  const Ran ran = open_at(":7", {"open", "--print"});
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, server.url() + "/?token=" + kStatusToken + "\n");
  EXPECT_FALSE(std::filesystem::exists(dir_.file("said")));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(server.errors(), Not(HasSubstr(kStatusToken)));
}

// A file or a log gets the link with the token on request alone.
TEST_F(StatusCommand, OpenWithoutBrowser_WritesNoTokenToAPipe) {
  const Server server(dir_, serve_flags());
  stand_in("xdg-open", 3);
  for (const char* display : {"", ":7"}) {
    const Ran ran = open_at(display);
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.errors, AllOf(HasSubstr(*display == '\0' ? "no display" : "has failed"),
                                  HasSubstr("--print"), Not(HasSubstr(kStatusToken))));
  }
}

TEST_F(StatusCommand, OpenWithoutBrowser_ShowsTheLinkAtATerminal) {
  const Server server(dir_, serve_flags());
  stand_in("xdg-open", 3);
  TerminalProgram open(dir_, {"open", "--data", dir_.file("data")}, 200);
  EXPECT_TRUE(open.shows(server.url() + "/?token=" + kStatusToken));
}

TEST_F(StatusCommand, OpenWithoutServer_SaysHowToStart) {
  const Ran ran = parley({"open"});
  EXPECT_EQ(ran.status, 5);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.errors, HasSubstr("`parley serve --open`"));
}

}  // namespace
}  // namespace parley::tests
