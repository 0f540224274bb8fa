// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The real server with the files of another front end, and the requests of that front end.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFrontEndToken = "a-token-of-the-front-end-test";

class FrontEnd : public ::testing::Test {
 protected:
  FrontEnd() {
    write("site/index.html", "<!doctype html><title>Theirs</title><script>alert(1)</script>");
    write("site/assets/main.js", "export const theirs = 1;");
    write("site/.env", "SECRET=1");
    write("secret.txt", "outside");
    std::filesystem::create_symlink(dir_.file("secret.txt"), dir_.file("site/link.txt"));
  }
  void write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path(dir_.file(name));
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << bytes;
  }
  std::vector<std::string> flags(const std::string& site) const {
    return {"--listen", "127.0.0.1:0",  "--data",      dir_.file("data"),
            "--token",  kFrontEndToken, "--front-end", dir_.file(site)};
  }

  const core::TempFolder dir_;
};

TEST_F(FrontEnd, FrontEnd_IsServedAtRoot_ConsoleBeside) {
  const Server server(dir_, flags("site"));
  for (const char* path : {"/", "/login", "/comfy/workflows/7"}) {
    const auto page = server.call("GET", path, "");
    EXPECT_EQ(page.status, 200) << path;
    EXPECT_THAT(page.body, HasSubstr("Theirs")) << path;
  }
  const auto head = server.start("GET", "/", "")->head(in_ms(kPatience));
  ASSERT_TRUE(head);
  EXPECT_THAT(std::string(head->headers.at("content-security-policy").as_string()),
              HasSubstr("script-src 'self' 'sha256-"));
  EXPECT_THAT(server.call("GET", "/assets/main.js", "").body, HasSubstr("theirs"));
  for (const char* path : {"/.env", "/link.txt", "/../secret.txt", "/%2e%2e/secret.txt",
                           "/assets/..%2f..%2fsecret.txt", "/assets/gone.js", "/api/v1/nothing",
                           "/ws/nothing", "/loom/nothing"}) {
    const auto answer = server.call("GET", path, kFrontEndToken);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_THAT(answer.body, Not(HasSubstr("outside"))) << path;
    EXPECT_THAT(answer.body, Not(HasSubstr("SECRET"))) << path;
  }
  const auto console = server.call("GET", "/console/", "");
  EXPECT_EQ(console.status, 200);
  EXPECT_THAT(console.body, Not(HasSubstr("Theirs")));
  EXPECT_EQ(server.call("GET", "/?token=T", "").status, 302);
  EXPECT_EQ(server.call("GET", "/v1/me", kFrontEndToken).status, 200);
}

TEST_F(FrontEnd, FolderWithoutPage_IsUsageError) {
  for (const char* site : {"nothing", "data"}) {
    std::filesystem::create_directories(dir_.file("data"));
    std::vector<std::string> arguments = flags(site);
    arguments.insert(arguments.begin(), "serve");
    const Ran ran = run(dir_, arguments);
    EXPECT_EQ(ran.status, 2) << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr("--front-end"));
  }
}

// Requests of a front end before its first message, in its order.
TEST_F(FrontEnd, RequestsBeforeChat_AreServed) {
  const auto begin = [](const Server& server) {
    for (const char* path :
         {"/api/v1/agents/runtime/getUserAgentConfigs", "/api/v1/agents/runtime/enabled",
          "/api/v1/workflows?comfyuiServerId=1", "/api/v1/models/enabled?modelCallingType=api_llm",
          "/api/v1/files/user"}) {
      const auto answer = server.call("GET", path, kFrontEndToken);
      EXPECT_EQ(answer.status, 200) << path;
      EXPECT_EQ(answer.json().at("code"), 200) << path << answer.body;
    }
    return server.call("GET", "/api/v1/workflows", kFrontEndToken).json().at("data").as_array();
  };
  std::string id;
  {
    Server server(dir_, flags("site"));
    EXPECT_TRUE(begin(server).empty());
    const auto created = server.call("POST", "/api/v1/workflows", kFrontEndToken,
                                     R"({"workflowName":"Mine","comfyuiServerId":"1"})");
    id = std::string(created.json().at("data").at("id").as_string());
    const auto saved = server.call("POST", "/api/v1/workflows/" + id + "/content", kFrontEndToken,
                                   R"({"content":"{\"nodes\":[],\"links\":[]}"})");
    EXPECT_EQ(saved.json().at("code"), 200) << saved.body;
    const auto models = server.call("GET", "/api/v1/models/enabled", kFrontEndToken);
    EXPECT_THAT(models.body, HasSubstr("offline/demo"));
    server.signal(SIGKILL);
    server.wait();
  }
  Server again(dir_, flags("site"));
  ASSERT_EQ(begin(again).size(), 1U);
  EXPECT_THAT(again.call("GET", "/api/v1/workflows/" + id + "/content", kFrontEndToken).body,
              HasSubstr("nodes"));
  EXPECT_EQ(mode_of(dir_.file("data/front_end.db")), 0600U);
}

}  // namespace
}  // namespace parley::tests
