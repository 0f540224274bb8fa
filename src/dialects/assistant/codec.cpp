// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/core/base64.h"
#include "base/core/duration_text.h"
#include "base/core/limits.h"

namespace parley::assistant {
namespace {

using core::base64_decode;
using core::base64_encode;
using session::Answer;
using session::Content;

constexpr int kText = 1;
constexpr int kImage = 2;
constexpr int kAudio = 3;
constexpr int kResource = 4;

int type_of(const pb::McpResultContent& wire) {
  if (wire.type() != 0) return wire.type();
  if (wire.has_text()) return kText;
  if (wire.has_image()) return kImage;
  if (wire.has_audio()) return kAudio;
  if (wire.has_embedded_resource()) return kResource;
  return 0;
}

template <typename Media>
bool read_media(const Media& media, Content& out) {
  std::optional<std::string> data = base64_decode(media.data());
  if (!data) return false;
  out.data = std::move(*data);
  out.mime_type = media.mime_type();
  return true;
}

// False if the content cannot be read.
bool read_content(const pb::McpResultContent& wire, Content& out) {
  switch (type_of(wire)) {
    case kText:
      if (!wire.has_text()) return false;
      out.type = Content::Type::text;
      out.text = wire.text().text();
      return true;
    case kImage:
      out.type = Content::Type::image;
      return wire.has_image() && read_media(wire.image(), out);
    case kAudio:
      out.type = Content::Type::audio;
      return wire.has_audio() && read_media(wire.audio(), out);
    case kResource:
      if (!wire.has_embedded_resource()) return false;
      out.type = Content::Type::resource;
      out.uri = wire.embedded_resource().uri();
      out.mime_type = wire.embedded_resource().mime_type();
      out.data = wire.embedded_resource().data();
      return true;
    default:
      return false;
  }
}

void write_content(const Content& content, pb::McpResultContent& out) {
  switch (content.type) {
    case Content::Type::text:
      out.set_type(kText);
      out.mutable_text()->set_type("text");
      out.mutable_text()->set_text(content.text);
      return;
    case Content::Type::image:
      out.set_type(kImage);
      out.mutable_image()->set_type("image");
      out.mutable_image()->set_data(base64_encode(content.data));
      out.mutable_image()->set_mime_type(content.mime_type);
      return;
    case Content::Type::audio:
      out.set_type(kAudio);
      out.mutable_audio()->set_type("audio");
      out.mutable_audio()->set_data(base64_encode(content.data));
      out.mutable_audio()->set_mime_type(content.mime_type);
      return;
    case Content::Type::resource:
      out.set_type(kResource);
      out.mutable_embedded_resource()->set_type("embedded_resource");
      out.mutable_embedded_resource()->set_uri(content.uri);
      out.mutable_embedded_resource()->set_mime_type(content.mime_type);
      out.mutable_embedded_resource()->set_data(content.data);
      return;
  }
}

template <typename Response>
core::Result<Answer> read_answer(const Response& response) {
  Answer answer;
  answer.is_error = response.iserror();
  for (const auto& [name, value] : response.meta()) answer.meta.emplace(name, value);
  answer.contents.reserve(static_cast<std::size_t>(response.contents_size()));
  for (int i = 0; i < response.contents_size(); ++i) {
    Content& content = answer.contents.emplace_back();
    if (!read_content(response.contents(i), content)) {
      return core::fail(
          core::Code::invalid_argument,
          "A content must have a known type, the part of that type, and valid base64.",
          "contents[" + std::to_string(i) + "]");
    }
  }
  return answer;
}

template <typename Response>
Response write_answer(std::string_view id, const Answer& answer) {
  Response out;
  out.set_id(std::string(id));
  out.set_iserror(answer.is_error);
  for (const auto& [name, value] : answer.meta) (*out.mutable_meta())[name] = value;
  for (const Content& content : answer.contents) write_content(content, *out.add_contents());
  return out;
}

template <typename Request>
void read_asker(const Request& request, session::Prompt& out) {
  out.project_directory = request.projectdirectory();
  out.timeout_s = request.timeout();
  out.agent_name = request.agentname();
  out.model_name = request.reasoningmodelname();
  out.client_name = request.mcpclientname();
}

template <typename Request>
void write_asker(const session::Prompt& prompt, Request& out) {
  out.set_projectdirectory(prompt.project_directory);
  out.set_timeout(prompt.timeout_s);
  out.set_agentname(prompt.agent_name);
  out.set_reasoningmodelname(prompt.model_name);
  out.set_mcpclientname(prompt.client_name);
}

// Adds a text to an error answer that has none; its contents stay.
Answer with_words(Answer answer) {
  if (!answer.is_error) return answer;
  answer.meta.try_emplace("error", "error_reply");
  if (answer.contents.empty()) {
    const auto message = answer.meta.find("message");
    const bool explained = message != answer.meta.end() && !message->second.empty();
    answer.contents.push_back(core::text_content(
        explained ? message->second : "The user replied with an error and no text."));
  }
  return answer;
}

}  // namespace

std::string encode(const google::protobuf::MessageLite& message) {
  std::string out;
  out.reserve(message.ByteSizeLong());
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return out;
}

core::Result<pb::WebsocketMessage> decode_frame(std::string_view bytes) {
  pb::WebsocketMessage message;
  const bool fits = bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (!fits || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return core::fail(core::Code::invalid_argument, "The frame is not a WebsocketMessage.");
  }
  return message;
}

core::Result<void> check_questions(const pb::McpAskQuestionRequest& request) {
  namespace limits = core::limits;
  const auto& questions = request.questions();
  const bool few = static_cast<std::size_t>(questions.size()) <= limits::kMaxQuestions &&
                   std::all_of(questions.begin(), questions.end(), [](const pb::Question& one) {
                     return static_cast<std::size_t>(one.options_size()) <= limits::kMaxChoices;
                   });
  if (few) return {};
  return core::fail(core::Code::invalid_argument,
                    "At most " + std::to_string(limits::kMaxQuestions) + " questions, and " +
                        std::to_string(limits::kMaxChoices) + " choices of each, are allowed.");
}

session::Prompt prompt_of(const pb::McpAskQuestionRequest& request) {
  session::Prompt prompt;
  read_asker(request, prompt);
  prompt.text = request.question();
  for (const pb::Question& wire : request.questions()) {
    session::Question& question = prompt.questions.emplace_back();
    question.text = wire.question();
    question.header = wire.header();
    question.multiple = wire.multiple();
    question.custom = wire.custom();
    for (const pb::Option& option : wire.options()) {
      question.choices.push_back({option.label(), option.description()});
    }
  }
  if (prompt.text.empty() && !prompt.questions.empty()) prompt.text = prompt.questions[0].text;
  return prompt;
}

session::Prompt prompt_of(const pb::McpTaskFinishRequest& request) {
  session::Prompt prompt;
  read_asker(request, prompt);
  prompt.text = request.summary();
  return prompt;
}

pb::McpAskQuestionRequest question_request(const session::Prompt& prompt) {
  pb::McpAskQuestionRequest out;
  write_asker(prompt, out);
  out.set_question(prompt.text);
  for (const session::Question& question : prompt.questions) {
    pb::Question& wire = *out.add_questions();
    wire.set_question(question.text);
    wire.set_header(question.header);
    wire.set_multiple(question.multiple);
    wire.set_custom(question.custom);
    for (const session::Choice& choice : question.choices) {
      pb::Option& option = *wire.add_options();
      option.set_label(choice.label);
      option.set_description(choice.description);
    }
  }
  return out;
}

pb::McpTaskFinishRequest report_request(const session::Prompt& prompt) {
  pb::McpTaskFinishRequest out;
  write_asker(prompt, out);
  out.set_summary(prompt.text);
  return out;
}

core::Result<Answer> answer_of(const pb::AskQuestionResponse& response) {
  return read_answer(response);
}

core::Result<Answer> answer_of(const pb::TaskFinishResponse& response) {
  return read_answer(response);
}

pb::AskQuestionResponse question_response(std::string_view id, const Answer& answer) {
  return write_answer<pb::AskQuestionResponse>(id, answer);
}

pb::TaskFinishResponse report_response(std::string_view id, const Answer& answer) {
  return write_answer<pb::TaskFinishResponse>(id, answer);
}

Answer error_result(std::string_view code, std::string_view message) {
  Answer answer;
  answer.is_error = true;
  answer.meta.emplace("error", code);
  answer.meta.emplace("message", message);
  answer.contents.push_back(core::text_content(std::string(message)));
  return answer;
}

std::string reason_of(const session::Interaction& interaction) {
  if (interaction.state == session::InteractionState::expired) {
    const auto waited =
        std::chrono::duration_cast<core::Millis>(interaction.deadline - interaction.opened_at);
    return "Request timed out after " + std::to_string(core::rounded_seconds(waited)) + " seconds";
  }
  if (!interaction.outcome.reason.empty()) return interaction.outcome.reason;
  return "Request was cancelled by client";
}

Answer result_of(const session::Interaction& interaction) {
  switch (interaction.state) {
    case session::InteractionState::answered:
      return with_words(interaction.outcome.answer);
    case session::InteractionState::expired:
      return error_result("timeout", reason_of(interaction));
    case session::InteractionState::cancelled:
      return error_result("cancelled", reason_of(interaction));
    case session::InteractionState::pending:
      break;
  }
  return error_result("internal", "The question has no outcome yet.");
}

session::Shown take_shown(session::Answer& answer) {
  const auto digest = answer.meta.find(std::string(kShownMeta));
  if (digest == answer.meta.end()) return {};
  session::Shown shown{session::Shown::Source::by_client, std::move(digest->second)};
  answer.meta.erase(digest);
  return shown;
}

}  // namespace parley::assistant
