// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>

#include "core/temp_folder.h"
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
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace parley::tests
