// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/session/interaction_json.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/base64.h"
#include "base/core/limits.h"
#include "base/core/sha256.h"
#include "dialects/api/json_input.h"
#include "model/session/notice_key.h"

namespace parley::api {
namespace {

namespace dom = simdjson::dom;
using Need = ObjectReader::Need;
using session::Content;

// Limit (/v1): contents in one request. Reached: `invalid_argument`.
constexpr std::size_t kMaxContents = 100;
// Limit (/v1): `wait` of a request that asks. Reached: `invalid_argument`.
constexpr std::int64_t kMaxHold_s = 3'600;
// Limit (/v1): title of a notice, one line. Reached: `invalid_argument`.
constexpr std::size_t kMaxNoticeTitleBytes = 200;
// Limit (/v1): text of a notice. Reached: `invalid_argument`.
constexpr std::size_t kMaxNoticeTextBytes = 64U << 10U;
// Limit (/v1): `replace` of a notice. Reached: `invalid_argument`.
constexpr std::size_t kMaxReplaceBytes = 128;
constexpr std::array<std::string_view, 4> kContentTypes = {"text", "image", "audio", "resource"};

struct Parts {
  std::string_view state;
  std::uint64_t opened_seq = 0;
  std::uint64_t closed_seq = 0;
};

// Copies a member of a stored payload unchanged.
void copy(core::JsonWriter& json, dom::object from, std::string_view name) {
  dom::element value;
  if (from.at_key(name).get(value) == simdjson::SUCCESS) {
    json.key(name).raw(simdjson::minify(value));
  }
}

core::Result<void> write_payloads(core::JsonWriter& json, std::string_view session,
                                  const std::string& opened_text, const std::string& closed_text,
                                  const Parts& parts) {
  dom::parser opened_parser;
  dom::parser closed_parser;
  dom::object opened;
  dom::object closed;
  const bool pending = closed_text.empty();
  if (opened_parser.parse(opened_text).get(opened) != simdjson::SUCCESS ||
      (!pending && closed_parser.parse(closed_text).get(closed) != simdjson::SUCCESS)) {
    return core::fail(core::Code::data_loss,
                      "The stored events of this interaction are not valid JSON.");
  }
  json.begin_object().key("session").string(session);
  for (const std::string_view name : {"id", "key", "kind"}) copy(json, opened, name);
  json.key("state").string(parts.state);
  for (const std::string_view name : {"prompt", "opened_at", "deadline"}) copy(json, opened, name);
  json.key("opened_seq").number(parts.opened_seq);
  if (!pending) {
    json.key("closed_seq").number(parts.closed_seq);
    json.key("outcome").begin_object();
    for (const std::string_view name :
         {"answer", "reason", "client_id", "nickname", "by", "shown", "at"}) {
      copy(json, closed, name);
    }
    json.end_object();
  }
  json.end_object();
  return {};
}

void read_question(ObjectReader& in, session::Question& out) {
  in.text("text", out.text, Need::required);
  in.text("header", out.header);
  in.each("choices", core::limits::kMaxChoices, [&out](ObjectReader& item) {
    session::Choice choice;
    item.text("label", choice.label, Need::required);
    item.text("description", choice.description);
    out.choices.push_back(std::move(choice));
  });
  in.boolean("multiple", out.multiple);
  in.boolean("custom", out.custom);
}

void read_digest(ObjectReader& in, std::string_view name, std::string& out) {
  in.text(name, out);
  if (in.has(name) && !core::is_sha256_hex(out)) {
    in.fail(name, "must be a SHA-256: 64 hexadecimal digits in lower case.");
  }
}

void read_prompt(ObjectReader& in, session::Prompt& out) {
  in.text("text", out.text, Need::required);
  in.text("project_directory", out.project_directory);
  in.text("agent_name", out.agent_name);
  in.text("model_name", out.model_name);
  in.text("client_name", out.client_name);
  std::int64_t timeout = 0;
  in.integer("timeout_s", timeout, 0, core::limits::kMaxWait / std::chrono::seconds(1));
  out.timeout_s = static_cast<std::int32_t>(timeout);
  in.each("questions", core::limits::kMaxQuestions,
          [&out](ObjectReader& item) { read_question(item, out.questions.emplace_back()); });
  in.raw("detail", out.detail);
  read_digest(in, "arguments_sha256", out.arguments_sha256);
  std::string action;
  in.raw("action", action);
  if (action.empty()) return;
  auto named = session::read_action(action);
  if (!named) return in.fail("action", named.error().message);
  // One that the person does not see is not remembered.
  if (session::shows_action(out, *named)) out.action = *std::move(named);
}

void read_content(ObjectReader& in, Content& out) {
  std::string type;
  std::string data;
  in.text("type", type, Need::required);
  in.text("text", out.text);
  in.text("mime_type", out.mime_type);
  in.text("uri", out.uri);
  in.text("data", data);
  bool known = false;
  for (std::size_t i = 0; i < kContentTypes.size(); ++i) {
    if (kContentTypes.at(i) != type) continue;
    out.type = static_cast<Content::Type>(i);
    known = true;
  }
  if (!known) in.fail("type", "must be text, image, audio or resource.");
  auto bytes = core::base64_decode(data);
  if (!bytes) {
    in.fail("data", "must be valid base64.");
  } else {
    out.data = std::move(*bytes);
  }
}

void read_actor(ObjectReader& in, session::ActorName& out) {
  in.text("client_id", out.client_id);
  in.text("nickname", out.nickname);
  if (out.client_id.size() > core::limits::kMaxKeyBytes) in.fail("client_id", "is too long.");
  if (out.nickname.size() > core::limits::kMaxNicknameBytes) in.fail("nickname", "is too long.");
}

}  // namespace

core::Result<void> write_interaction(core::JsonWriter& json,
                                     const event::StoredInteraction& stored) {
  return write_payloads(json, stored.row.session, stored.opened_payload, stored.closed_payload,
                        {stored.row.state, stored.row.opened_seq, stored.row.closed_seq});
}

void write_interaction(core::JsonWriter& json, const session::Interaction& interaction) {
  const bool pending = interaction.state == session::InteractionState::pending;
  // Cannot fail, because the payloads are made from the model.
  (void)write_payloads(
      json, interaction.session, session::opened_payload(interaction),
      pending ? std::string() : session::closed_payload(interaction),
      {session::state_name(interaction.state), interaction.opened_seq, interaction.closed_seq});
}

core::Result<AskInput> read_ask(std::string_view body, session::Authority by) {
  AskInput out{{std::move(by)}};
  const auto read = read_object(body, [&out](ObjectReader& in) {
    in.text("key", out.request.key);
    if (out.request.key.size() > core::limits::kMaxKeyBytes) {
      in.fail("key", "must be at most " + std::to_string(core::limits::kMaxKeyBytes) + " bytes.");
    }
    std::string kind = "question";
    in.text("kind", kind);
    if (const auto known = session::kind_from_name(kind)) {
      out.request.kind = *known;
    } else {
      in.fail("kind",
              "must be question, task_finish, tool_approval, client_tool_call or ui_tool_call.");
    }
    in.object(
        "prompt", [&out](ObjectReader& inner) { read_prompt(inner, out.request.prompt); },
        Need::required);
    std::int64_t wait = 0;
    in.integer("wait", wait, 0, kMaxHold_s);
    out.wait = std::chrono::seconds(wait);
  });
  if (!read) return core::fail(read.error());
  return out;
}

core::Result<NoticeInput> read_notice(std::string_view body, session::Authority by) {
  NoticeInput out{{std::move(by)}};
  const auto read = read_object(body, [&out](ObjectReader& in) {
    session::Prompt& prompt = out.request.prompt;
    out.request.kind = session::InteractionKind::task_finish;
    out.kind = session::kNoticeKinds.front();
    in.text("kind", out.kind);
    const auto& kinds = session::kNoticeKinds;
    if (std::find(kinds.begin(), kinds.end(), out.kind) == kinds.end()) {
      in.fail("kind", "must be done, idle, waiting or failed.");
    }
    in.text("title", prompt.text, Need::required);
    const bool one_line = prompt.text.find_first_of("\r\n") == std::string::npos;
    if (prompt.text.empty() || prompt.text.size() > kMaxNoticeTitleBytes || !one_line) {
      in.fail("title", "must be one line of 1 to 200 bytes.");
    }
    std::string text;
    in.text("text", text);
    if (text.size() > kMaxNoticeTextBytes) in.fail("text", "must be at most 64 KiB.");
    if (!text.empty()) prompt.text.append("\n\n").append(text);
    in.text("project_directory", prompt.project_directory);
    in.text("agent_name", prompt.agent_name);
    in.text("model_name", prompt.model_name);
    in.text("client_name", prompt.client_name);
    in.text("replace", out.replace);
    if (out.replace.size() > kMaxReplaceBytes) in.fail("replace", "must be at most 128 bytes.");
    std::int64_t life = core::limits::kMaxWait / std::chrono::seconds(1);
    in.integer("expires_s", life, 1, life);
    prompt.timeout_s = static_cast<std::int32_t>(life);
  });
  if (!read) return core::fail(read.error());
  return out;
}

core::Result<AnswerInput> read_answer(std::string_view body) {
  AnswerInput out;
  const auto read = read_object(body, [&out](ObjectReader& in) {
    std::string text;
    in.text("text", text);
    if (in.has("text")) out.answer.contents.push_back({Content::Type::text, text, {}, {}, {}});
    in.each("contents", kMaxContents,
            [&out](ObjectReader& item) { read_content(item, out.answer.contents.emplace_back()); });
    in.boolean("is_error", out.answer.is_error);
    in.texts("meta", [&out](std::string key, std::string value) {
      out.answer.meta.insert_or_assign(std::move(key), std::move(value));
    });
    read_actor(in, out.actor);
    if (in.has("shown_sha256")) {
      out.shown.source = session::Shown::Source::by_client;
      read_digest(in, "shown_sha256", out.shown.sha256);
    }
    in.finish();
    if (in.has("text") == in.has("contents")) {
      in.fail("text", "or \"contents\" must be given, but not both.");
    }
  });
  if (!read) return core::fail(read.error());
  return out;
}

core::Result<CancelInput> read_cancel(std::string_view body) {
  CancelInput out;
  const auto read = read_object(body, [&out](ObjectReader& in) {
    in.text("reason", out.reason);
    read_actor(in, out.actor);
  });
  if (!read) return core::fail(read.error());
  if (out.reason.empty()) out.reason = "Cancelled through the API";
  return out;
}

}  // namespace parley::api
