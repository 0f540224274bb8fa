// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>

#include "base/core/temp_folder.h"
#include "program.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDoctorToken = "doctor-test-token";

class DoctorSurroundings : public ::testing::Test {
 protected:
  Ran doctor(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), "doctor");
    words.insert(words.end(), {"--data", dir_.file("data")});
    return run(dir_, std::move(words));
  }
  core::TempFolder dir_;
  const Server server_{
      dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data"), "--token", kDoctorToken}};
};

TEST_F(DoctorSurroundings, RunningServer_IsGoodNews) {
  const Ran ran = doctor();
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("answers at " + server_.url()),
                             Not(HasSubstr("Another Parley server")), Not(HasSubstr(kDoctorToken)),
                             HasSubstr("--listen 0.0.0.0:22080")));
}

// HOME of the test is not that of the user database, below which setup writes.
TEST_F(DoctorSurroundings, VariablesOfAgents_AreNamed) {
  std::filesystem::create_directories(dir_.file("bin"));
  const std::string claude = dir_.file("bin/claude");
  std::ofstream(claude) << "#!/bin/sh\n";
  std::filesystem::permissions(claude, std::filesystem::perms::owner_all);
  EXPECT_THAT(doctor().out, HasSubstr("HOME is " + dir_.path()));
}

TEST_F(DoctorSurroundings, TestPrompt_ReachesAPersonAndIsAnswered) {
  auto asking = conformance::Process::start(
      command(dir_, {"doctor", "--ask", "--json", "--data", dir_.file("data")}));
  ASSERT_TRUE(asking.has_value());
  std::string key;
  for (int i = 0; i < 2'000 && key.empty(); ++i) {
    const boost::json::value open =
        server_.call("GET", "/v1/interactions?state=pending", kDoctorToken).json();
    const boost::json::array& list = open.at("interactions").as_array();
    if (!list.empty()) key = list.front().at("key").as_string();
    ::usleep(10'000);
  }
  ASSERT_FALSE(key.empty());
  EXPECT_EQ(
      server_.call("POST", "/v1/interactions/" + key + "/answer", kDoctorToken, R"({"text":"Yes"})")
          .status,
      200);
  std::string out;
  while ((*asking)->read_some(out, in_ms(kPatience)).value_or(false)) {
  }
  EXPECT_EQ((*asking)->wait(in_ms(kPatience)).value_or(-1), 0);
  bool found = false;
  const boost::json::value findings = boost::json::parse(out);
  for (const boost::json::value& finding : findings.as_array()) {
    if (finding.at("check") != "test prompt") continue;
    found = true;
    EXPECT_EQ(finding.at("state"), "ok");
    EXPECT_THAT(std::string(finding.at("detail").as_string()), HasSubstr("answered by api, as "));
  }
  EXPECT_TRUE(found);
}

class DoctorOfDirectory : public ::testing::Test {
 protected:
  boost::json::array findings(const std::string& check) const {
    const Ran ran = run(dir_, {"doctor", "--json", "--data", dir_.file("data")});
    boost::json::array out;
    const boost::json::value all = boost::json::parse(ran.out);
    for (const boost::json::value& finding : all.as_array()) {
      if (finding.at("check") == boost::json::string_view(check)) out.push_back(finding);
    }
    return out;
  }
  core::TempFolder dir_;
};

TEST_F(DoctorOfDirectory, MissingDirectory_IsAWarningWithTheNextStep) {
  const Ran ran = run(dir_, {"doctor", "--data", dir_.file("data")});
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, Not(HasSubstr("FAULT")));
  const boost::json::array found = findings("data directory");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("state"), "warning");
  EXPECT_THAT(std::string(found[0].at("next").as_string()), HasSubstr("`parley serve`"));
  EXPECT_FALSE(std::filesystem::exists(dir_.file("data")));
}

TEST_F(DoctorOfDirectory, SecretsThatOthersCanRead_AreFaults) {
  std::filesystem::create_directories(dir_.file("data"));
  std::filesystem::permissions(dir_.file("data"), std::filesystem::perms::owner_all);
  for (const std::string name : {"token", "endpoint.json", "phone-token", "vapid.pem",
                                 "authority.key", "server.key", "tailnet.key", "mcp.key"}) {
    EXPECT_EQ(findings(name).at(0).at("state"), "ok") << name;
    std::ofstream(dir_.file("data/" + name)) << "secret";
    ASSERT_EQ(::chmod(dir_.file("data/" + name).c_str(), 0640), 0);
    const boost::json::value found = findings(name).at(0);
    EXPECT_EQ(found.at("state"), "fault") << name;
    EXPECT_THAT(std::string(found.at("next").as_string()), HasSubstr("chmod 600"));
  }
}

// The server has flags that the settings of this command do not have.
TEST_F(DoctorOfDirectory, Tls_IsThatOfTheRunningServer) {
  const Server server(dir_,
                      {"--listen", "127.0.0.1:0", "--data", dir_.file("data"), "--tls", "auto"});
  const boost::json::array found = findings("tls");
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(std::string(found[0].at("detail").as_string()), HasSubstr("auto"));
}

}  // namespace
}  // namespace parley::tests
