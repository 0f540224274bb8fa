// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/asking_offer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>

#include "agents/mcp/mcp_server.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/mcp/fake_assistant_calls.h"

namespace parley::mcp {
namespace {

using boost::json::value;

// A client up to revision 2025-11-25 whose window shows forms.
class WindowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.on_line(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
                    R"("protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}})");
    lines_.clear();
    server_.on_line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)"
                    R"("name":"ask_question","arguments":{"project_directory":"/p",)"
                    R"("question":"q?"}}})");
  }
  std::vector<value> take() {
    std::vector<value> taken;
    for (const Outgoing& line : std::exchange(lines_, {})) {
      taken.push_back(boost::json::parse(line.text));
    }
    return taken;
  }
  // The client's response to the form with this id.
  void respond(const value& form, const std::string& result) {
    server_.on_line(R"({"jsonrpc":"2.0","id":")" + std::string(form.at("id").as_string()) +
                    R"(","result":)" + result + "}");
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{7};
  FakeAssistantCalls assistant_;
  std::vector<Outgoing> lines_;
  AskingOffer offer_{scheduler_, assistant_, entropy_, {.shape = AskShape::elicit}};
  McpServer server_{offer_, {kServerName, kServerTitle, "1"}, [this](Outgoing message) {
                      lines_.push_back(std::move(message));
                    }};
};

TEST_F(WindowTest, Form_BelongsToItsRequest) {
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].request, "n1");
  EXPECT_FALSE(lines_[0].last);
  EXPECT_EQ(take()[0].at("method").as_string(), "elicitation/create");
  EXPECT_EQ(assistant_.open.size(), 1U);
}

TEST_F(WindowTest, AcceptedForm_AnswersAndLeavesInbox) {
  respond(take()[0], R"({"action":"accept","content":{"answer":"so"}})");
  EXPECT_EQ(assistant_.cancelled.size(), 1U);
  EXPECT_EQ(take()[0].at("result").at("content").at(0).at("text").as_string(), "so");
}

TEST_F(WindowTest, InboxFirst_WithdrawsForm) {
  const value form = take()[0];
  assistant_.answer(1, core::text_answer("from the inbox"));
  const std::vector<value> sent = take();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].at("method").as_string(), "notifications/cancelled");
  EXPECT_EQ(sent[0].at("params").at("requestId"), form.at("id"));
  EXPECT_EQ(sent[1].at("result").at("content").at(0).at("text").as_string(), "from the inbox");
  respond(form, R"({"action":"accept","content":{"answer":"too late"}})");
  EXPECT_TRUE(take().empty());
}

TEST_F(WindowTest, Decline_CountsOnlyFromPerson) {
  const value form = take()[0];
  respond(form, R"({"action":"decline"})");
  EXPECT_EQ(assistant_.open.size(), 1U);  // too fast for a person
  server_.on_line(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{)"
                  R"("name":"ask_question","arguments":{"project_directory":"/p",)"
                  R"("question":"q2?"}}})");
  const value second = take()[0];
  scheduler_.advance(InputCalls::kFastestPerson);
  respond(second, R"({"action":"decline"})");
  EXPECT_EQ(assistant_.cancelled.size(), 1U);
  EXPECT_TRUE(take()[0].at("result").at("isError").as_bool());
}

TEST_F(WindowTest, BrokenForms_LeaveInbox) {
  int id = 1;
  for (const std::string result :
       {R"({"action":"accept"})", R"({"action":"accept","content":{"answer":7}})",
        R"({"action":"accept","content":{"other":"x"}})", R"({"action":"perhaps"})", "{}"}) {
    respond(take().back(), result);
    EXPECT_EQ(assistant_.open.size(), static_cast<std::size_t>(id)) << result;
    server_.on_line(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id) +
                    R"(,"method":"tools/call","params":{"name":"ask_question",)"
                    R"("arguments":{"project_directory":"/p","question":"q?"}}})");
  }
  EXPECT_TRUE(assistant_.cancelled.empty());
}

TEST_F(WindowTest, ClientError_LeavesInbox) {
  const value form = take()[0];
  server_.on_line(R"({"jsonrpc":"2.0","id":")" + std::string(form.at("id").as_string()) +
                  R"(","error":{"code":-32601,"message":"no"}})");
  EXPECT_EQ(assistant_.open.size(), 1U);
  assistant_.answer(1, core::text_answer("still"));
  EXPECT_EQ(take()[0].at("result").at("content").at(0).at("text").as_string(), "still");
}

// One question that outlives its requests, and the waits for its end.
class OneLastingCall final : public FakeAssistantCalls, public LastingCalls {
 public:
  explicit OneLastingCall(core::Scheduler& scheduler) : scheduler_(scheduler) {}
  LastingCalls* lasting() override { return this; }

  void open(AssistantCall call, std::string key, Found done) override {
    question_.key = std::move(key);
    question_.call = std::move(call);
    question_.asked_at = scheduler_.clock().wall();
    tell(std::move(done));
  }
  void find(std::string, Found done) override { tell(std::move(done)); }
  void withdraw(std::string key, std::string, Found) override {
    withdrawn.push_back(std::move(key));
  }
  void answer(std::string, std::string, std::string, Found) override {}
  std::shared_ptr<void> await(std::string, Found done) override {
    waits.push_back(std::make_shared<Found>(std::move(done)));
    return std::shared_ptr<void>(nullptr,
                                 [this, at = waits.size() - 1](void*) { waits[at].reset(); });
  }
  std::size_t waiting() const {
    return static_cast<std::size_t>(std::count_if(
        waits.begin(), waits.end(), [](const auto& wait) { return wait != nullptr; }));
  }

  std::vector<std::shared_ptr<Found>> waits;  // null: ended
  std::vector<std::string> withdrawn;         // keys

 private:
  void tell(Found done) {
    scheduler_.post([this, done = std::move(done)]() mutable { done(question_); });
  }

  core::Scheduler& scheduler_;
  LastingQuestion question_;
};

class SliceTest : public ::testing::Test {
 protected:
  // Sends the call of a tool; the second one and later ones with the state of the former.
  void call() {
    server_.on_line(R"({"jsonrpc":"2.0","id":)" + std::to_string(++calls_) +
                    R"(,"method":"tools/call","params":{"name":"ask_question","arguments":{)"
                    R"("project_directory":"/p","question":"q?"},)" +
                    state_member_ +
                    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                    R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
    scheduler_.run_ready();
  }
  void end_slice() {
    scheduler_.advance(kSlice);
    ASSERT_FALSE(said_.empty());
    const value& result = said_.back().at("result");
    EXPECT_EQ(result.at("resultType").as_string(), "input_required");
    state_member_ =
        R"("requestState":")" + std::string(result.at("requestState").as_string()) + "\",";
  }
  // The client leaves its last call.
  void leave() {
    server_.on_line(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
        std::to_string(calls_) +
        R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
    scheduler_.run_ready();
  }

  static constexpr core::Millis kSlice = std::chrono::seconds(10);
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{7};
  OneLastingCall assistant_{scheduler_};
  const RequestState state_{entropy_};
  AskingOffer offer_{scheduler_, assistant_, entropy_, {.slice = kSlice, .state = &state_}};
  std::vector<value> said_;
  McpServer server_{offer_, {kServerName, kServerTitle, "1"}, [this](const Outgoing& message) {
                      said_.push_back(boost::json::parse(message.text));
                    }};
  int calls_ = 0;
  std::string state_member_;
};

TEST_F(SliceTest, EndOfSlice_EndsItsWait) {
  for (int i = 1; i <= 3; ++i) {
    call();
    EXPECT_EQ(assistant_.waiting(), 1U);
    end_slice();
    EXPECT_EQ(assistant_.waiting(), 0U);
    ASSERT_EQ(said_.size(), static_cast<std::size_t>(i));
  }
}

TEST_F(SliceTest, CallLeftInFirstSlice_WithdrawsItsQuestion) {
  call();
  leave();
  EXPECT_EQ(assistant_.waiting(), 0U);
  EXPECT_EQ(assistant_.withdrawn.size(), 1U);
}

TEST_F(SliceTest, CallLeftInLaterSlice_KeepsItsQuestion) {
  call();
  end_slice();
  call();
  leave();
  EXPECT_EQ(assistant_.waiting(), 0U);
  EXPECT_TRUE(assistant_.withdrawn.empty()) << "its client has a state to come back with";
}

}  // namespace
}  // namespace parley::mcp
