// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Tests of the model client against a scripted provider, over real sockets.
#include "tests/support/scripted_model/scripted_model.h"

#include <gmock/gmock.h>

#include "base/core/entropy.h"
#include "base/http_client/curl_fetcher.h"
#include "base/http_client/curl_loop.h"
#include "runtime/model/openai_model.h"
#include "runtime/model/provider_registry.h"

namespace parley::model {
namespace {

using core::Code;
using core::Millis;
using http_client::ScriptedAnswer;
using std::chrono::seconds;
using ::testing::HasSubstr;
using End = ScriptedAnswer::End;

class ScriptedModelTest : public ::testing::Test {
 protected:
  struct Asked {
    std::string text;
    std::string reasoning;
    int retries = 0;
    std::optional<core::Result<ModelReply>> reply;
  };

  void serve(std::vector<ScriptedTurn> turns) {
    Script script;
    script.turns = std::move(turns);
    serve(std::move(script));
  }
  void serve(Script script) {
    server_ = std::make_unique<ScriptedModel>(std::move(script));
    auto endpoint = std::make_shared<OpenAiEndpoint>();
    endpoint->provider = "scripted";
    endpoint->base_url = server_->base_url();
    endpoint->idle_timeout = idle_timeout_;
    model_ = std::make_unique<OpenAiModel>(endpoint, "scripted", 8'000, fetcher_, entropy_);
  }
  std::shared_ptr<Asked> begin(std::vector<Message> messages) {
    ModelRequest request;
    request.messages = std::move(messages);
    auto asked = std::make_shared<Asked>();
    ModelEvents events;
    events.on_text = [asked](std::string_view text) { asked->text += text; };
    events.on_reasoning = [asked](std::string_view text) { asked->reasoning += text; };
    events.on_retry = [asked](const core::Error&, Millis) {
      ++asked->retries;
      asked->text.clear();
    };
    model_->ask(std::move(request), std::move(events), loop_, source_.token(),
                [asked](core::Result<ModelReply> reply) { asked->reply = std::move(reply); });
    return asked;
  }
  template <typename Condition>
  [[nodiscard]] bool wait_for(Condition condition) {
    const core::MonoTime until = clock_.mono() + seconds(30);
    while (!condition()) {
      if (clock_.mono() > until) return false;
      loop_.run_once(seconds(1));
    }
    return true;
  }
  Asked ask(const std::string& text = "hello") {
    const auto asked = begin({Message::user(text)});
    EXPECT_TRUE(wait_for([&] { return asked->reply.has_value(); }));
    return *asked;
  }

  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  http_client::CurlLoop loop_{clock_};
  http_client::CurlFetcher fetcher_{clock_};
  core::CancelSource source_;
  Millis idle_timeout_ = seconds(20);
  std::unique_ptr<ScriptedModel> server_;
  std::unique_ptr<OpenAiModel> model_;
};

TEST_F(ScriptedModelTest, ReplyCutAnywhere_Arrives) {
  for (const std::size_t split : {0U, 1U, 3U, 1'000U}) {
    ScriptedTurn turn = ScriptedTurn::say("Grüße, 世界 😀");
    turn.reasoning = "想一想";
    turn.tool_calls = {{"a", "read", R"({"path":"ä.txt"})"}, {"", "ls", "{}"}};
    turn.chunk_bytes = 3;
    turn.split_bytes = split;
    serve({turn});
    const Asked asked = ask();
    ASSERT_TRUE(asked.reply->has_value()) << asked.reply->error().message;
    const ModelReply& reply = **asked.reply;
    EXPECT_EQ(asked.text, turn.text);
    EXPECT_EQ(reply.message.content, turn.text);
    EXPECT_EQ(asked.reasoning, turn.reasoning);
    EXPECT_EQ(reply.usage, turn.usage);
    EXPECT_EQ(reply.finish_reason, "tool_calls");
    ASSERT_EQ(reply.message.tool_calls.size(), 2U);
    EXPECT_EQ(reply.message.tool_calls[0], turn.tool_calls[0]);
    EXPECT_EQ(reply.message.tool_calls[1].name, "ls");
    EXPECT_FALSE(reply.message.tool_calls[1].id.empty());
  }
}

TEST_F(ScriptedModelTest, StampedAnswer_TellsSendTime) {
  const std::string mark(http_client::kStampMark);
  ScriptedTurn turn = ScriptedTurn::say("a " + mark + " b " + mark + " c");
  turn.stamped = true;
  turn.chunk_bytes = turn.text.size();
  serve({turn});
  const auto nanoseconds = [this] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(clock_.mono().time_since_epoch())
        .count();
  };
  const std::int64_t before = nanoseconds();
  const std::string text = ask().text;
  const std::int64_t after = nanoseconds();
  ASSERT_EQ(text.size(), turn.text.size());
  EXPECT_EQ(text.substr(0, 2) + text.substr(22, 3) + text.substr(45), "a  b  c");
  for (const std::size_t at : {2U, 25U}) {
    const std::int64_t sent = std::stoll(text.substr(at, mark.size()));
    EXPECT_GE(sent, before);
    EXPECT_LE(sent, after);
  }
}

TEST_F(ScriptedModelTest, PlainAnswer_IsReply) {
  ScriptedTurn turn = ScriptedTurn::say("plain");
  turn.plain = true;
  serve({turn});
  EXPECT_EQ(ask().text, "plain");
}

TEST_F(ScriptedModelTest, TemporaryRefusal_IsRetried) {
  ScriptedTurn busy = ScriptedTurn::refuse(429, "slow down");
  busy.headers = {{"Retry-After", "0"}};
  ScriptedTurn cut = ScriptedTurn::say("this will be cut off");
  cut.end = End::cut;
  cut.pieces_before_end = 2;
  serve({busy, cut, ScriptedTurn::say("there")});
  const Asked asked = ask();
  ASSERT_TRUE(asked.reply->has_value()) << asked.reply->error().message;
  EXPECT_EQ(asked.text, "there");
  EXPECT_EQ(asked.retries, 2);
  EXPECT_EQ(server_->requests().size(), 3U);
}

TEST_F(ScriptedModelTest, SilentModel_MissesDeadline) {
  idle_timeout_ = Millis(50);
  ScriptedTurn turn = ScriptedTurn::say("and then");
  turn.end = End::hang;
  turn.pieces_before_end = 2;
  serve({turn});
  const Asked asked = ask();
  EXPECT_EQ(asked.reply->error().code, Code::deadline_exceeded);
  EXPECT_EQ(asked.text, "and then");
}

TEST_F(ScriptedModelTest, HundredMegabytes_AreStoppedAtLimit) {
  ScriptedTurn turn = ScriptedTurn::say(std::string(60'000, 'x'));
  turn.chunk_bytes = 60'000;
  turn.end = End::endless;
  serve({turn});
  const Asked asked = ask();
  EXPECT_EQ(asked.reply->error().code, Code::resource_exhausted);
  EXPECT_LE(asked.text.size(), kMaxReplyBytes);
}

TEST_F(ScriptedModelTest, Cancel_EndsExchangeOnBothSides) {
  ScriptedTurn turn = ScriptedTurn::say("on and on");
  turn.end = End::hang;
  serve({turn});
  const auto asked = begin({Message::user("go")});
  ASSERT_TRUE(wait_for([&] { return !asked->text.empty(); }));
  source_.cancel("enough");
  ASSERT_TRUE(wait_for([&] { return asked->reply.has_value(); }));
  EXPECT_EQ(asked->reply->error().code, Code::cancelled);
  EXPECT_TRUE(wait_for([&] {
    loop_.after(Millis(5), [] {});
    return server_->abandoned() == 1;
  }));
}

TEST_F(ScriptedModelTest, Turns_AreChosenByRequest) {
  ScriptedTurn weather = ScriptedTurn::say("sunny");
  weather.when = "weather";
  weather.repeat = -1;
  serve({weather, ScriptedTurn::say("first"), ScriptedTurn::say("second")});
  EXPECT_EQ(ask("hello").text, "first");
  EXPECT_EQ(ask("the weather?").text, "sunny");
  EXPECT_EQ(ask("hello").text, "second");
  EXPECT_EQ(ask("the weather?").text, "sunny");
  const Asked more = ask("hello");
  EXPECT_EQ(more.reply->error().code, Code::invalid_argument);
  EXPECT_THAT(more.reply->error().message, HasSubstr("no turn"));
}

TEST_F(ScriptedModelTest, Conversations_UseScriptIndependently) {
  Script script;
  script.by_conversation = true;
  script.turns = {ScriptedTurn::say("one"), ScriptedTurn::say("two")};
  serve(script);
  std::vector<std::shared_ptr<Asked>> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(begin({Message::user("a")}));
    all.push_back(begin({Message::user("a"), Message::assistant("one"), Message::user("b")}));
  }
  ASSERT_TRUE(wait_for([&] {
    return std::all_of(all.begin(), all.end(),
                       [](const auto& asked) { return asked->reply.has_value(); });
  }));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->text, i % 2 == 0 ? "one" : "two");
  }
}

TEST_F(ScriptedModelTest, Models_AreListed) {
  serve(Script{});
  ModelSettings settings;
  settings.providers.emplace_back();
  settings.providers[0].name = "local";
  settings.providers[0].base_url = server_->base_url();
  ProviderRegistry registry(
      settings, [](const std::string&) { return std::string(); }, fetcher_, clock_, entropy_,
      nullptr);
  std::optional<ModelRegistry::Listing> listing;
  registry.list(loop_, [&](ModelRegistry::Listing all) { listing = std::move(all); });
  ASSERT_TRUE(wait_for([&] { return listing.has_value(); }));
  ASSERT_EQ(listing->models.size(), 1U);
  EXPECT_EQ(listing->models[0].id, "local/scripted");
}

TEST(Script, Script_IsReadFromJson) {
  const auto script = read_script(R"({"model":"m","by":"conversation","turns":[
      {"text":"a","tool_calls":[{"name":"f","arguments":{"x":1}},{"id":"c","name":"g","arguments":"raw"}],
       "delay_ms":5,"end":"cut","pieces_before_end":3,"headers":{"A":"b"},"usage":null},
      {"status":429,"body":"no","repeat":-1,"when":"x"}]})");
  ASSERT_TRUE(script.has_value()) << script.error().message;
  EXPECT_EQ(script->model, "m");
  EXPECT_TRUE(script->by_conversation);
  ASSERT_EQ(script->turns.size(), 2U);
  EXPECT_EQ(script->turns[0].tool_calls[0].arguments, R"({"x":1})");
  EXPECT_EQ(script->turns[0].tool_calls[1], (ToolCall{"c", "g", "raw"}));
  EXPECT_EQ(script->turns[0].delay, Millis(5));
  EXPECT_EQ(script->turns[0].end, End::cut);
  EXPECT_EQ(script->turns[0].pieces_before_end, 3U);
  EXPECT_EQ(script->turns[0].usage, std::nullopt);
  EXPECT_EQ(script->turns[1].repeat, -1);
  EXPECT_THAT(read_script(R"({"turns":[{},{"txet":"a"}]})").error().message,
              HasSubstr("Turn 2: \"txet\""));
  EXPECT_FALSE(read_script("[]").has_value());
  EXPECT_FALSE(read_script("{}").has_value());
}

}  // namespace
}  // namespace parley::model
