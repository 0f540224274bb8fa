// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The workflow that is open in a front end, and the tools for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/chat/chat_world.h"

namespace parley::chat {
namespace {

using agent::testing::FakeReply;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ChatWorkflow : public ::testing::Test {
 protected:
  void replies(std::deque<FakeReply> all) { world_.runs.models.model->replies = std::move(all); }
  std::string last_to_model() {
    return world_.runs.models.model->requests.back().messages.back().content;
  }

  ChatWorld world_;
};

constexpr const char* kWorkflow =
    R"({\"3\":{\"class_type\":\"KSampler\",\"inputs\":{\"steps\":20,\"seed\":1}}})";

TEST_F(ChatWorkflow, EditedWorkflow_ReturnsThroughClientTool) {
  replies({FakeReply::call("c1", "workflow_node_set", R"({"node":"3","input":"steps","value":30})"),
           FakeReply::call("c2", "workflow_diff", "{}"), FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::first);
  peer.message(
      "1", "30 steps, please",
      R"({"toolSchemas":[{"name":"set_workflow","inputSchema":{"properties":{"workflowJson":{"type":"string"}}}}],)"
      R"("workflowContent":")" +
          std::string(kWorkflow) + "\"}");
  world_.wait([&] { return peer.socket.texts.back().find("set_workflow") != std::string::npos; });
  EXPECT_THAT(peer.socket.texts.back(), HasSubstr(R"(\"steps\\\":30)"));
  EXPECT_THAT(peer.told(), ElementsAre("THINKING", "TOOL_CALLING", "REQUEST set_workflow"));
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           R"("data":{"toolName":"set_workflow","isAllow":true,"success":true,"result":"{}"})");
  world_.wait([&] { return peer.socket.texts.back().find("AGENT_COMPLETE") != std::string::npos; });
  const auto& messages = world_.runs.models.model->requests.back().messages;
  EXPECT_THAT(messages[messages.size() - 3].content, HasSubstr("Workflow updated."));
  EXPECT_THAT(messages.back().content, HasSubstr("input steps: 20 -> 30"));
}

TEST_F(ChatWorkflow, InvalidWorkflow_IsToldByTools) {
  replies({FakeReply::call("c1", "workflow_get", "{}"), FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "What is open?", R"({"workflowContent":"{\"a\":7}"})");
  world_.wait([&] { return peer.socket.texts.back().find("AGENT_COMPLETE") != std::string::npos; });
  EXPECT_TRUE(world_.runs.models.model->requests.back().messages.back().is_error);
}

// Saves a workflow of alice; returns its id.
std::string save_workflow(ChatWorld& world, const std::string& owner, const std::string& content) {
  std::optional<core::Result<front_end::SavedWorkflow>> saved;
  world.front_end->run<front_end::SavedWorkflow>(
      world.runs.scheduler, 0,
      [&](const front_end::FrontEndStore::Tables& tables)
          -> core::Result<front_end::SavedWorkflow> {
        auto created = tables.workflows.add(owner, {"Mine", {}, {}});
        if (!created || content.empty()) return created;
        return tables.workflows.set_content(owner, created->id,
                                            *front_end::check_workflow(content));
      },
      [&saved](auto out) { saved = std::move(out); });
  world.wait([&saved] { return saved.has_value(); });
  return std::to_string(saved->value().id);
}

constexpr const char* kSaved = R"({"3":{"class_type":"KSampler","inputs":{"steps":20,"seed":1}}})";

TEST_F(ChatWorkflow, SavedWorkflowNamedByMessage_IsOpen) {
  const std::string id = save_workflow(world_, "alice", kSaved);
  for (const std::string& written : {id, "\"" + id + "\""}) {
    replies(
        {FakeReply::call("c1", "workflow_node_get", R"({"node":"3"})"), FakeReply::text("Yes.")});
    ChatPeer peer(world_, Generation::second);
    peer.message("1", "What is open?",
                 R"({"agentCode":"WORKFLOW_CHAT","workflowId":)" + written + "}");
    world_.wait([&] { return peer.has_frame("\"COMPLETE\""); });
    EXPECT_THAT(last_to_model(), AllOf(HasSubstr("KSampler"), HasSubstr("20")));
    world_.code = world_.make_session("alice", "");
  }
}

TEST_F(ChatWorkflow, MissingSavedWorkflow_IsClearErrorOfTools) {
  const std::string foreign = save_workflow(world_, "bob", kSaved);
  const std::string empty = save_workflow(world_, "alice", "");
  for (const auto& [id, words] :
       std::vector<std::pair<std::string, std::string>>{{foreign, "no such workflow"},
                                                        {"\"x\"", "no such workflow"},
                                                        {empty, "without content"}}) {
    replies({FakeReply::call("c1", "workflow_get", "{}"), FakeReply::text("Oh.")});
    ChatPeer peer(world_, Generation::second);
    peer.message("1", "What is open?", R"({"type":"USER_MESSAGE","workflowId":)" + id + "}");
    world_.wait([&] { return peer.has_frame("\"COMPLETE\""); });
    EXPECT_THAT(last_to_model(), AllOf(HasSubstr("No workflow is open."), HasSubstr(words),
                                       HasSubstr("Ask the person to open or save")));
    EXPECT_TRUE(world_.runs.models.model->requests.back().messages.back().is_error);
    world_.code = world_.make_session("alice", "");
  }
}

TEST_F(ChatWorkflow, FrontEndWithoutWorkflow_IsAskedByTool) {
  replies({FakeReply::call("c1", "workflow_node_set", R"({"node":"3","input":"steps","value":30})"),
           FakeReply::call("c2", "workflow_diff", "{}"), FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "30 steps, please",
               R"({"type":"USER_MESSAGE","toolSchemas":[{"name":"get_workflow"},)"
               R"({"name":"set_workflow","inputSchema":{"type":"object","properties":)"
               R"({"workflowJson":{"type":"string"}}}}]})");
  EXPECT_THAT(peer.socket.texts.back(), AllOf(HasSubstr("get_workflow"), HasSubstr("c1.fetch")));
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           R"("data":{"toolCallId":"c1.fetch","toolName":"get_workflow","isAllow":true,)"
           R"("success":true,"result":"{\"success\":true,\"content\":\"{\\\"3\\\":{)"
           R"(\\\"class_type\\\":\\\"KSampler\\\",\\\"inputs\\\":{\\\"steps\\\":20}}}\"}"})");
  world_.wait([&] { return peer.has_frame("c1.show"); });
  peer.say(
      "AGENT_TOOL_CALL_RESPONSE", "1",
      R"("data":{"toolCallId":"c1.show","toolName":"set_workflow","isAllow":true,"success":true,"result":"{}"})");
  world_.wait([&] { return peer.has_frame("\"COMPLETE\""); });
  EXPECT_THAT(last_to_model(), HasSubstr("input steps: 20 -> 30"));
}

// The largest seed as browsers write it, in the workflow itself as the result.
TEST_F(ChatWorkflow, WorkflowOfFrontEnd_MayHaveIntegersAbove64Bits) {
  replies({FakeReply::call("c1", "workflow_get", "{}"), FakeReply::text("I see.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "What is open?",
               R"({"type":"USER_MESSAGE","toolSchemas":[{"name":"get_workflow"}]})");
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           R"("data":{"toolCallId":"c1.fetch","toolName":"get_workflow","isAllow":true,)"
           R"("result":"{\"3\":{\"class_type\":\"KSampler\",)"
           R"(\"inputs\":{\"seed\":18446744073709552000}}}"})");
  world_.wait([&] { return peer.has_frame("\"COMPLETE\""); });
  EXPECT_THAT(last_to_model(), HasSubstr("KSampler"));
}

TEST_F(ChatWorkflow, UnknownWorkflowOfFrontEnd_IsClearErrorOfTools) {
  for (const auto& [answer, words] : std::vector<std::pair<std::string, std::string>>{
           {R"("isAllow":false)", "did not send the open workflow"},
           {R"("isAllow":true,"success":true,"result":"none")",
            "Ask the person to open or save"}}) {
    replies({FakeReply::call("c1", "workflow_get", "{}"), FakeReply::text("Oh.")});
    ChatPeer peer(world_, Generation::second);
    peer.message("1", "What is open?",
                 R"({"type":"USER_MESSAGE","toolSchemas":[{"name":"get_workflow"}]})");
    peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
             R"("data":{"toolCallId":"c1.fetch","toolName":"get_workflow",)" + answer + "}");
    world_.wait([&] { return peer.has_frame("\"COMPLETE\""); });
    EXPECT_THAT(last_to_model(), HasSubstr(words));
    world_.code = world_.make_session("alice", "");
  }
}

TEST_F(ChatWorkflow, NoWorkflow_NoWorkflowTools) {
  replies({FakeReply::text("Hello.")});
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi", R"({"workflowContent":"{}"})");
  for (const model::ToolSpec& spec : world_.runs.models.model->requests.back().tools) {
    EXPECT_FALSE(spec.name.starts_with("workflow_"));
  }
}

}  // namespace
}  // namespace parley::chat
