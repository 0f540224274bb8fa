// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "tests/support/loom/loom_world.h"

namespace parley::loom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The text of a member; it must not need escapes.
std::string member(std::string_view message, std::string_view name) {
  const std::string head = "\"" + std::string(name) + "\":\"";
  const std::size_t at = message.find(head);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + head.size());
  return std::string(rest.substr(0, rest.find('"')));
}

class LoomRequests : public testing::Test {
 protected:
  LoomServer server{LoomOptions(), 1, true};
  LoomPeer peer{server};
};

TEST_F(LoomRequests, Ping_IsAnsweredWithItsId) {
  EXPECT_EQ(peer.ask(R"({"type":"ping","id":"7"})"), R"({"type":"pong","id":"7"})");
}

TEST_F(LoomRequests, Tools_AreListed) {
  EXPECT_EQ(peer.ask(R"({"type":"tools_list","id":"1","working_folder":"/w"})"),
            R"({"type":"tools_list","id":"1","tools":[{"name":"read","description":)"
            R"("Reads a file.","input_schema":{"type":"object","required":["path"]}}]})");
  EXPECT_EQ(server.runs->folders.back(), "/w");
}

TEST_F(LoomRequests, Tool_IsShownAsJsonOrYaml) {
  const std::string json = R"({"type":"tool_show","id":"1","tool":{"name":"read","description":)"
                           R"("Reads a file.","input_schema":{"type":"object",)"
                           R"("required":["path"]}}})";
  EXPECT_EQ(peer.ask(R"({"type":"tool_show","id":"1","name":"read"})"), json);
  EXPECT_EQ(peer.ask(R"({"type":"tool_show","id":"1","name":"read","output":"json"})"), json);
  EXPECT_EQ(peer.ask(R"({"type":"tool_show","id":"1","name":"read","output":"yaml"})"),
            R"({"type":"tool_show","id":"1","tool_yaml":"name: \"read\"\ndescription: )"
            R"(\"Reads a file.\"\ninput_schema:\n  type: \"object\"\n  required:\n)"
            R"(    - \"path\"\n"})");
  EXPECT_EQ(peer.ask(R"({"type":"tool_show","id":"2","name":"fly"})"),
            R"({"type":"error","id":"2","error":"tool not found: fly"})");
  EXPECT_THAT(peer.ask(R"({"type":"tool_show","id":"3","name":"read","output":"xml"})"),
              HasSubstr(R"("id":"3","error":"parse error: )"));
}

TEST_F(LoomRequests, Agents_AreListedBySource) {
  server.runs->agents = agent::Profiles::load("", "");
  const std::string all = peer.ask(R"({"type":"agent_list","id":"1"})");
  EXPECT_THAT(all, HasSubstr(R"({"type":"agent_list","id":"1","agents":[{"name":")"));
  EXPECT_EQ(peer.ask(R"({"type":"agent_list","id":"1","source_filter":"builtin"})"), all);
  EXPECT_EQ(peer.ask(R"({"type":"agent_list","id":"2","source_filter":"project"})"),
            R"({"type":"agent_list","id":"2","agents":[]})");
  EXPECT_THAT(peer.ask(R"({"type":"agent_list","id":"3","source_filter":"moon"})"),
              HasSubstr("parse error"));
}

TEST_F(LoomRequests, Models_AreListed) {
  EXPECT_EQ(peer.ask(R"({"type":"list_models","id":"1"})"),
            R"({"type":"list_models","id":"1","models":[{"id":"fake/one","name":"one",)"
            R"("provider":"fake"},{"id":"fake/two","name":"two","provider":"fake"}]})");
}

// Both Loom pages send the first model of the list in each run.
TEST_F(LoomRequests, Models_BeginWithDefault_EndWithDemonstration) {
  model::ModelInfo demonstration{"offline/demo", "demo", "offline", 1'000, {}, true};
  auto& registry = server.runs->registry;
  registry.models.insert(registry.models.begin(), demonstration);
  const auto ids = [this] {
    const auto all = boost::json::parse(peer.ask(R"({"type":"list_models","id":"1"})"));
    std::vector<std::string> out;
    for (const auto& model : all.at("models").as_array()) {
      out.emplace_back(model.at("id").as_string());
    }
    return out;
  };
  registry.chosen_default = "fake/two";
  EXPECT_THAT(ids(), ElementsAre("fake/two", "fake/one", "offline/demo"));
  registry.chosen_default = "offline/demo";
  EXPECT_THAT(ids(), ElementsAre("offline/demo", "fake/one", "fake/two"));
  registry.chosen_default = "other/unlisted";
  EXPECT_THAT(ids(), ElementsAre("other/unlisted", "fake/one", "fake/two", "offline/demo"));
}

TEST_F(LoomRequests, Model_IsSetForRunsOfConnection) {
  EXPECT_EQ(peer.ask(R"({"type":"set_model","id":"1","model_id":"fake/two"})"),
            R"({"type":"set_model","id":"1","success":true})");
  EXPECT_THAT(peer.ask(R"({"type":"set_model","id":"2","model_id":"fake/ten"})"),
              HasSubstr(R"("success":false,"error":"There is no model)"));
  peer.send(R"({"type":"run","id":"r","message":"x"})");
  EXPECT_EQ(server.runs->requests.back().model, "fake/two");
  peer.send(R"({"type":"run","id":"s","message":"x","model":"fake/one"})");
  EXPECT_EQ(server.runs->requests.back().model, "fake/one");
}

TEST_F(LoomRequests, Model_IsSetForSession) {
  EXPECT_EQ(peer.ask(R"({"type":"set_model","id":"1","model_id":"fake/two","session_id":"s"})"),
            R"({"type":"set_model","id":"1","success":true})");
  EXPECT_EQ(server.runs->session_models.at("s"), "fake/two");
  EXPECT_THAT(peer.ask(R"({"type":"set_model","id":"1","model_id":"x","session_id":"s"})"),
              HasSubstr(R"("success":false)"));
}

// --- workspaces ----------------------------------------------------------------------------------

TEST_F(LoomRequests, Workspaces_AreMadeListedAndRenamed) {
  EXPECT_EQ(peer.ask(R"({"type":"workspace_list","id":"1"})"),
            R"({"type":"workspace_list","id":"1","workspaces":[]})");
  const std::string created = peer.ask(R"({"type":"workspace_create","id":"2","name":"Work"})");
  const std::string id = member(created, "workspace_id");
  EXPECT_EQ(created, R"({"type":"workspace_create","id":"2","workspace_id":")" + id +
                         R"(","workspace":{"id":")" + id +
                         R"(","name":"Work","created_at_ms":1700000000000}})");
  EXPECT_EQ(peer.ask(R"({"type":"workspace_rename","id":"3","workspace_id":")" + id +
                     R"(","name":"Play"})"),
            R"({"type":"workspace_rename","id":"3","workspace_id":")" + id + R"(","name":"Play"})");
  EXPECT_THAT(peer.ask(R"({"type":"workspace_list","id":"4"})"), HasSubstr(R"("name":"Play")"));
  EXPECT_THAT(peer.ask(R"({"type":"workspace_create","id":"5"})"), Not(HasSubstr("name")));
}

TEST_F(LoomRequests, Threads_AreAddedListedAndRemoved) {
  const std::string id =
      member(peer.ask(R"({"type":"workspace_create","id":"1"})"), "workspace_id");
  const auto request = [&](std::string_view type, std::string_view thread) {
    return peer.ask(R"({"type":")" + std::string(type) + R"(","id":"2","workspace_id":")" + id +
                    R"(","thread_id":")" + std::string(thread) + "\"}");
  };
  EXPECT_EQ(
      request("workspace_thread_add", "a"),
      R"({"type":"workspace_thread_add","id":"2","workspace_id":")" + id + R"(","thread_id":"a"})");
  request("workspace_thread_add", "b");
  request("workspace_thread_add", "a");
  EXPECT_EQ(request("workspace_thread_list", ""),
            R"({"type":"workspace_thread_list","id":"2","workspace_id":")" + id +
                R"(","threads":[{"thread_id":"b","created_at_ms":1700000000000},)"
                R"({"thread_id":"a","created_at_ms":1700000000000}]})");
  EXPECT_EQ(request("workspace_thread_remove", "b"),
            R"({"type":"workspace_thread_remove","id":"2","workspace_id":")" + id +
                R"(","thread_id":"b"})");
  EXPECT_THAT(request("workspace_thread_list", ""), Not(HasSubstr("\"b\"")));
}

TEST_F(LoomRequests, WorkspaceOfOtherOwner_IsNotFound) {
  const std::string id =
      member(peer.ask(R"({"type":"workspace_create","id":"1"})"), "workspace_id");
  LoomPeer bob(server, "other");
  for (const char* type : {"workspace_thread_list", "workspace_thread_add",
                           "workspace_thread_remove", "workspace_rename"}) {
    EXPECT_EQ(bob.ask(R"({"type":")" + std::string(type) + R"(","id":"2","workspace_id":")" + id +
                      R"(","thread_id":"t","name":"n"})"),
              R"({"type":"error","id":"2","error":")" + std::string(type) +
                  ": workspace not found: " + id + "\"}");
  }
  EXPECT_EQ(bob.ask(R"({"type":"workspace_list","id":"3"})"),
            R"({"type":"workspace_list","id":"3","workspaces":[]})");
}

TEST_F(LoomRequests, Run_PutsThreadIntoWorkspace) {
  const std::string id =
      member(peer.ask(R"({"type":"workspace_create","id":"1"})"), "workspace_id");
  peer.send(R"({"type":"run","id":"r","message":"x","thread_id":"th","workspace_id":")" + id +
            "\"}");
  EXPECT_THAT(peer.ask(R"({"type":"workspace_thread_list","id":"2","workspace_id":")" + id + "\"}"),
              HasSubstr(R"("thread_id":"th")"));
}

TEST(LoomRequestsAlone, MissingWorkspaceStore_IsTold) {
  LoomServer server;
  LoomPeer peer(server);
  for (const char* type : {"workspace_list", "workspace_create", "user_messages"}) {
    EXPECT_EQ(peer.ask(R"({"type":")" + std::string(type) + R"(","id":"1","thread_id":"t"})"),
              "{\"type\":\"error\",\"id\":\"1\",\"error\":"
              "\"workspace store not configured (set WORKSPACE_DB)\"}");
  }
}

// --- messages of threads ------------------------------------------------------------------------

TEST_F(LoomRequests, UserMessages_NeedThread) {
  EXPECT_EQ(peer.ask(R"({"type":"user_messages","id":"1"})"),
            R"({"type":"error","id":"1","error":"thread_id is required"})");
  EXPECT_EQ(peer.ask(R"({"type":"user_messages","id":"1","thread_id":"nowhere"})"),
            R"({"type":"user_messages","id":"1","thread_id":"nowhere","messages":[],)"
            R"("has_more":false})");
}

TEST_F(LoomRequests, UserMessages_WithoutPosition_AreOldestPage) {
  for (int i = 1; i <= 3; ++i) {
    peer.send(R"({"type":"run","id":"r","message":"ask )" + std::to_string(i) +
              R"(","thread_id":"th"})");
    server.runs->finish(server.runs->last(), "answer " + std::to_string(i));
    server.run();
  }
  EXPECT_THAT(peer.ask(R"({"type":"user_messages","id":"1","thread_id":"th","limit":2})"),
              HasSubstr(R"("messages":[{"role":"user","content":"ask 1"},)"
                        R"({"role":"assistant","content":"answer 1"}],"has_more":true,)"
                        R"("next_after":2})"));
  EXPECT_THAT(peer.ask(R"({"type":"user_messages","id":"1","thread_id":"th","after":2,"limit":3})"),
              HasSubstr(R"("messages":[{"role":"user","content":"ask 2"},)"
                        R"({"role":"assistant","content":"answer 2"},)"
                        R"({"role":"user","content":"ask 3"}],"has_more":true,"next_after":5})"));
  EXPECT_THAT(peer.ask(R"({"type":"user_messages","id":"1","thread_id":"th","after":5})"),
              HasSubstr(R"("messages":[{"role":"assistant","content":"answer 3"}],)"
                        R"("has_more":false})"));
}

TEST_F(LoomRequests, UserMessages_BeforePosition_AreNewestPage) {
  for (int i = 1; i <= 3; ++i) {
    peer.send(R"({"type":"run","id":"r","message":"ask )" + std::to_string(i) +
              R"(","thread_id":"th"})");
    server.runs->finish(server.runs->last(), "answer " + std::to_string(i));
    server.run();
  }
  peer.ask(R"({"type":"user_messages","id":"1","thread_id":"th"})");
  EXPECT_THAT(
      peer.ask(R"({"type":"user_messages","id":"2","thread_id":"th","limit":3,"before":5})"),
      HasSubstr(R"("messages":[{"role":"assistant","content":"answer 1"},)"
                R"({"role":"user","content":"ask 2"},{"role":"assistant","content":"answer 2"}],)"
                R"("has_more":true,"next_before":2})"));
  EXPECT_THAT(peer.ask(R"({"type":"user_messages","id":"3","thread_id":"th","before":2})"),
              HasSubstr(R"("messages":[{"role":"user","content":"ask 1"}],"has_more":false})"));
}

TEST_F(LoomRequests, PageOfUserMessages_IsBoundedInBytes) {
  for (int i = 1; i <= 6; ++i) {
    peer.send(R"({"type":"run","id":"r","message":")" + std::string(900U << 10U, 'x') +
              R"(","thread_id":"th"})");
    server.runs->finish(server.runs->last(), "");
    server.run();
  }
  const std::string page = peer.ask(R"({"type":"user_messages","id":"1","thread_id":"th"})");
  EXPECT_LT(page.size(), 5U << 20U);
  EXPECT_THAT(page, HasSubstr(R"("has_more":true,"next_after":5})"));
}

TEST_F(LoomRequests, UserMessagesOfOtherToken_AreNotShown) {
  peer.send(R"({"type":"run","id":"r","message":"secret","thread_id":"th"})");
  server.runs->finish(server.runs->last(), "told");
  server.run();
  EXPECT_THAT(peer.ask(R"({"type":"user_messages","id":"1","thread_id":"th"})"),
              HasSubstr("secret"));
  LoomPeer bob(server, "other");
  EXPECT_THAT(bob.ask(R"({"type":"user_messages","id":"1","thread_id":"th"})"),
              HasSubstr(R"("messages":[])"));
}

}  // namespace
}  // namespace parley::loom
