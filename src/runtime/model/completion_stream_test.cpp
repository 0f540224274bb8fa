// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/completion_stream.h"

#include <gmock/gmock.h>

#include <map>

namespace parley::model {
namespace {

using ::testing::HasSubstr;

// Text, reasoning and calls joined from the events.
struct Heard {
  std::string text;
  std::string reasoning;
  std::map<std::size_t, ToolCall> calls;
};

struct Outcome {
  Heard heard;
  core::Result<ModelReply> reply;
  bool streamed = false;
  bool temporary = false;
};

Outcome read_stream(std::string_view answer, std::size_t step = 1'000'000, bool ended_well = true) {
  Heard heard;
  ModelEvents events;
  events.on_text = [&](std::string_view text) { heard.text += text; };
  events.on_reasoning = [&](std::string_view text) { heard.reasoning += text; };
  events.on_tool_call = [&](std::size_t index, std::string_view id, std::string_view name,
                            std::string_view arguments) {
    ToolCall& call = heard.calls[index];
    if (!id.empty()) call.id = id;
    if (!name.empty()) call.name = name;
    call.arguments += arguments;
  };
  int created = 0;
  CompletionStream stream(events, [&created] { return "made_" + std::to_string(++created); });
  for (std::size_t at = 0; at < answer.size(); at += step) {
    if (!stream.feed(answer.substr(at, step))) break;
  }
  auto reply = stream.finish(ended_well);
  return {heard, std::move(reply), stream.streamed(), stream.temporary()};
}

std::string chunk(const std::string& delta, const std::string& finish = "null") {
  return R"(data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":)" +
         delta + R"(,"finish_reason":)" + finish + "}]}\n\n";
}

const std::string kStop = chunk("{}", R"("stop")") + "data: [DONE]\n\n";

std::vector<ToolCall> calls_of(const std::string& answer) {
  const Outcome outcome = read_stream(answer);
  if (!outcome.reply) return {};
  const std::vector<ToolCall>& calls = outcome.reply->message.tool_calls;
  // The events yield the same reply.
  EXPECT_EQ(outcome.heard.calls.size(), calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(outcome.heard.calls.at(i), calls[i]);
  return calls;
}

TEST(CompletionStream, TextSplitAnywhere_IsJoined) {
  const std::string answer =
      ": OPENROUTER PROCESSING\r\n\r\n" + chunk(R"({"role":"assistant","content":""})") +
      chunk(R"({"content":"He said \"你好\" "})") + chunk(R"({"content":"\ud83d\ude00!"})") +
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,"
      "\"total_tokens\":10}}\n\n" +
      kStop;
  for (std::size_t step = 1; step < answer.size(); ++step) {
    const Outcome outcome = read_stream(answer, step);
    ASSERT_TRUE(outcome.reply.has_value()) << step;
    EXPECT_EQ(outcome.reply->message.content, "He said \"你好\" 😀!");
    EXPECT_EQ(outcome.heard.text, outcome.reply->message.content);
    EXPECT_EQ(outcome.reply->finish_reason, "stop");
    EXPECT_EQ(outcome.reply->usage, (runtime::Usage{7, 3, 10}));
  }
}

TEST(CompletionStream, Reasoning_IsTakenUnderEachName) {
  for (const char* name : {"reasoning_content", "reasoning", "reason_content"}) {
    const Outcome outcome =
        read_stream(chunk("{\"" + std::string(name) + R"(":"hm","content":null})") +
                    chunk(R"({"content":"yes"})") + kStop);
    EXPECT_EQ(outcome.reply->message.reasoning, "hm") << name;
    EXPECT_EQ(outcome.heard.reasoning, "hm");
    EXPECT_EQ(outcome.reply->message.content, "yes");
  }
  const Outcome twice =
      read_stream(chunk(R"({"reasoning":"hm","reasoning_content":"hm"})") + kStop);
  EXPECT_EQ(twice.reply->message.reasoning, "hm");
  const Outcome tags =
      read_stream(chunk(R"({"content":"<thi"})") + chunk(R"({"content":"nk>hm</"})") +
                  chunk(R"({"content":"think>\nyes"})") + kStop);
  EXPECT_EQ(tags.reply->message.reasoning, "hm");
  EXPECT_EQ(tags.reply->message.content, "yes");
}

TEST(CompletionStream, CharacterCutBetweenEvents_IsJoined) {
  const Outcome bytes = read_stream(chunk("{\"content\":\"a\xE4\xBD\"}") +
                                    chunk("{\"content\":\"\xA0"
                                          "b\"}") +
                                    kStop);
  EXPECT_EQ(bytes.heard.text, "a你b");
  const Outcome halves =
      read_stream(chunk(R"({"content":"a\ud83d"})") + chunk(R"({"content":"b\\u"})") + kStop);
  EXPECT_EQ(halves.heard.text,
            "a\xEF\xBF\xBD"
            "b\\u");
}

TEST(CompletionStream, CallsWithInterleavedDeltas_AreSeparated) {
  const auto calls = calls_of(
      chunk(
          R"({"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}]})") +
      chunk(
          R"({"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"ls","arguments":"{"}}]})") +
      chunk(
          R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}},{"index":1,"function":{"arguments":"}"}}]})") +
      chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"\"a.txt\"}"}}]})") +
      chunk("{}", R"("tool_calls")") + "data: [DONE]\n\n");
  EXPECT_EQ(calls,
            (std::vector<ToolCall>{{"a", "read", R"({"path":"a.txt"})"}, {"b", "ls", "{}"}}));
}

TEST(CompletionStream, MissingOrDuplicateIds_AreReplaced) {
  EXPECT_EQ(
      calls_of(
          chunk(R"({"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{}"}}]})") +
          chunk(
              R"({"tool_calls":[{"index":1,"id":"","function":{"name":"b","arguments":"{}"}}]})") +
          kStop),
      (std::vector<ToolCall>{{"made_1", "a", "{}"}, {"made_2", "b", "{}"}}));
  EXPECT_EQ(
      calls_of(chunk(R"({"tool_calls":[{"index":0,"id":"x","function":{"name":"a"}}]})") +
               chunk(R"({"tool_calls":[{"index":1,"id":"x","function":{"name":"b"}}]})") + kStop),
      (std::vector<ToolCall>{{"x", "a", ""}, {"made_1", "b", ""}}));
}

TEST(CompletionStream, CallsWithoutIndex_AreDistinguished) {
  EXPECT_EQ(
      calls_of(chunk(R"({"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]})") +
               chunk(R"({"tool_calls":[{"function":{"arguments":"}"}}]})") +
               chunk(R"({"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}]})") +
               kStop),
      (std::vector<ToolCall>{{"a", "f", "{}"}, {"b", "g", "{}"}}));
  EXPECT_EQ(
      calls_of(
          chunk(
              R"({"tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":"{}"}}]})") +
          kStop),
      (std::vector<ToolCall>{{"made_1", "f", "{}"}, {"made_2", "g", "{}"}}));
  // All calls have index 0.
  EXPECT_EQ(
      calls_of(
          chunk(
              R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]})") +
          kStop),
      (std::vector<ToolCall>{{"a", "f", "{}"}, {"b", "g", "{}"}}));
}

TEST(CompletionStream, RepeatedName_IsTakenOnce) {
  EXPECT_EQ(
      calls_of(
          chunk(
              R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{"}}]})") +
          chunk(
              R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"}"}}]})") +
          kStop),
      (std::vector<ToolCall>{{"a", "read", "{}"}}));
}

TEST(CompletionStream, ObjectArgumentsAndLegacyForm_AreTaken) {
  EXPECT_EQ(
      calls_of(
          chunk(
              R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}]})") +
          kStop),
      (std::vector<ToolCall>{{"a", "f", R"({"x":1})"}}));
  EXPECT_EQ(calls_of(chunk(R"({"function_call":{"name":"f","arguments":"{"}})") +
                     chunk(R"({"function_call":{"arguments":"}"}})", R"("function_call")")),
            (std::vector<ToolCall>{{"made_1", "f", "{}"}}));
}

TEST(CompletionStream, ReplyWithCalls_FinishesAsToolCalls) {
  const Outcome outcome = read_stream(
      chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]})") +
      kStop);
  EXPECT_EQ(outcome.reply->finish_reason, "tool_calls");
  EXPECT_EQ(read_stream(chunk(R"({"content":"x"})", R"("length")")).reply->finish_reason, "length");
  EXPECT_EQ(read_stream(chunk(R"({"content":"x"})", R"("max_tokens")")).reply->finish_reason,
            "length");
}

TEST(CompletionStream, AnswerInSingleObject_IsRead) {
  const std::string answer =
      R"( {"choices":[{"index":0,"message":{"role":"assistant","content":"<think>hm</think>hello",)"
      R"("tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
      R"("finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}} )";
  for (std::size_t step = 1; step < answer.size(); step += 7) {
    const Outcome outcome = read_stream(answer, step);
    ASSERT_TRUE(outcome.reply.has_value());
    EXPECT_EQ(outcome.reply->message.content, "hello");
    EXPECT_EQ(outcome.reply->message.reasoning, "hm");
    EXPECT_EQ(outcome.reply->message.tool_calls.size(), 1U);
    EXPECT_EQ(outcome.reply->usage, (runtime::Usage{1, 2, 3}));
    EXPECT_EQ(outcome.heard.text, "hello");
  }
  EXPECT_EQ(read_stream(answer.substr(0, 60), 1'000, false).reply.error().code,
            core::Code::data_loss);
}

TEST(CompletionStream, ContentAsListOfParts_IsTaken) {
  const Outcome outcome = read_stream(
      chunk(
          R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"yes"}]})") +
      kStop);
  EXPECT_EQ(outcome.reply->message.reasoning, "hm");
  EXPECT_EQ(outcome.reply->message.content, "yes");
}

TEST(CompletionStream, AnswerWithoutEnd_IsTruncatedAndRetryable) {
  const Outcome outcome = read_stream(chunk(R"({"content":"half a"})"), 1'000, false);
  ASSERT_FALSE(outcome.reply.has_value());
  EXPECT_EQ(outcome.reply.error().code, core::Code::data_loss);
  EXPECT_TRUE(outcome.temporary);
  EXPECT_TRUE(outcome.streamed);
  // A finish reason is an end, with or without [DONE].
  EXPECT_TRUE(
      read_stream(chunk(R"({"content":"a"})", R"("stop")"), 1'000, false).reply.has_value());
}

TEST(CompletionStream, ErrorInStream_IsTold) {
  const Outcome outcome = read_stream(
      chunk(R"({"content":"half"})") +
      "data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n");
  ASSERT_FALSE(outcome.reply.has_value());
  EXPECT_EQ(outcome.reply.error().code, core::Code::unavailable);
  EXPECT_THAT(outcome.reply.error().message, HasSubstr("Overloaded"));
  EXPECT_TRUE(outcome.temporary);
  const Outcome named = read_stream("event: error\ndata: no more credit\n\n");
  EXPECT_THAT(named.reply.error().message, HasSubstr("no more credit"));
  const Outcome object =
      read_stream(R"({"error":{"message":"too long","code":"context_length_exceeded"}})");
  EXPECT_EQ(object.reply.error().code, core::Code::out_of_range);
  EXPECT_FALSE(object.temporary);
}

TEST(CompletionStream, UnreadableEvent_IsToldInWords) {
  EXPECT_EQ(read_stream("data: {\"choices\":[\n\n").reply.error().code, core::Code::data_loss);
  EXPECT_EQ(read_stream("{\"choices\": nothing}").reply.error().code, core::Code::data_loss);
  EXPECT_EQ(read_stream("{\"hello\": 1}").reply.error().code, core::Code::data_loss);
  EXPECT_THAT(read_stream("<html>Not found</html>").reply.error().message, HasSubstr("base_url"));
  EXPECT_THAT(read_stream("").reply.error().message, HasSubstr("base_url"));
}

TEST(CompletionStream, NamesAndIds_AreBoundedText) {
  const std::string longer(1'000, 'i');
  const auto calls = calls_of(chunk("{\"tool_calls\":[{\"index\":0,\"id\":\"" + longer +
                                    "\",\"function\":{\"name\":\"a\xFF\"}}]}") +
                              kStop);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].id.size(), 256U);
  EXPECT_EQ(calls[0].name, "a\xEF\xBF\xBD");
}

TEST(CompletionStream, OddMembers_AreSkipped) {
  const Outcome outcome = read_stream(
      "data: {}\n\ndata: {\"choices\":7}\n\ndata: "
      "{\"choices\":[null,{\"index\":1,\"delta\":{\"content\":"
      "\"another "
      "choice\"}},{\"delta\":null},{\"delta\":{\"content\":7,\"tool_calls\":[7],\"reasoning\":{}}}]"
      ","
      "\"usage\":{\"prompt_tokens\":-4,\"completion_tokens\":\"x\"}}\n\n" +
      chunk(R"({"content":"a"})") + kStop);
  EXPECT_EQ(outcome.reply->message.content, "a");
  EXPECT_EQ(outcome.reply->usage, std::nullopt);
}

TEST(CompletionStream, Reply_IsEndedAtLimit) {
  const std::string piece = chunk("{\"content\":\"" + std::string(100'000, 'x') + "\"}");
  const ModelEvents events;
  CompletionStream stream(events, [] { return std::string(); });
  std::size_t fed = 0;
  while (stream.feed(piece)) {
    fed += 100'000;
    ASSERT_LE(fed, kMaxReplyBytes);
  }
  EXPECT_TRUE(stream.failed());
  EXPECT_EQ(stream.finish(false).error().code, core::Code::resource_exhausted);
}

TEST(CompletionStream, CallsOverLimit_AreRefused) {
  std::string answer;
  for (std::size_t i = 0; i <= CompletionStream::kMaxToolCalls; ++i) {
    answer +=
        chunk(R"({"tool_calls":[{"index":)" + std::to_string(i) + R"(,"function":{"name":"f"}}]})");
  }
  EXPECT_EQ(read_stream(answer + kStop).reply.error().code, core::Code::resource_exhausted);
}

}  // namespace
}  // namespace parley::model
