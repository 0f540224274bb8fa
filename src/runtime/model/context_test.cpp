// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/context.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <optional>
#include <random>
#include <set>
#include <string>

#include "base/core/utf8.h"
#include "runtime/model/context_cut.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::model {
namespace {

using core::Code;

// Summarises with a fixed text, or fails, and records its requests.
class SummaryModel final : public Model {
 public:
  const std::string& id() const override { return id_; }
  std::uint64_t context_tokens() const override { return 1'000; }
  void ask(ModelRequest request, ModelEvents /*events*/, core::Scheduler& scheduler,
           const core::CancelToken& cancel, Done done) override {
    requests.push_back(std::move(request));
    scheduler.post([this, cancel, done = std::move(done)]() mutable {
      if (cancel.cancelled()) return done(core::fail(Code::cancelled, "Stopped."));
      if (failure) return done(core::fail(*failure));
      done(ModelReply{Message::assistant(summary), "stop", runtime::Usage{10, 5, 15}});
    });
  }

  std::vector<ModelRequest> requests;
  std::string summary = "They talked.";
  std::optional<core::Error> failure;

 private:
  std::string id_ = "test/summary";
};

class ContextTest : public testing::Test {
 protected:
  core::Result<Fitted> fit_now(std::vector<Message> messages, std::uint64_t limit) {
    std::optional<core::Result<Fitted>> result;
    fit(
        std::move(messages), limit, model_, scheduler_, cancel_.token(),
        [&](core::Result<Fitted> fitted) { result = std::move(fitted); }, settings_);
    EXPECT_FALSE(result.has_value()) << "answered inside the call";
    scheduler_.run_ready();
    EXPECT_TRUE(result.has_value());
    return result.value_or(core::fail(Code::internal, "no answer"));
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::CancelSource cancel_;
  std::shared_ptr<SummaryModel> model_ = std::make_shared<SummaryModel>();
  std::optional<runtime::Usage> spent_;
  ContextSettings settings_{.spent = [this](const runtime::Usage& usage) { spent_ = usage; }};
};

Message calling(const std::string& id, const std::string& arguments = "{}") {
  Message message = Message::assistant("");
  message.tool_calls = {{id, "read", arguments}};
  return message;
}

// A system prompt, a request, and `count` calls with results of `bytes` bytes each.
std::vector<Message> with_calls(int count, std::size_t bytes) {
  std::vector<Message> messages = {Message::system("You help."),
                                   Message::user("Look at them all.")};
  for (int i = 0; i < count; ++i) {
    const std::string id = "c" + std::to_string(i);
    messages.push_back(calling(id));
    messages.push_back(Message::tool(id, std::string(bytes, static_cast<char>('a' + i % 26))));
  }
  return messages;
}

std::vector<Message> talk(int turns, std::size_t bytes) {
  std::vector<Message> messages = {Message::system("You help.")};
  for (int i = 0; i < turns; ++i) {
    messages.push_back(Message::user("ask " + std::to_string(i) + std::string(bytes, 'q')));
    messages.push_back(Message::assistant("say " + std::to_string(i) + std::string(bytes, 'r')));
  }
  return messages;
}

TEST(TokenEstimate, Estimate_IsQuarterOfBytesPlusOverhead) {
  EXPECT_EQ(estimate_tokens(Message::user(std::string(400, 'x'))), 104U);
  EXPECT_EQ(estimate_tokens(Message::user("")), 4U);
  EXPECT_EQ(estimate_tokens({Message::user("abcd"), Message::user("abcde")}), 11U);
  EXPECT_GT(estimate_tokens(calling("c", std::string(400, 'x'))), 100U);
}

TEST(TokenEstimate, Room_ExcludesReplyAndTools) {
  ContextSettings settings;
  settings.tools_tokens = 1'000;
  EXPECT_EQ(context_room(100'000, settings), 100'000U - 4'096U - 1'000U);
  EXPECT_EQ(context_room(4'000, settings), 2'000U);
  EXPECT_EQ(context_room(500, settings), 0U);
  EXPECT_EQ(context_room(0, {}), kDefaultContextTokens - 4'096U);
}

TEST_F(ContextTest, FittingConversation_StaysUnchanged) {
  const std::vector<Message> messages = with_calls(3, 100);
  EXPECT_FALSE(needs_fitting(messages, 100'000));
  const Fitted fitted = fit_now(messages, 100'000).value();
  EXPECT_FALSE(fitted.changed);
  EXPECT_EQ(fitted.messages, messages);
}

TEST_F(ContextTest, OldResults_AreClearedPast40000Tokens) {
  // Ten results of 10,000 tokens: the newest four stay.
  const std::vector<Message> messages = with_calls(10, 40'000);
  EXPECT_TRUE(needs_fitting(messages, 200'000));
  const Fitted fitted = fit_now(messages, 200'000).value();
  EXPECT_EQ(fitted.cleared, 6U);
  EXPECT_EQ(fitted.messages.size(), messages.size());
  for (std::size_t i = 0; i < 10; ++i) {
    const Message& result = fitted.messages[3 + 2 * i];
    EXPECT_EQ(result.content == kClearedResult, i < 6) << i;
    EXPECT_EQ(result.tool_call_id, "c" + std::to_string(i));
  }
  EXPECT_FALSE(needs_fitting(fitted.messages, 200'000)) << "cleared again and again";
}

TEST_F(ContextTest, LessThan20000Tokens_AreNotCleared) {
  const std::vector<Message> messages = with_calls(5, 40'000);
  EXPECT_FALSE(needs_fitting(messages, 200'000));
  EXPECT_FALSE(fit_now(messages, 200'000).value().changed);
}

TEST_F(ContextTest, UnseenResults_AreNotCleared) {
  std::vector<Message> messages = with_calls(1, 240'000);
  EXPECT_FALSE(fit_now(messages, 200'000).value().changed);
  messages.push_back(Message::assistant("I see."));
  messages.push_back(Message::user("Go on."));
  EXPECT_EQ(fit_now(messages, 200'000).value().cleared, 1U);
}

TEST_F(ContextTest, AllButLastTwentyMessages_AreSummarisedInOneCall) {
  const std::vector<Message> messages = talk(50, 100);
  const Fitted fitted = fit_now(messages, 2'000).value();
  ASSERT_EQ(model_->requests.size(), 1U);
  EXPECT_EQ(fitted.summarised, 80U);
  ASSERT_EQ(fitted.messages.size(), 22U);
  EXPECT_EQ(fitted.messages[0], messages[0]);
  EXPECT_EQ(fitted.messages[1], Message::user(std::string(kSummaryHeading) + "\nThey talked."));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(fitted.messages[2 + i], messages[81 + i]);
  EXPECT_EQ(spent_, (runtime::Usage{10, 5, 15}));
  EXPECT_FALSE(needs_fitting(fitted.messages, 2'000));
}

TEST_F(ContextTest, SummaryRequest_HasOldMessagesAndMark) {
  ASSERT_TRUE(fit_now(talk(50, 100), 2'000).has_value());
  const ModelRequest& request = model_->requests.at(0);
  EXPECT_NE(request.messages[0].content.find("[parley:task summary]"), std::string::npos);
  EXPECT_NE(request.messages[1].content.find("Person: ask 0"), std::string::npos);
  EXPECT_NE(request.messages[1].content.find("Assistant: say 39"), std::string::npos);
  EXPECT_EQ(request.messages[1].content.find("ask 40"), std::string::npos);
  EXPECT_LE(estimate_tokens(request.messages), 2'000U);
}

TEST_F(ContextTest, LaterSummary_IncludesEarlier) {
  model_->summary = "FIRST";
  std::vector<Message> messages = fit_now(talk(50, 100), 2'000).value().messages;
  for (const Message& message : talk(20, 100)) {
    if (message.role != Role::system) messages.push_back(message);
  }
  model_->summary = "SECOND";
  const Fitted again = fit_now(messages, 2'000).value();
  EXPECT_NE(model_->requests.at(1).messages[1].content.find("FIRST"), std::string::npos);
  int summaries = 0;
  for (const Message& message : again.messages) {
    if (message.content.starts_with(kSummaryHeading)) ++summaries;
  }
  EXPECT_EQ(summaries, 1);
}

TEST_F(ContextTest, LastRequest_SurvivesLongRunVerbatim) {
  const Fitted fitted = fit_now(with_calls(200, 20), 4'000).value();
  EXPECT_EQ(fitted.messages[1].content, std::string(kSummaryHeading) + "\nThey talked.\n" +
                                            std::string(kLastRequestHeading) +
                                            "\nLook at them all.");
  std::vector<Message> messages = fitted.messages;
  for (const Message& message : with_calls(200, 20)) {
    if (message.role != Role::system && message.role != Role::user) messages.push_back(message);
  }
  const Fitted again = fit_now(messages, 4'000).value();
  EXPECT_TRUE(again.messages[1].content.ends_with("\nLook at them all."));
  EXPECT_EQ(again.messages[1].content.find(kLastRequestHeading),
            again.messages[1].content.rfind(kLastRequestHeading));
}

TEST_F(ContextTest, FailedSummary_FallsBackToMessageBeginnings) {
  model_->failure = core::Error{Code::unavailable, "Not reached.", {}};
  const Fitted fitted = fit_now(talk(50, 100), 2'000).value();
  EXPECT_NE(fitted.messages[1].content.find("Person: ask 39"), std::string::npos)
      << fitted.messages[1].content;
  EXPECT_LE(estimate_tokens(fitted.messages), context_room(2'000, settings_));
}

TEST_F(ContextTest, Cancel_EndsFitting) {
  cancel_.cancel("Enough.");
  const core::Result<Fitted> fitted = fit_now(talk(50, 100), 2'000);
  ASSERT_FALSE(fitted.has_value());
  EXPECT_EQ(fitted.error().code, Code::cancelled);
}

TEST_F(ContextTest, Cancel_DuringSummary_EndsFitting) {
  std::optional<core::Result<Fitted>> result;
  fit(talk(50, 100), 2'000, model_, scheduler_, cancel_.token(),
      [&](core::Result<Fitted> fitted) { result = std::move(fitted); });
  scheduler_.post([&] { cancel_.cancel("Enough."); });
  scheduler_.run_ready();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->error().code, Code::cancelled);
}

TEST_F(ContextTest, MessageLongerThanContext_IsCutWithNote) {
  std::vector<Message> messages = with_calls(1, 100'000);
  const Fitted fitted = fit_now(messages, 4'000).value();
  EXPECT_EQ(fitted.cut, 1U);
  const std::string& text = fitted.messages[3].content;
  EXPECT_NE(text.find("bytes were cut here"), std::string::npos);
  EXPECT_TRUE(text.starts_with("aaaa"));
  EXPECT_TRUE(text.ends_with("aaaa"));
  EXPECT_EQ(fitted.messages[0], messages[0]);
  EXPECT_TRUE(model_->requests.empty());
}

TEST_F(ContextTest, LongArguments_AreCut_StayJsonObject) {
  std::vector<Message> messages = {
      Message::system("You help."), Message::user("Write."),
      calling("c", R"({"path":"a.txt","content":")" + std::string(50'000, 'x') + R"("})"),
      Message::tool("c", "done")};
  const Fitted fitted = fit_now(messages, 4'000).value();
  simdjson::dom::parser parser;
  const simdjson::padded_string json(fitted.messages[2].tool_calls[0].arguments);
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(json).get(root), simdjson::SUCCESS);
  EXPECT_EQ(std::string_view(root["path"]), "a.txt");
  EXPECT_NE(std::string_view(root["content"]).find("were cut here"), std::string_view::npos);
}

TEST_F(ContextTest, OverlongInstructions_AreErrorInWords) {
  const core::Result<Fitted> fitted =
      fit_now({Message::system(std::string(100'000, 'x')), Message::user("hi")}, 4'000);
  ASSERT_FALSE(fitted.has_value());
  EXPECT_EQ(fitted.error().code, Code::resource_exhausted);
  EXPECT_NE(fitted.error().message.find("3000"), std::string::npos) << fitted.error().message;
}

TEST(CutMiddle, Cut_KeepsCharactersWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "中文é€";
  for (std::size_t limit = 0; limit < 700; ++limit) {
    EXPECT_TRUE(core::is_utf8(cut_middle(text, limit))) << limit;
  }
}

TEST(CutMiddle, Cut_SaysHowMuchIsGone) {
  const std::string cut = cut_middle(std::string(1'000, 'x'), 400);
  EXPECT_NE(cut.find("about 600 bytes"), std::string::npos) << cut;
  EXPECT_LE(cut.size(), 400U);
}

TEST(LevelFor, Level_CutsLongestUntilAllFit) {
  EXPECT_EQ(level_for({10, 20, 30}, 100), 100U);
  EXPECT_EQ(level_for({10, 100, 100}, 110), 50U);
  EXPECT_EQ(level_for({100, 100}, 50), 25U);
  EXPECT_EQ(level_for({}, 7), 7U);
}

// --- properties ------------------------------------------------------------------------------

class Conversation {
 public:
  explicit Conversation(unsigned seed) : random_(seed) {}

  std::vector<Message> make() {
    std::vector<Message> messages;
    const int systems = pick(0, 2);
    for (int i = 0; i < systems; ++i) messages.push_back(Message::system(text(200)));
    const int turns = pick(1, 40);
    for (int i = 0; i < turns; ++i) add_turn(messages);
    return messages;
  }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  std::string text(int longest) {
    std::string out;
    const int size = pick(0, 20) == 0 ? longest * 30 : pick(0, longest);
    while (out.size() < static_cast<std::size_t>(size)) out += pick(0, 3) == 0 ? "汉字" : "word ";
    return out;
  }
  void add_turn(std::vector<Message>& messages) {
    if (pick(0, 2) == 0) messages.push_back(Message::user(text(400)));
    if (pick(0, 15) == 0) messages.push_back(Message::system(text(60)));
    Message said = Message::assistant(text(300));
    const int calls = pick(-2, 6);
    for (int i = 0; i < calls; ++i) {
      const std::string id = "c" + std::to_string(++calls_);
      said.tool_calls.push_back({id, "tool", R"({"content":")" + text(300) + R"("})"});
    }
    messages.push_back(said);
    for (const ToolCall& call : said.tool_calls) {
      messages.push_back(Message::tool(call.id, text(600), pick(0, 5) == 0));
    }
  }

  std::mt19937 random_;
  int calls_ = 0;
};

std::vector<std::string> systems_of(const std::vector<Message>& messages) {
  std::vector<std::string> out;
  for (const Message& message : messages) {
    if (message.role == Role::system) out.push_back(message.content);
  }
  return out;
}

// True if every call is followed by its result before any other message, and every result has a
// call.
bool is_paired(const std::vector<Message>& messages) {
  std::multiset<std::string> open;
  for (const Message& message : messages) {
    if (message.role == Role::tool) {
      const auto it = open.find(message.tool_call_id);
      if (it == open.end()) return false;
      open.erase(it);
      continue;
    }
    if (!open.empty()) return false;
    for (const ToolCall& call : message.tool_calls) open.insert(call.id);
  }
  return open.empty();
}

TEST_F(ContextTest, RandomConversations_KeepSystemPromptsAndPairs) {
  int changed = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Conversation conversation(seed);
    const std::vector<Message> messages = conversation.make();
    const auto limit = static_cast<std::uint64_t>(conversation.pick(1'500, 20'000));
    ASSERT_TRUE(is_paired(messages));
    const core::Result<Fitted> fitted = fit_now(messages, limit);
    if (!fitted) {
      EXPECT_EQ(fitted.error().code, Code::resource_exhausted) << fitted.error().message;
      continue;
    }
    if (fitted->changed) ++changed;
    EXPECT_EQ(fitted->changed, needs_fitting(messages, limit));
    EXPECT_EQ(systems_of(fitted->messages), systems_of(messages));
    EXPECT_TRUE(is_paired(fitted->messages));
    EXPECT_LE(estimate_tokens(fitted->messages), context_room(limit, settings_));
    EXPECT_EQ(fitted->messages.back().role, messages.back().role);
  }
  EXPECT_GT(changed, 100) << "the property is hardly tried";
}

TEST_F(ContextTest, MessagesAtCountLimit_AreSummarised) {
  settings_.max_messages = 100;
  std::vector<Message> messages = talk(50, 100);
  messages.pop_back();
  EXPECT_FALSE(needs_fitting(messages, 128'000, settings_));
  messages = talk(50, 100);
  ASSERT_EQ(count_messages(messages), 100U);
  EXPECT_TRUE(needs_fitting(messages, 128'000, settings_));
  const Fitted fitted = fit_now(messages, 128'000).value();
  EXPECT_EQ(fitted.summarised, 80U);
  EXPECT_FALSE(needs_fitting(fitted.messages, 128'000, settings_));
}

}  // namespace
}  // namespace parley::model
