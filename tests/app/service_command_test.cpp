// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>

#include "base/core/temp_folder.h"
#include "program.h"

namespace parley::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Stand-ins for systemctl and loginctl, which write down their calls: the services of the computer
// that runs the test are not asked.
class ServiceCommand : public ::testing::Test {
 protected:
  ServiceCommand() {
    stand_in("systemctl", "");
    stand_in("loginctl", "echo yes");
  }
  ~ServiceCommand() override {
    const std::string pid = read_file(dir_.file("pid"));
    if (!pid.empty()) ::kill(std::stoi(pid), SIGKILL);
  }
  ServiceCommand(const ServiceCommand&) = delete;
  ServiceCommand& operator=(const ServiceCommand&) = delete;

  // The output of `systemctl show`.
  static std::string unit_state(const std::string& pid, const std::string& states) {
    return "show) echo MainPID=" + pid + "; echo " + states + " | tr ' ' '\\n';; ";
  }
  static constexpr const char* kUp =
      "ActiveState=active SubState=running Result=success UnitFileState=enabled";
  // systemctl that starts the command of the unit, without the marks by which a ProcessRunner ends
  // everything that its programs have started (ProcessGuard).
  void stand_in_for_systemd() const {
    const std::string pid = dir_.file("pid");
    stand_in("systemctl",
             "case $2 in restart) sed -n 's/^ExecStart=/exec /p' '" + unit() + "' > '" +
                 dir_.file("start") + "'\n[ -e '" + pid + "' ] && old=$(cat '" + pid +
                 "') && kill -9 $old\nwhile [ -n \"$old\" ] && kill -0 $old 2> /dev/null; do sleep "
                 "0.01; done\nprlimit --rttime=1 env -u PARLEY_PROCESS setsid sh '" +
                 dir_.file("start") + "' < /dev/null > /dev/null 2>&1 &\necho $! > '" + pid +
                 "'\nwhile [ \"$(cat /proc/$!/comm)\" != parley ]; do sleep 0.01; done;;\n" +
                 unit_state("$(cat '" + pid + "')", kUp) + "esac");
  }
  // systemctl whose service is the process of a server.
  void stand_in_for_service(const std::string& pid) const {
    stand_in("systemctl", "case $2 in " + unit_state(pid, kUp) + "esac");
  }
  static std::string process_of(const core::TempFolder& dir) {
    const boost::json::value file = boost::json::parse(read_file(dir.file("data/endpoint.json")));
    return std::to_string(file.at("pid").as_int64());
  }

  // `body`: shell; $2 is the command of systemctl --user.
  void stand_in(const std::string& name, const std::string& body) const {
    fs::create_directories(dir_.file("bin"));
    const std::string path = dir_.file("bin/" + name);
    std::ofstream(path) << "#!/bin/sh\necho " << name << " \"$@\" >> '" << dir_.file("calls")
                        << "'\n"
                        << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
  }
  Ran service(std::vector<std::string> words) const {
    words.insert(words.begin(), "service");
    return run(dir_, std::move(words));
  }
  std::string calls() const { return read_file(dir_.file("calls")); }
  std::string unit() const { return dir_.file("config/systemd/user/parley.service"); }
  std::string data() const { return "--data=" + dir_.file("data"); }

  core::TempFolder dir_;
};

TEST_F(ServiceCommand, Install_WritesUnitAndWaitsForItsServer) {
  stand_in("loginctl", "echo no");
  stand_in_for_systemd();
  const Ran ran = service({"install", data(), "--listen", "127.0.0.1:0"});
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const std::string text = read_file(unit());
  EXPECT_THAT(text, AllOf(HasSubstr(" \"serve\" \"--data=" + dir_.file("data") + "\""),
                          HasSubstr("\"--listen=127.0.0.1:0\"\n")));
  EXPECT_EQ(mode_of(unit()), 0600U);
  EXPECT_THAT(calls(), HasSubstr("systemctl --user daemon-reload\n"
                                 "systemctl --user enable parley.service\n"
                                 "systemctl --user restart parley.service\n"));
  const Ran status = run(dir_, {"status", data()});
  EXPECT_EQ(status.status, 0) << status.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr(unit()), HasSubstr("at http://127.0.0.1:"),
                             HasSubstr("`loginctl enable-linger`")));
  // Again, with other flags: its own server is replaced.
  stand_in("loginctl", "echo yes");
  const Ran again =
      service({"install", data(), "--listen", "127.0.0.1:0", "--log-level", "warn", "--json"});
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_THAT(read_file(unit()), HasSubstr("--log-level=warn"));
  const boost::json::value json = boost::json::parse(again.out);
  EXPECT_EQ(json.at("linger"), "yes");
  EXPECT_THAT(std::string(json.at("url").as_string()), StartsWith("http://127.0.0.1:"));
}

// systemd starts it again and again, and calls it "activating".
TEST_F(ServiceCommand, ServerThatEnds_IsNotSaidToRun) {
  stand_in("systemctl",
           "case $2 in " +
               unit_state("0", "ActiveState=activating SubState=auto-restart Result=exit-code") +
               "esac");
  const Ran ran = service({"install", data()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.errors,
              AllOf(HasSubstr("exit-code"), HasSubstr("`journalctl --user -u parley`")));
  const Ran status = service({"status"});
  EXPECT_EQ(status.status, 5);
  EXPECT_THAT(status.out, AllOf(HasSubstr("activating (auto-restart)"), HasSubstr("journalctl")));
}

// Another process has taken the directory in the meantime.
TEST_F(ServiceCommand, ServerOfAnotherProcess_IsNotTakenForTheService) {
  const Server server(dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data")});
  const std::string flag = dir_.file("restarted");
  stand_in("systemctl", "case $2 in restart) touch '" + flag + "';; show) [ -e '" + flag +
                            "' ] && echo MainPID=1 || echo MainPID=" + process_of(dir_) +
                            "; echo ActiveState=active; echo SubState=running;; esac");
  const Ran ran = service({"install", data()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("Process " + process_of(dir_)), HasSubstr("journalctl")));
}

TEST_F(ServiceCommand, DryRun_PrintsUnitAndChangesNothing) {
  const Ran ran = service({"install", "--dry-run", data()});
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.out, AllOf(StartsWith("# " + unit() + "\n"), HasSubstr("\nExecStart=\"")));
  EXPECT_FALSE(fs::exists(unit()));
  EXPECT_EQ(calls(), "");
}

// The service does not have the variables of the shell, and starts elsewhere.
TEST_F(ServiceCommand, FilesAndDirectory_AreNamedInFull) {
  fs::create_directories(dir_.file("config/parley"));
  std::ofstream(dir_.file("config/parley/parley.toml")) << "shards = 2\n";
  auto start = command(
      dir_, {"service", "install", "--dry-run", "--tls-cert", "c.pem", "--tls-key", "k.pem"});
  start.env["PARLEY_DATA"] = "relative";
  auto process = conformance::Process::start(start);
  ASSERT_TRUE(process.has_value());
  std::string out;
  while ((*process)->read_some(out, in_ms(kPatience)).value_or(false)) {
  }
  EXPECT_EQ((*process)->wait(in_ms(kPatience)).value_or(-1), 0) << (*process)->errors();
  EXPECT_THAT(out, AllOf(HasSubstr("\"--config=" + dir_.file("config/parley/parley.toml") + "\""),
                         HasSubstr("\"--data=" + dir_.file("relative") + "\""),
                         HasSubstr("\"--tls-cert=" + dir_.file("c.pem") + "\"")));
}

TEST_F(ServiceCommand, InvalidFlag_InstallsNothing) {
  const Ran ran = service({"install", "--listen", "nonsense"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_FALSE(fs::exists(unit()));
  EXPECT_EQ(service({"install", data() + "\nx"}).status, 2);
}

TEST_F(ServiceCommand, UnreachableSystemd_IsExplained) {
  stand_in("systemctl", "echo 'Failed to connect to bus: No medium found' >&2; exit 1");
  const Ran ran = service({"install", data()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("No medium found"), HasSubstr("loginctl enable-linger")));
  EXPECT_FALSE(fs::exists(unit()));
}

TEST_F(ServiceCommand, NoSystemd_NamesAnotherWay) {
  auto start = command(dir_, {"service", "install", data()});
  start.env["PATH"] = dir_.file("empty");
  auto process = conformance::Process::start(start);
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ((*process)->wait(in_ms(kPatience)).value_or(-1), 1);
  EXPECT_THAT((*process)->errors(), HasSubstr("--dry-run"));
  EXPECT_FALSE(fs::exists(unit()));
}

TEST_F(ServiceCommand, UnitOfSomebodyElse_IsLeftAlone) {
  fs::create_directories(fs::path(unit()).parent_path());
  std::ofstream(unit()) << "[Unit]\n";
  for (const char* word : {"install", "uninstall"}) {
    const Ran ran = service({word});
    EXPECT_EQ(ran.status, 1);
    EXPECT_THAT(ran.errors, HasSubstr("not from Parley"));
  }
  EXPECT_EQ(read_file(unit()), "[Unit]\n");
  EXPECT_THAT(calls(), Not(HasSubstr("disable")));
}

TEST_F(ServiceCommand, RunningServer_IsNotFoughtOver) {
  const Server server(dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data")});
  // The service may run too, with another directory.
  for (const char* pid : {"0", "1"}) {
    stand_in_for_service(pid);
    const Ran ran = service({"install", data()});
    EXPECT_EQ(ran.status, 6);
    EXPECT_THAT(ran.errors, HasSubstr("runs already"));
    EXPECT_FALSE(fs::exists(unit()));
  }
}

TEST_F(ServiceCommand, FailedStart_SaysWhichStep) {
  stand_in("systemctl", "case $2 in restart) echo 'Job failed' >&2; exit 1;; esac");
  const Ran ran = service({"install", data()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("restart"), HasSubstr("Job failed")));
}

TEST_F(ServiceCommand, Uninstall_StopsAndRemoves) {
  const Server server(dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data")});
  stand_in_for_service(process_of(dir_));
  ASSERT_EQ(service({"install", data()}).status, 0);
  EXPECT_EQ(boost::json::parse(service({"uninstall", "--dry-run", "--json"}).out).at("removed"),
            false);
  EXPECT_TRUE(fs::exists(unit()));
  const Ran ran = service({"uninstall", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(boost::json::parse(ran.out).at("removed"), true);
  EXPECT_FALSE(fs::exists(unit()));
  EXPECT_THAT(calls(), HasSubstr("systemctl --user disable --now parley.service\n"));
  EXPECT_THAT(service({"uninstall"}).out, HasSubstr("not installed"));
}

TEST_F(ServiceCommand, Status_FollowsSystemd) {
  EXPECT_EQ(service({"status"}).status, 5);
  const Server server(dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data")});
  stand_in_for_service(process_of(dir_));
  ASSERT_EQ(service({"install", data()}).status, 0);
  const Ran shown = service({"status"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr("active (running), process " + process_of(dir_)));
  const boost::json::value on = boost::json::parse(service({"status", "--json"}).out);
  EXPECT_EQ(on.at("installed"), true);
  EXPECT_EQ(on.at("active"), "active");
  EXPECT_EQ(on.at("enabled"), "enabled");
  stand_in(
      "systemctl",
      "case $2 in " + unit_state("0", "ActiveState=failed SubState=failed Result=signal") + "esac");
  const Ran off = service({"status"});
  EXPECT_EQ(off.status, 5);
  EXPECT_THAT(off.out, AllOf(HasSubstr("failed"), HasSubstr("journalctl")));
  stand_in("systemctl", "exit 1");
  EXPECT_THAT(service({"status"}).out, HasSubstr("systemd does not answer"));
}

}  // namespace
}  // namespace parley::tests
