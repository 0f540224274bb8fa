// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace parley::assistant {
namespace {

using session::Answer;
using session::Content;
using testing::SizeIs;

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const std::string digits(hex.substr(i, 2));
    out.push_back(static_cast<char>(std::strtol(digits.c_str(), nullptr, 16)));
  }
  return out;
}

Content content(Content::Type type, std::string text, std::string mime, std::string uri,
                std::string data) {
  Content out;
  out.type = type;
  out.text = std::move(text);
  out.mime_type = std::move(mime);
  out.uri = std::move(uri);
  out.data = std::move(data);
  return out;
}

// --- contract section 7 --------------------------------------------------------------------------

pb::WebsocketMessage golden_login() {
  pb::WebsocketMessage out;
  out.set_cmd("UserLogin");
  out.set_strparam("tok");
  out.set_nickname("Al");
  return out;
}

pb::WebsocketMessage golden_online_users() {
  pb::WebsocketMessage out;
  out.set_cmd("GetOnlineUsers");
  out.mutable_getonlineusersrequest()->set_user_token("tok");
  return out;
}

pb::WebsocketMessage golden_chat() {
  pb::WebsocketMessage out;
  out.set_cmd("SendChatMessage");
  out.mutable_sendchatmessagerequest()->set_receiver_client_id("c2");
  out.mutable_sendchatmessagerequest()->set_content("hi");
  return out;
}

pb::WebsocketMessage golden_reply() {
  pb::WebsocketMessage out;
  out.set_cmd("AskQuestionReply");
  out.mutable_askquestionrequest()->set_id("r1");
  out.mutable_askquestionrequest()->set_usertoken("tok");
  session::Prompt prompt;
  prompt.project_directory = "/p";
  prompt.text = "q?";
  prompt.timeout_s = 600;
  *out.mutable_askquestionrequest()->mutable_request() = question_request(prompt);
  Answer answer;
  answer.contents.push_back(content(Content::Type::text, "ok", "", "", ""));
  *out.mutable_askquestionresponse() = question_response("r1", answer);
  return out;
}

pb::WebsocketMessage golden_pending() {
  pb::WebsocketMessage out;
  out.set_cmd("GetPendingMessages");
  out.mutable_getpendingmessagesresponse();
  return out;
}

pb::WebsocketMessage golden_cancelled() {
  pb::WebsocketMessage out;
  out.set_cmd("RequestCancelled");
  out.mutable_requestcancellednotification()->set_request_id("r1");
  out.mutable_requestcancellednotification()->set_reason("x");
  out.mutable_requestcancellednotification()->set_message_type("AskQuestion");
  return out;
}

pb::WebsocketMessage golden_validity() {
  pb::WebsocketMessage out;
  out.set_cmd("CheckMessageValidity");
  auto& validity = *out.mutable_checkmessagevalidityresponse()->mutable_validity();
  validity["r2"] = false;
  validity["r1"] = true;
  return out;
}

struct Golden {
  const char* name;
  const char* hex;
  pb::WebsocketMessage (*make)();
};

constexpr Golden kGolden[] = {
    {"UserLogin", "0a09557365724c6f67696e6203746f6b920102416c", golden_login},
    {"GetOnlineUsers", "0a0e4765744f6e6c696e6555736572739a01050a03746f6b", golden_online_users},
    {"SendChatMessage", "0a0f53656e64436861744d657373616765aa01080a02633212026869", golden_chat},
    {"AskQuestionReply",
     "0a1041736b5175657374696f6e5265706c7912160a0272311203746f6b1a0b0a022f701202713f18d80422140a02"
     "7231220e0801120a0a047465787412026f6b",
     golden_reply},
    {"GetPendingMessages", "0a1247657450656e64696e674d65737361676573820100", golden_pending},
    {"RequestCancelled",
     "0a105265717565737443616e63656c6c65648a01140a0272311201781a0b41736b5175657374696f6e",
     golden_cancelled},
    {"CheckMessageValidity",
     "0a14436865636b4d65737361676556616c696469747972100a060a02723110010a060a0272321000",
     golden_validity},
};

TEST(GoldenVectors, ContractFrames_AreEncodedByteForByte) {
  for (const Golden& golden : kGolden) {
    EXPECT_EQ(encode(golden.make()), from_hex(golden.hex)) << golden.name;
  }
}

TEST(GoldenVectors, ContractFrames_AreReadBack) {
  for (const Golden& golden : kGolden) {
    const auto message = decode_frame(from_hex(golden.hex));
    ASSERT_TRUE(message) << golden.name;
    EXPECT_EQ(encode(*message), from_hex(golden.hex)) << golden.name;
    EXPECT_EQ(message->cmd(), golden.name);
  }
}

TEST(Encode, Maps_AreWrittenInKeyOrder) {
  Answer answer;
  for (const char* key : {"zeta", "alpha", "mid"}) answer.meta[key] = "v";
  const std::string bytes = encode(question_response("r", answer));
  EXPECT_LT(bytes.find("alpha"), bytes.find("mid"));
  EXPECT_LT(bytes.find("mid"), bytes.find("zeta"));
}

TEST(DecodeFrame, OtherThanMessage_IsRefused) {
  EXPECT_FALSE(
      decode_frame("\x0a\x05"
                   "ab"));
  EXPECT_FALSE(decode_frame("\x0a\x02\xff\xfe")) << "a Cmd that is not UTF-8";
  EXPECT_EQ(decode_frame("\xff").error().code, core::Code::invalid_argument);
}

TEST(DecodeFrame, FieldsOfLaterGenerations_AreSkipped) {
  const auto message = decode_frame(encode(golden_login()) + from_hex("ca3e0178"));
  ASSERT_TRUE(message);
  EXPECT_EQ(message->strparam(), "tok");
}

// --- prompts -------------------------------------------------------------------------------------

TEST(Prompt, ThirdGenerationQuestion_RoundTrips) {
  session::Prompt prompt;
  prompt.text = "Which way?";
  prompt.project_directory = "/p";
  prompt.agent_name = "coder";
  prompt.model_name = "model-1";
  prompt.client_name = "editor";
  prompt.timeout_s = 30;
  prompt.questions = {{"Which way?", "Way", {{"left", "the short one"}, {"right", ""}}, true, true},
                      {"When?", "", {}, false, false}};
  EXPECT_EQ(prompt_of(question_request(prompt)), prompt);
}

TEST(Prompt, Report_RoundTrips) {
  session::Prompt prompt;
  prompt.text = "Done.";
  prompt.project_directory = "/p";
  prompt.agent_name = "coder";
  prompt.model_name = "model-1";
  prompt.client_name = "editor";
  prompt.timeout_s = 30;
  EXPECT_EQ(prompt_of(report_request(prompt)), prompt);
}

TEST(Prompt, StructuredQuestionWithoutText_ShowsFirstQuestion) {
  pb::McpAskQuestionRequest request;
  request.add_questions()->set_question("Which way?");
  EXPECT_EQ(prompt_of(request).text, "Which way?");
}

// --- answers -------------------------------------------------------------------------------------

TEST(Answer, EveryKindOfContent_RoundTrips) {
  const std::string raw("\0\xff\x10raw", 6);
  Answer answer;
  answer.is_error = true;
  answer.meta = {{"a", "1"}, {"b", "2"}};
  answer.contents = {content(Content::Type::text, "hello", "", "", ""),
                     content(Content::Type::image, "", "image/png", "", raw),
                     content(Content::Type::audio, "", "audio/wav", "", raw),
                     content(Content::Type::resource, "", "text/x", "file://a", raw)};
  const auto question = answer_of(question_response("r", answer));
  const auto report = answer_of(report_response("r", answer));
  ASSERT_TRUE(question);
  ASSERT_TRUE(report);
  EXPECT_EQ(*question, answer);
  EXPECT_EQ(*report, answer);
}

TEST(Answer, Images_TravelAsBase64_ResourcesRaw) {
  Answer answer;
  answer.contents = {content(Content::Type::image, "", "image/png", "", "\xff\xfe\xfd"),
                     content(Content::Type::resource, "", "", "", "\xff\xfe\xfd")};
  const auto wire = question_response("r", answer);
  EXPECT_EQ(wire.contents(0).type(), 2);
  EXPECT_EQ(wire.contents(0).image().type(), "image");
  EXPECT_EQ(wire.contents(0).image().data(), "//79");
  EXPECT_EQ(wire.contents(1).type(), 4);
  EXPECT_EQ(wire.contents(1).embedded_resource().type(), "embedded_resource");
  EXPECT_EQ(wire.contents(1).embedded_resource().data(), "\xff\xfe\xfd");
}

TEST(Answer, UnreadableContent_IsNamed) {
  pb::AskQuestionResponse response;
  response.add_contents()->mutable_text()->set_text("no type, but a text");
  EXPECT_TRUE(answer_of(response));
  pb::McpResultContent& image = *response.add_contents();
  image.set_type(2);
  image.mutable_image()->set_data("not base64!");
  ASSERT_FALSE(answer_of(response));
  EXPECT_EQ(answer_of(response).error().field, "contents[1]");
  image.Clear();
  image.set_type(9);
  EXPECT_FALSE(answer_of(response)) << "an unknown type";
  image.set_type(3);
  EXPECT_FALSE(answer_of(response)) << "audio without its part";
}

// --- outcomes ------------------------------------------------------------------------------------

session::Interaction ended(session::InteractionState state) {
  session::Interaction interaction;
  interaction.state = state;
  interaction.opened_at = core::from_unix_ms(1'000'000);
  interaction.deadline = interaction.opened_at + std::chrono::seconds(90);
  return interaction;
}

TEST(ResultOf, Fault04_MissingAnswer_IsExplainedToAgent) {
  const Answer timeout = result_of(ended(session::InteractionState::expired));
  EXPECT_TRUE(timeout.is_error);
  EXPECT_EQ(timeout.meta.at("error"), "timeout");
  EXPECT_EQ(timeout.meta.at("message"), "Request timed out after 90 seconds");
  ASSERT_THAT(timeout.contents, SizeIs(1));
  EXPECT_EQ(timeout.contents[0].text, "Request timed out after 90 seconds");

  session::Interaction interaction = ended(session::InteractionState::cancelled);
  EXPECT_EQ(result_of(interaction).contents.at(0).text, "Request was cancelled by client");
  interaction.outcome.reason = "The work is no longer wanted.";
  const Answer cancelled = result_of(interaction);
  EXPECT_TRUE(cancelled.is_error);
  EXPECT_EQ(cancelled.meta.at("error"), "cancelled");
  EXPECT_EQ(cancelled.contents.at(0).text, "The work is no longer wanted.");
}

TEST(ResultOf, Fault04_ErrorReply_KeepsContentsOrGetsWords) {
  session::Interaction interaction = ended(session::InteractionState::answered);
  interaction.outcome.answer.is_error = true;
  interaction.outcome.answer.contents = {content(Content::Type::text, "no: too risky", "", "", "")};
  EXPECT_EQ(result_of(interaction).contents, interaction.outcome.answer.contents);
  interaction.outcome.answer.contents.clear();
  interaction.outcome.answer.meta["message"] = "rejected by Al";
  const Answer told = result_of(interaction);
  EXPECT_EQ(told.contents.at(0).text, "rejected by Al");
  EXPECT_EQ(told.meta.at("error"), "error_reply");
  interaction.outcome.answer.meta.clear();
  EXPECT_FALSE(result_of(interaction).contents.at(0).text.empty());
}

TEST(ResultOf, Answer_IsPassedOnUnchanged) {
  session::Interaction interaction = ended(session::InteractionState::answered);
  interaction.outcome.answer.meta["k"] = "v";
  EXPECT_EQ(result_of(interaction), interaction.outcome.answer);
}

}  // namespace
}  // namespace parley::assistant
