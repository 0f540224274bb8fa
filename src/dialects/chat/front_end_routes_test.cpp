// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Agents, models and workflows as front ends use them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "identity/access/access_table.h"
#include "tests/support/chat/front_end_server_world.h"

namespace parley::chat {
namespace {

using agent::testing::FakeReply;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Wrapped = FrontEndServer::Answer;

constexpr const char* kAgents = "/api/v1/agents";
constexpr const char* kWorkflows = "/api/v1/workflows";
constexpr const char* kUpdate = "/api/v1/agents/runtime/updateUserAgentConfig";
constexpr const char* kConfigs = "/api/v1/agents/runtime/getUserAgentConfigs";

std::string quoted(const std::string& text) {
  return boost::json::serialize(boost::json::value(text));
}
std::string workflow_text(const std::string& title) {
  return R"({"nodes":[],"links":[],"version":0.4,"extra":{"title":")" + title + "\"}}";
}
std::string content_of(const std::string& title) {
  return "{\"content\":" + quoted(workflow_text(title)) + "}";
}

class FrontEndRoutes : public ::testing::Test {
 protected:
  std::string make_workflow(const std::string& name, const std::string& token = "tok") {
    const Wrapped created = server_.call(
        "POST", kWorkflows, R"({"workflowName":")" + name + R"(","comfyuiServerId":"7"})",
        "application/json", token);
    EXPECT_EQ(created.code, 200) << created.body;
    return text_at(created.data, "id");
  }
  std::string agent_id(const std::string& code) {
    const Wrapped all = server_.get(kAgents);
    for (const auto& agent : all.data.as_array()) {
      if (text_at(agent, "agentCode") == code) return text_at(agent, "id");
    }
    return {};
  }
  Wrapped configure(const std::string& agent, const std::string& config,
                    const std::string& token = "tok") {
    return server_.call("POST", kUpdate, "agentCode=" + agent + "&agentConfig=" + config,
                        "application/x-www-form-urlencoded", token);
  }

  FrontEndServer server_;
};

// --- messages of a session ----------------------------------------------------------------------

TEST_F(FrontEndRoutes, Messages_AreListedForSoManyAtOnce) {
  const std::string path = "/api/v1/sessions/" + server_.world.code + "/messages";
  std::atomic<int>& open = server_.world.context->open_lists;
  open = kMaxMessageLists;
  EXPECT_THAT(server_.get(path).body, HasSubstr("Too many messages are being listed"));
  open = kMaxMessageLists - 1;
  EXPECT_EQ(server_.get(path).code, 200);
  EXPECT_EQ(open, kMaxMessageLists - 1) << "a place is free again";
}

TEST_F(FrontEndRoutes, AllowedTools_AreListedAndTakenBack) {
  const auto allow = [this](const std::string& owner, const AllowedTool& tool) {
    server_.world.sessions->allow(owner, tool, server_.world.runs.scheduler,
                                  [](const core::Result<void>& done) { EXPECT_TRUE(done); });
  };
  allow("alice", {{"echo", "mcp:files"}, ""});
  allow("alice", {{"echo", "builtin"}, ""});
  allow("alice", {{"echo", "builtin"}, server_.world.code});
  allow("bob", {{"theirs", "builtin"}, ""});
  server_.world.run();
  const Wrapped all = server_.get("/api/v1/allowed-tools");
  EXPECT_EQ(all.data.as_array().size(), 3U);
  EXPECT_THAT(all.body, Not(HasSubstr("theirs")));
  EXPECT_THAT(all.body,
              HasSubstr(R"({"toolName":"echo","source":"mcp:files","sessionCode":null})"));
  const std::string of_one = "/api/v1/allowed-tools/echo?source=mcp:files";
  EXPECT_EQ(server_.call("DELETE", of_one, "", "application/json", "tok").code, 200);
  EXPECT_EQ(server_.get("/api/v1/allowed-tools").data.as_array().size(), 2U);
  EXPECT_EQ(
      server_.call("DELETE", "/api/v1/allowed-tools/echo", "", "application/json", "tok").code,
      200);
  const Wrapped left = server_.get("/api/v1/allowed-tools");
  ASSERT_EQ(left.data.as_array().size(), 1U);
  EXPECT_EQ(text_at(left.data.as_array()[0], "sessionCode"), server_.world.code);
}

// --- agents --------------------------------------------------------------------------------------

TEST_F(FrontEndRoutes, Agents_BeginWithFrontEndAgent) {
  const Wrapped all = server_.get(kAgents);
  EXPECT_EQ(all.code, 200);
  const auto& first = all.data.as_array().front();
  EXPECT_EQ(text_at(first, "agentCode"), "WORKFLOW_CHAT");
  EXPECT_EQ(text_at(first, "status"), "ENABLED");
  const auto& definition = first.at("agentConfigDefinitions").as_array().front();
  EXPECT_EQ(text_at(definition, "name"), "llmModelIdentifier");
  EXPECT_EQ(text_at(definition, "type"), "MODEL");
  EXPECT_TRUE(definition.at("userOverride").as_bool());
  EXPECT_FALSE(definition.at("require").as_bool());
  std::set<std::string> ids;
  for (const auto& agent : all.data.as_array()) {
    const std::string id = text_at(agent, "id");
    EXPECT_EQ(id.find_first_not_of("0123456789"), std::string::npos);
    EXPECT_TRUE(ids.insert(id).second);
    const Wrapped one = server_.get(std::string(kAgents) + "/" + id);
    EXPECT_EQ(one.data, agent);
  }
  EXPECT_GT(ids.size(), 3U);
  EXPECT_EQ(server_.get(std::string(kAgents) + "/7").code, 500);
  EXPECT_EQ(server_.get(std::string(kAgents) + "/x").code, 500);
}

TEST_F(FrontEndRoutes, RuntimeAgents_AreEnabledAgents) {
  const std::string id = agent_id("dev");
  const Wrapped off = server_.call("POST", std::string(kAgents) + "/" + id + "/disable");
  EXPECT_EQ(text_at(off.data, "status"), "DISABLED");
  const Wrapped runtime = server_.get(std::string(kAgents) + "/runtime/enabled");
  EXPECT_THAT(runtime.body, Not(HasSubstr("\"dev\"")));
  EXPECT_THAT(runtime.body, Not(HasSubstr("agentScopeConfig")));
  EXPECT_THAT(server_.get(kConfigs).body, Not(HasSubstr("\"dev\"")));
  EXPECT_EQ(server_.get(std::string(kAgents) + "/runtime/code/dev").code, 500);
  EXPECT_EQ(server_.get(std::string(kAgents) + "/runtime/code/nobody").code, 500);
  server_.call("POST", std::string(kAgents) + "/" + id + "/enable");
  EXPECT_EQ(text_at(server_.get(std::string(kAgents) + "/runtime/code/dev").data, "id"), id);
}

TEST_F(FrontEndRoutes, SwitchingAgent_NeedsAdmin) {
  server_.world.tokens.allow("plain", "carol", "Carol",
                             auth::Rights{auth::Right::read, auth::Right::run});
  const std::string path = std::string(kAgents) + "/" + agent_id("dev") + "/disable";
  EXPECT_EQ(server_.call("POST", path, "", "", "plain").status, 403);
  EXPECT_TRUE(server_.world.front_end->agents().enabled("dev"));
}

TEST_F(FrontEndRoutes, DisabledAgent_RunsNothing) {
  server_.call("POST", std::string(kAgents) + "/" + agent_id("WORKFLOW_CHAT") + "/disable");
  ChatPeer peer(server_.world, Generation::second);
  peer.message("1", "Hi", "{}");
  const auto told = peer.told();
  EXPECT_THAT(told, ElementsAre("ERROR The agent \"WORKFLOW_CHAT\" is switched off."));
  EXPECT_TRUE(server_.world.runs.models.model->requests.empty());
}

TEST_F(FrontEndRoutes, Configuration_IsPerUser_BlankByDefault) {
  const std::string model = server_.world.runs.models.model->id();
  const std::string config = R"({"llmModelIdentifier":")" + model + "\"}";
  const Wrapped done = configure("WORKFLOW_CHAT", config);
  EXPECT_EQ(text_at(done.data, "agentConfig"), config);
  const auto first = [this](const std::string& token) {
    return text_at(server_.get(kConfigs, token).data.as_array().front(), "agentConfig");
  };
  EXPECT_EQ(first("tok"), config);
  EXPECT_EQ(first("other"), "{}");
  EXPECT_EQ(text_at(server_.get(kConfigs).data.as_array().front(), "agentCode"), "WORKFLOW_CHAT");
  const Wrapped by_query =
      server_.call("POST", std::string(kUpdate) + "?agentCode=dev&agentConfig=%7B%7D");
  EXPECT_EQ(by_query.code, 200) << by_query.body;
}

TEST_F(FrontEndRoutes, ConfiguredModel_IsUsedByRun) {
  const auto set = [this](const std::string& agent, const std::string& config) {
    std::optional<core::Result<void>> done;
    server_.world.front_end->run<void>(
        server_.world.runs.scheduler, 0,
        [&](const front_end::FrontEndStore::Tables& tables) {
          return tables.agents.set_config("alice", agent, config);
        },
        [&](core::Result<void> result) { done = std::move(result); });
    server_.world.wait([&] { return done.has_value(); });
  };
  ChatPeer peer(server_.world, Generation::second);
  set("WORKFLOW_CHAT", R"({"llmModelIdentifier":"gone/model"})");
  peer.message("1", "Hi", "{}");
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("no model \"gone/model\"")));
  server_.world.runs.models.model->replies = {FakeReply::text("Hello.")};
  peer.message("2", "Hi", R"({"agentCode":"dev"})");
  EXPECT_THAT(peer.told(), testing::Contains("COMPLETE"));
  set("dev", R"({"llmModelIdentifier":"gone/too"})");
  peer.message("3", "Hi", R"({"agentCode":"dev"})");
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("no model \"gone/too\"")));
}

TEST_F(FrontEndRoutes, BadConfigurations_AreRefused) {
  EXPECT_THAT(server_.call("POST", kUpdate).message, HasSubstr("\"agentCode\" is missing"));
  EXPECT_THAT(server_.call("POST", std::string(kUpdate) + "?agentCode=dev").message,
              HasSubstr("\"agentConfig\" is missing"));
  EXPECT_EQ(configure("dev", "no JSON").status, 400);
  EXPECT_EQ(configure("dev", "[]").status, 400);
  EXPECT_EQ(configure("dev", R"({"llmModelIdentifier":7})").status, 400);
  EXPECT_THAT(configure("dev", R"({"llmModelIdentifier":"no/such"})").message,
              HasSubstr("no/such"));
  EXPECT_EQ(configure("dev", "{\"x\":\"" + std::string(20'000, 'x') + "\"}").status, 400);
  EXPECT_EQ(configure("nobody", "{}").code, 500);
  EXPECT_THAT(server_.get(kConfigs).body, Not(HasSubstr("nobody")));
}

// --- models --------------------------------------------------------------------------------------

TEST_F(FrontEndRoutes, Models_AreOfServer) {
  model::ModelInfo info;
  info.id = "acme/large";
  info.name = "large";
  info.provider = "acme";
  info.media.add(model::MediaKind::image);
  server_.world.runs.models.listing.models = {info};
  server_.world.runs.models.listing.failures = {{"broken", "it does not answer"}};
  const Wrapped enabled = server_.get("/api/v1/models/enabled?modelCallingType=api_llm");
  const auto& model = enabled.data.as_array().front();
  EXPECT_EQ(text_at(model, "modelIdentifier"), "acme/large");
  EXPECT_EQ(text_at(model, "modelDisplayName"), "large");
  const std::string id = text_at(model, "id");
  EXPECT_EQ(id.find_first_not_of("0123456789"), std::string::npos);
  EXPECT_EQ(text_at(server_.get("/api/v1/models/" + id).data, "modelIdentifier"), "acme/large");
  EXPECT_EQ(text_at(server_.get("/api/v1/models/" + id).data, "modelConfig"),
            R"({"supportImageMultimodal":true,"supportAudioMultimodal":false,)"
            R"("supportVideoMultimodal":false,"supportPdfFileMultimodal":false})");
  EXPECT_EQ(server_.get("/api/v1/models/8").code, 500);
  EXPECT_EQ(server_.get("/api/v1/models").data.as_array().size(), 1U);
  EXPECT_TRUE(server_.get("/api/v1/models/enabled?modelCallingType=x").data.as_array().empty());
  const Wrapped providers = server_.get("/api/v1/model-providers");
  ASSERT_EQ(providers.data.as_array().size(), 2U);
  const boost::json::value& provider = providers.data.as_array()[0];
  EXPECT_EQ(server_.get("/api/v1/model-providers/" + text_at(provider, "id")).data, provider);
  EXPECT_EQ(server_.get("/api/v1/model-providers/8").code, 500);
  EXPECT_EQ(server_.get("/api/v1/models/config-format?modelCallingType=x").status, 400);
  const Wrapped format = server_.get("/api/v1/models/config-format?modelCallingType=api_llm");
  EXPECT_TRUE(boost::json::parse(std::string(format.data.as_string())).is_object());
}

TEST_F(FrontEndRoutes, ChangesOfModels_SayWhereToMakeThem) {
  int refused = 0;
  for (const access::Row& row : access::rows()) {
    const bool models = row.where.starts_with("/api/v1/model");
    if (!models || row.method == "GET") continue;
    ++refused;
    std::string target(row.where);
    if (target.find("{id}") != std::string::npos) target.replace(target.find("{id}"), 4, "7");
    const Wrapped answer = server_.call(row.method, target, R"({"apiKey":"secret"})");
    EXPECT_EQ(answer.code, 500) << target;
    EXPECT_THAT(answer.message, HasSubstr("parley.toml")) << target;
    EXPECT_THAT(answer.body, Not(HasSubstr("secret"))) << target;
  }
  EXPECT_EQ(refused, 8);
}

// --- workflows -----------------------------------------------------------------------------------

TEST_F(FrontEndRoutes, Workflow_IsMadeFilledChangedAndDeleted) {
  const std::string id = make_workflow("First");
  const std::string path = std::string(kWorkflows) + "/" + id;
  EXPECT_TRUE(server_.get(path + "/content").data.is_null());
  const Wrapped saved = server_.call("POST", path + "/content", content_of("a"));
  EXPECT_EQ(text_at(saved.data, "activeContent"), workflow_text("a"));
  EXPECT_EQ(text_at(saved.data, "activeContentHash").size(), 64U);
  EXPECT_EQ(server_.get(path + "/content").data.as_string(), workflow_text("a"));
  const Wrapped changed = server_.call("PUT", path, R"({"workflowName":"Second","id":"9"})");
  EXPECT_EQ(text_at(changed.data, "workflowName"), "Second");
  EXPECT_EQ(text_at(changed.data, "id"), id);
  make_workflow("Elsewhere");
  const Wrapped listed = server_.get(std::string(kWorkflows) + "?comfyuiServerId=7");
  EXPECT_EQ(listed.data.as_array().size(), 2U);
  EXPECT_TRUE(server_.get(std::string(kWorkflows) + "?comfyuiServerId=8").data.as_array().empty());
  EXPECT_EQ(server_.call("DELETE", path).code, 200);
  EXPECT_EQ(server_.get(path).code, 500);
  EXPECT_EQ(server_.get(path).status, 200);
}

TEST_F(FrontEndRoutes, ServerOfWorkflow_MayBeNumber) {
  const Wrapped created =
      server_.call("POST", kWorkflows, R"({"workflowName":"One","comfyuiServerId":12})");
  EXPECT_EQ(text_at(created.data, "comfyuiServerId"), "12");
}

TEST_F(FrontEndRoutes, Versions_AreListedAndRead) {
  const std::string path = std::string(kWorkflows) + "/" + make_workflow("First") + "/versions";
  std::string body = content_of("a");
  body.insert(1, R"("changeSummary":"begin","sessionId":"session_1",)");
  EXPECT_EQ(text_at(server_.call("POST", path, body).data, "versionCode"), "v1");
  const Wrapped second = server_.call("POST", path, content_of("b"));
  EXPECT_EQ(text_at(second.data, "fromVersionCode"), "v1");
  const Wrapped one = server_.get(path + "/v1");
  EXPECT_EQ(text_at(one.data, "content"), workflow_text("a"));
  EXPECT_EQ(text_at(one.data, "changeSummary"), "begin");
  EXPECT_EQ(text_at(one.data, "sessionId"), "session_1");
  EXPECT_EQ(server_.get(path).data.as_array().size(), 2U);
  for (const char* code : {"/v3", "/3", "/v0", "/x"}) {
    EXPECT_EQ(server_.get(path + code).code, 500) << code;
  }
}

TEST_F(FrontEndRoutes, BadInputOfWorkflows_NamesField) {
  const std::string one = std::string(kWorkflows) + "/" + make_workflow("First");
  struct Case {
    std::string path;
    std::string body;
    std::string says;
  };
  const std::vector<Case> cases = {
      {kWorkflows, "", "workflowName"},
      {kWorkflows, "no JSON", "JSON object"},
      {kWorkflows, "[]", "JSON object"},
      {kWorkflows, "{}", "workflowName"},
      {kWorkflows, R"({"workflowName":7})", "\"workflowName\" must be a string"},
      {kWorkflows, R"({"workflowName":"x"})", "2 to 100"},
      {kWorkflows, R"({"workflowName":"ok","description":[]})", "description"},
      {kWorkflows, R"({"workflowName":"ok","comfyuiServerId":{}})", "comfyuiServerId"},
      {kWorkflows, R"({"workflowName":"ok","description":")" + std::string(5'000, 'x') + "\"}",
       "description"},
      {one + "/content", "", "\"content\" is missing"},
      {one + "/content", "{}", "\"content\" is missing"},
      {one + "/content", R"({"content":{}})", "\"content\" must be a string"},
      {one + "/content", R"({"content":"no JSON"})", ""},
      {one + "/content", "{\"content\":\"" + std::string(9U << 20U, ' ') + "\"}", ""},
      {one + "/versions", R"({"content":"[]"})", ""},
      {one + "/versions", content_of("a").insert(1, R"("fromVersionCode":7,)"), "fromVersionCode"},
  };
  for (const Case& bad : cases) {
    const Wrapped answer = server_.call("POST", bad.path, bad.body);
    EXPECT_EQ(answer.status, 400) << bad.body.substr(0, 80);
    EXPECT_EQ(answer.code, 400) << bad.body.substr(0, 80);
    EXPECT_THAT(answer.message, HasSubstr(bad.says)) << bad.body.substr(0, 80);
  }
  EXPECT_EQ(
      server_
          .call("POST", one + "/versions", content_of("a").insert(1, R"("fromVersionCode":"v9",)"))
          .code,
      500);
  EXPECT_TRUE(server_.get(one + "/content").data.is_null());
  for (const char* id : {"0", "-1", "x", "99999999999999999999", "1%20"}) {
    EXPECT_NE(server_.get(std::string(kWorkflows) + "/" + id).code, 200) << id;
  }
}

TEST_F(FrontEndRoutes, FullDisk_TakesNoContent) {
  const std::string one = std::string(kWorkflows) + "/" + make_workflow("First");
  server_.world.gate.close("There is no room.");
  const Wrapped refused = server_.call("POST", one + "/content", content_of("a"));
  EXPECT_EQ(refused.code, 500);
  EXPECT_THAT(refused.message, HasSubstr("no room"));
  EXPECT_EQ(server_.call("DELETE", one).code, 200);
}

}  // namespace
}  // namespace parley::chat
