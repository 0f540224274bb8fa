// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/frames.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/answer_text.h"
#include "base/core/find_part.h"
#include "model/session/approval.h"

namespace parley::assistant {

namespace {

using session::Choice;
using session::Question;

// Pages show the text as it is, or as Markdown: both show these lines as a list.
void add_choices(std::string& out, const Question& question) {
  for (const Choice& choice : question.choices) {
    out.append("\n- ").append(choice.label);
    if (!choice.description.empty()) out.append(": ").append(choice.description);
  }
}

std::string_view how_to_answer(const Question& question) {
  if (question.multiple) {
    return question.custom
               ? "Answer with one or more of these, separated by commas, or in your own words:"
               : "Answer with one or more of these, separated by commas:";
  }
  return question.custom ? "Answer with one of these words, or in your own:"
                         : "Answer with one of these words:";
}

std::string single_question(const session::Prompt& prompt, const Question& question) {
  std::string out = prompt.text;
  if (!core::has_part(out, question.text)) {
    out.append(out.empty() ? "" : "\n\n").append(question.text);
  }
  if (question.choices.empty()) return out;
  out.append("\n\n").append(how_to_answer(question)).append("\n");
  add_choices(out, question);
  return out;
}

std::string several_questions(const session::Prompt& prompt) {
  std::string out = prompt.text;
  std::string form;
  for (std::size_t i = 0; i < prompt.questions.size(); ++i) {
    const Question& question = prompt.questions[i];
    const std::string& name = question.header.empty() ? question.text : question.header;
    out.append("\n\n").append(std::to_string(i + 1)).append(". ").append(question.header);
    if (!question.header.empty() && !question.text.empty()) out.append(": ");
    out.append(question.text);
    if (!question.choices.empty()) out.append("\n");
    add_choices(out, question);
    form.append("\nQ: ").append(name).append("\nA: ...");
  }
  out.append("\n\nAnswer all ").append(std::to_string(prompt.questions.size()));
  return out.append(" of them in this form:\n\n```").append(form).append("\n```");
}

}  // namespace

std::string question_in_words(const session::Prompt& prompt) {
  if (prompt.questions.empty()) return prompt.text;
  if (prompt.questions.size() > 1) return several_questions(prompt);
  return single_question(prompt, prompt.questions.front());
}

namespace {

using session::Interaction;
using session::InteractionKind;
using session::InteractionState;

bool is_question(InteractionKind kind) { return shown_kind(kind) == InteractionKind::question; }

constexpr std::string_view kAgain = "/again/";

pb::McpAskQuestionRequest in_form(const session::Prompt& prompt, QuestionForm form) {
  pb::McpAskQuestionRequest out = question_request(prompt);
  if (form == QuestionForm::in_words) out.set_question(question_in_words(prompt));
  return out;
}

pb::McpAskQuestionRequest question_of(const Interaction& interaction, QuestionForm form) {
  if (interaction.kind != InteractionKind::tool_approval) return in_form(interaction.prompt, form);
  return in_form(session::shown_approval(interaction.prompt), form);
}

std::string by_client(std::string_view what, const Interaction& interaction) {
  std::string out(what);
  out += " client ";
  out += interaction.outcome.client_id;
  return out;
}

template <typename Response>
void tell_channel(Response& response, const Interaction& interaction, Naming naming) {
  const std::string_view channel = session::channel_name(interaction.outcome.by.channel);
  if (naming != Naming::holder || channel.empty()) return;
  (*response.mutable_meta())[std::string(kChannelMeta)] = std::string(channel);
}

pb::WebsocketMessage reply_notification(const Interaction& interaction, Spelling spelling,
                                        QuestionForm form, Naming naming) {
  pb::WebsocketMessage out;
  out.set_cmd(std::string(kind_cmd(interaction.kind, spelling)) + "ReplyNotification");
  out.set_nickname(naming == Naming::holder ? session::name_of_answerer(interaction.outcome)
                                            : interaction.outcome.nickname);
  if (is_question(interaction.kind)) {
    out.mutable_askquestionrequest()->set_id(interaction.key);
    *out.mutable_askquestionrequest()->mutable_request() = question_of(interaction, form);
    *out.mutable_askquestionresponse() =
        question_response(interaction.key, interaction.outcome.answer);
    tell_channel(*out.mutable_askquestionresponse(), interaction, naming);
    out.set_strparam(by_client("Response received from", interaction));
    return out;
  }
  out.mutable_taskfinishrequest()->set_id(interaction.key);
  *out.mutable_taskfinishrequest()->mutable_request() = report_request(interaction.prompt);
  *out.mutable_taskfinishresponse() = report_response(interaction.key, interaction.outcome.answer);
  tell_channel(*out.mutable_taskfinishresponse(), interaction, naming);
  out.set_strparam(by_client(spelling == Spelling::task_finish ? "Task completion confirmed by"
                                                               : "Work report confirmed by",
                             interaction));
  return out;
}

pb::AskQuestionRequest whole_question(const Interaction& interaction, QuestionForm form) {
  pb::AskQuestionRequest out;
  out.set_id(interaction.key);
  out.set_timestamp(core::to_unix_ms(interaction.opened_at));
  *out.mutable_request() = question_of(interaction, form);
  return out;
}

pb::TaskFinishRequest whole_report(const Interaction& interaction) {
  pb::TaskFinishRequest out;
  out.set_id(interaction.key);
  out.set_timestamp(core::to_unix_ms(interaction.opened_at));
  *out.mutable_request() = report_request(interaction.prompt);
  return out;
}

}  // namespace

std::optional<Generation> generation_from(std::string_view text) {
  if (text == "1") return Generation::first;
  if (text == "2") return Generation::second;
  if (text == "3") return Generation::third;
  return std::nullopt;
}

std::optional<InteractionKind> shown_kind(InteractionKind kind) {
  switch (kind) {
    case InteractionKind::question:
    case InteractionKind::tool_approval:
      return InteractionKind::question;
    case InteractionKind::task_finish:
      return kind;
    case InteractionKind::client_tool_call:
    case InteractionKind::ui_tool_call:
      break;
  }
  return std::nullopt;
}

bool has_choices(const Interaction& interaction) {
  return interaction.kind == InteractionKind::tool_approval ||
         (is_question(interaction.kind) && !interaction.prompt.questions.empty());
}

std::span<const Spelling> spellings_for(InteractionKind kind, Generation generation) {
  static constexpr std::array<Spelling, 2> kBoth = {Spelling::task_finish, Spelling::work_report};
  const std::span<const Spelling> both(kBoth);
  if (is_question(kind)) return both.first(1);
  if (kind != InteractionKind::task_finish) return {};
  switch (generation) {
    case Generation::first:
      return both.first(1);
    case Generation::second:
    case Generation::third:
      return both.last(1);
    case Generation::unknown:
      break;
  }
  return both;
}

std::span<const Spelling> closed_spellings_for(const Interaction& interaction,
                                               Generation generation) {
  const std::span<const Spelling> all = spellings_for(interaction.kind, generation);
  if (interaction.state == InteractionState::answered || all.empty()) return all;
  return all.last(1);
}

std::string_view kind_cmd(InteractionKind kind, Spelling spelling) {
  if (is_question(kind)) return "AskQuestion";
  return spelling == Spelling::task_finish ? "TaskFinish" : "WorkReport";
}

pb::WebsocketMessage ask_frame(const Interaction& interaction, Spelling spelling,
                               QuestionForm form) {
  pb::WebsocketMessage out;
  out.set_cmd(std::string(kind_cmd(interaction.kind, spelling)));
  if (is_question(interaction.kind)) {
    *out.mutable_askquestionrequest() = whole_question(interaction, form);
  } else {
    *out.mutable_taskfinishrequest() = whole_report(interaction);
  }
  return out;
}

pb::WebsocketMessage ask_again_frame(const Interaction& approval, std::string_view answer,
                                     QuestionForm form) {
  Interaction again = approval;
  again.prompt.text = core::asked_again_words(answer, {session::kAllow, session::kDeny}) + "\n\n" +
                      again.prompt.text;
  return ask_frame(again, Spelling::task_finish, form);
}

std::string again_id(std::string_view id) {
  const std::string_view key = key_of_again(id);
  std::uint32_t count = 0;
  if (key != id) {
    const std::string_view digits = id.substr(key.size() + kAgain.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
  }
  return std::string(key) + std::string(kAgain) + std::to_string(count + 1);
}

std::string_view key_of_again(std::string_view id) {
  constexpr std::size_t kMaxDigits = 6;
  const std::size_t at = id.rfind(kAgain);
  if (at == std::string_view::npos) return id;
  const std::string_view digits = id.substr(at + kAgain.size());
  const bool counts = !digits.empty() && digits.size() <= kMaxDigits &&
                      digits.find_first_not_of("0123456789") == std::string_view::npos;
  return counts ? id.substr(0, at) : id;
}

pb::WebsocketMessage closed_frame(const Interaction& interaction, Spelling spelling,
                                  QuestionForm form, Naming naming) {
  if (interaction.state == InteractionState::answered) {
    return reply_notification(interaction, spelling, form, naming);
  }
  pb::WebsocketMessage out;
  out.set_cmd("RequestCancelled");
  pb::RequestCancelledNotification& body = *out.mutable_requestcancellednotification();
  body.set_request_id(interaction.key);
  body.set_reason(reason_of(interaction));
  body.set_message_type(std::string(kind_cmd(interaction.kind, spelling)));
  return out;
}

pb::PendingMessage pending_entry(const Interaction& interaction, Spelling spelling,
                                 QuestionForm form) {
  pb::PendingMessage out;
  out.set_message_type(std::string(kind_cmd(interaction.kind, spelling)));
  out.set_created_at(core::to_unix_ms(interaction.opened_at));
  out.set_timeout(interaction.prompt.timeout_s);
  if (is_question(interaction.kind)) {
    *out.mutable_ask_question_request() = whole_question(interaction, form);
  } else {
    *out.mutable_task_finish_request() = whole_report(interaction);
  }
  return out;
}

pb::OnlineUser online_user(const session::ParticipantInfo& info) {
  pb::OnlineUser out;
  out.set_client_id(info.client_id);
  out.set_nickname(info.nickname);
  out.set_connected_at(core::to_unix_s(info.connected_at));
  return out;
}

pb::WebsocketMessage presence_frame(const session::ParticipantInfo& who, bool connected,
                                    core::WallTime at) {
  pb::WebsocketMessage out;
  out.set_cmd("UserConnectionStatusNotification");
  pb::UserConnectionStatusNotification& body = *out.mutable_userconnectionstatusnotification();
  *body.mutable_user() = online_user(who);
  body.set_status(connected ? "connected" : "disconnected");
  body.set_timestamp(core::to_unix_s(at));
  return out;
}

pb::WebsocketMessage chat_frame(const session::DirectMessage& message) {
  pb::WebsocketMessage out;
  out.set_cmd("ChatMessageNotification");
  pb::ChatMessage& chat = *out.mutable_chatmessagenotification()->mutable_chat_message();
  chat.set_message_id(message.id);
  chat.set_sender_client_id(message.from.client_id);
  chat.set_sender_nickname(message.from.nickname);
  chat.set_receiver_client_id(message.to.client_id);
  chat.set_receiver_nickname(message.to.nickname);
  chat.set_content(message.text);
  chat.set_sent_at(core::to_unix_s(message.sent_at));
  if (!message.detail.empty() && !chat.mutable_forward_target()->ParseFromString(message.detail)) {
    chat.clear_forward_target();
  }
  return out;
}

pb::WebsocketMessage login_frame(std::string_view client_id, std::string_view server_version) {
  pb::WebsocketMessage out;
  out.set_cmd("UserLogin");
  out.set_strparam(std::string(server_version));
  out.mutable_userloginresponse()->set_client_id(std::string(client_id));
  out.mutable_userloginresponse()->set_success(true);
  return out;
}

pb::WebsocketMessage login_refused_frame(std::string_view message) {
  pb::WebsocketMessage out;
  out.set_cmd("UserLogin");
  out.mutable_userloginresponse()->set_error_message(std::string(message));
  return out;
}

}  // namespace parley::assistant
