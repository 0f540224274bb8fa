// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The stored form of an interaction: the payloads of its two events (docs/events.md).
#include <simdjson.h>

#include <array>

#include "base/core/base64.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "model/session/interaction.h"

namespace parley::session {
namespace {

namespace od = simdjson::ondemand;
using core::JsonWriter;

constexpr std::array<std::string_view, 4> kContentNames = {"text", "image", "audio", "resource"};

void write_text(JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) json.key(name).string(value);
}

void write_question(JsonWriter& json, const Question& question) {
  json.begin_object().key("text").string(question.text);
  write_text(json, "header", question.header);
  json.key("choices").begin_array();
  for (const Choice& choice : question.choices) {
    json.begin_object().key("label").string(choice.label);
    write_text(json, "description", choice.description);
    json.end_object();
  }
  json.end_array().key("multiple").boolean(question.multiple);
  json.key("custom").boolean(question.custom).end_object();
}

void write_prompt(JsonWriter& json, const Prompt& prompt) {
  json.begin_object().key("text").string(prompt.text);
  write_text(json, "project_directory", prompt.project_directory);
  write_text(json, "agent_name", prompt.agent_name);
  write_text(json, "model_name", prompt.model_name);
  write_text(json, "client_name", prompt.client_name);
  if (prompt.timeout_s != 0) json.key("timeout_s").number(prompt.timeout_s);
  if (!prompt.questions.empty()) {
    json.key("questions").begin_array();
    for (const Question& question : prompt.questions) write_question(json, question);
    json.end_array();
  }
  if (!prompt.detail.empty()) json.key("detail").raw(prompt.detail);
  write_text(json, "arguments_sha256", prompt.arguments_sha256);
  if (prompt.action) json.key("action").raw(action_json(*prompt.action));
  json.end_object();
}

void write_answer(JsonWriter& json, const Answer& answer) {
  json.begin_object().key("is_error").boolean(answer.is_error);
  if (!answer.meta.empty()) {
    json.key("meta").begin_object();
    for (const auto& [name, value] : answer.meta) json.key(name).string(value);
    json.end_object();
  }
  json.key("contents").begin_array();
  for (const Content& content : answer.contents) {
    json.begin_object().key("type").string(
        kContentNames.at(static_cast<std::size_t>(content.type)));
    write_text(json, "text", content.text);
    write_text(json, "mime_type", content.mime_type);
    write_text(json, "uri", content.uri);
    write_text(json, "data", core::base64_encode(content.data));
    json.end_object();
  }
  json.end_array().end_object();
}

// Reads the members of one object. A missing member keeps its default; a member of a wrong type
// fails the whole read, with its name.
class Reader {
 public:
  explicit Reader(od::object object) : object_(object) {}

  Reader& text(std::string_view name, std::string& out) {
    std::string_view value;
    if (take(name, value)) out = value;
    return *this;
  }
  Reader& boolean(std::string_view name, bool& out) {
    take(name, out);
    return *this;
  }
  Reader& number(std::string_view name, std::int64_t& out) {
    take(name, out);
    return *this;
  }
  Reader& time(std::string_view name, core::WallTime& out) {
    std::int64_t ms = 0;
    if (take(name, ms)) out = core::from_unix_ms(ms);
    return *this;
  }
  template <typename Use>
  Reader& object(std::string_view name, Use use) {
    od::object value;
    if (take(name, value)) note(use(value), name);
    return *this;
  }
  template <typename Use>
  Reader& each(std::string_view name, Use use) {
    od::array values;
    if (!take(name, values)) return *this;
    for (auto element : values) {
      od::object value;
      if (element.get(value) != simdjson::SUCCESS || !use(value)) {
        note(false, name);
        break;
      }
    }
    return *this;
  }
  bool ok() const { return fault_.empty(); }
  const std::string& fault() const { return fault_; }
  od::object& raw() { return object_; }
  void note(bool good, std::string_view name) {
    if (!good && fault_.empty()) fault_ = name;
  }

 private:
  template <typename T>
  bool take(std::string_view name, T& out) {
    if (!ok()) return false;
    const auto error = object_.find_field_unordered(name).get(out);
    if (error == simdjson::SUCCESS) return true;
    if (error != simdjson::NO_SUCH_FIELD) fault_ = name;
    return false;
  }

  od::object object_;
  std::string fault_;
};

bool read_question(od::object value, Question& out) {
  Reader reader(value);
  reader.text("text", out.text).text("header", out.header);
  reader.each("choices", [&](od::object item) {
    Choice choice;
    Reader fields(item);
    fields.text("label", choice.label).text("description", choice.description);
    out.choices.push_back(std::move(choice));
    return fields.ok();
  });
  reader.boolean("multiple", out.multiple).boolean("custom", out.custom);
  return reader.ok();
}

bool read_prompt(od::object value, Prompt& out) {
  Reader reader(value);
  std::int64_t timeout = 0;
  reader.text("text", out.text)
      .text("project_directory", out.project_directory)
      .text("agent_name", out.agent_name)
      .text("model_name", out.model_name)
      .text("client_name", out.client_name)
      .text("arguments_sha256", out.arguments_sha256)
      .number("timeout_s", timeout);
  out.timeout_s = static_cast<std::int32_t>(timeout);
  reader.each("questions",
              [&](od::object item) { return read_question(item, out.questions.emplace_back()); });
  reader.object("detail", [&](od::object item) {
    std::string_view raw;
    const bool good = item.raw_json().get(raw) == simdjson::SUCCESS;
    if (good) out.detail = raw;
    return good;
  });
  reader.object("action", [&](od::object item) {
    std::string_view raw;
    if (item.raw_json().get(raw) != simdjson::SUCCESS) return false;
    auto action = read_action(raw);
    if (action) out.action = *std::move(action);
    return true;  // one of a later version counts as none
  });
  return reader.ok();
}

bool read_content(od::object value, Content& out) {
  Reader reader(value);
  std::string type;
  std::string data;
  reader.text("type", type).text("text", out.text).text("mime_type", out.mime_type);
  reader.text("uri", out.uri).text("data", data);
  for (std::size_t i = 0; i < kContentNames.size(); ++i) {
    if (kContentNames.at(i) == type) out.type = static_cast<Content::Type>(i);
  }
  auto bytes = core::base64_decode(data);
  reader.note(bytes.has_value(), "data");
  if (bytes) out.data = std::move(*bytes);
  return reader.ok();
}

bool read_answer(od::object value, Answer& out) {
  Reader reader(value);
  reader.boolean("is_error", out.is_error);
  reader.object("meta", [&](od::object meta) {
    for (auto member : meta) {
      std::string_view name;
      std::string_view text;
      if (member.unescaped_key().get(name) != simdjson::SUCCESS) return false;
      std::string key(name);
      if (member.value().get(text) != simdjson::SUCCESS) return false;
      out.meta.emplace(std::move(key), text);
    }
    return true;
  });
  reader.each("contents",
              [&](od::object item) { return read_content(item, out.contents.emplace_back()); });
  return reader.ok();
}

tl::unexpected<core::Error> unreadable(std::string_view event, std::string_view field) {
  return core::fail(core::Code::data_loss,
                    "The stored " + std::string(event) + " event cannot be read at \"" +
                        std::string(field) + "\".",
                    std::string(field));
}

// A payload opened for reading. Values read from it are valid as long as this object.
class Payload {
 public:
  explicit Payload(std::string_view text) : json_(text) {
    good_ = parser_.iterate(json_).get(document_) == simdjson::SUCCESS &&
            document_.get_object().get(object_) == simdjson::SUCCESS;
  }
  bool good() const { return good_; }
  od::object object() const { return object_; }

 private:
  simdjson::padded_string json_;
  od::parser parser_;
  od::document document_;
  od::object object_;
  bool good_ = false;
};

// {"token":...,"window":true}. Events of before askers were stored have none.
void write_asker(JsonWriter& json, const Asker& asker) {
  if (asker == Asker()) return;
  json.key("asker").begin_object().key("token").string(asker.token);
  if (asker.window) json.key("window").boolean(true);
  json.end_object();
}

// {"token":...,"name":...,"channel":...}. Events of before answerers were stored have none.
void write_answerer(JsonWriter& json, const Answerer& by) {
  if (by == Answerer()) return;
  json.key("by").begin_object();
  write_text(json, "token", by.holder.token);
  write_text(json, "name", by.holder.name);
  write_text(json, "channel", channel_name(by.channel));
  json.end_object();
}

// A channel of a later version counts as unknown.
bool read_answerer(od::object value, Answerer& out) {
  std::string channel;
  Reader reader(value);
  reader.text("token", out.holder.token).text("name", out.holder.name).text("channel", channel);
  out.channel = channel_from_name(channel).value_or(Channel::unknown);
  return reader.ok();
}

// {"told":...,"sha256":...}, of answers alone.
void write_shown(JsonWriter& json, const Shown& shown) {
  json.key("shown").begin_object().key("told").string(shown_source_name(shown.source));
  write_text(json, "sha256", shown.sha256);
  json.end_object();
}

bool read_shown(od::object value, Shown& out) {
  std::string source;
  Reader reader(value);
  reader.text("told", source).text("sha256", out.sha256);
  out.source = shown_source_from_name(source).value_or(Shown::Source::nothing);
  return reader.ok();
}

core::Result<void> read_opened(std::string_view payload, Interaction& out) {
  Payload json(payload);
  if (!json.good()) return unreadable("opened", "payload");
  Reader reader(json.object());
  std::string kind;
  reader.text("id", out.id).text("key", out.key).text("kind", kind);
  reader.object("asker", [&](od::object value) {
    Reader asker(value);
    asker.text("token", out.asker.token).boolean("window", out.asker.window);
    return asker.ok();
  });
  reader.object("prompt", [&](od::object value) { return read_prompt(value, out.prompt); });
  reader.time("opened_at", out.opened_at).time("deadline", out.deadline);
  const auto known = kind_from_name(kind);
  reader.note(known.has_value(), "kind");
  if (!reader.ok()) return unreadable("opened", reader.fault());
  out.kind = *known;
  return {};
}

core::Result<void> read_closed(std::string_view payload, Interaction& out) {
  Payload json(payload);
  if (!json.good()) return unreadable("closed", "payload");
  Reader reader(json.object());
  std::string state;
  reader.text("state", state);
  reader.object("answer", [&](od::object value) { return read_answer(value, out.outcome.answer); });
  reader.text("reason", out.outcome.reason)
      .text("client_id", out.outcome.client_id)
      .text("nickname", out.outcome.nickname)
      .time("at", out.outcome.at);
  reader.text("opened_sha256", out.opened_sha256);
  reader.object("shown", [&](od::object value) { return read_shown(value, out.outcome.shown); });
  reader.object("by", [&](od::object value) { return read_answerer(value, out.outcome.by); });
  const auto known = state_from_name(state);
  reader.note(known.has_value(), "state");
  if (!reader.ok()) return unreadable("closed", reader.fault());
  out.state = *known;
  return {};
}

}  // namespace

std::string opened_payload(const Interaction& interaction) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("id").string(interaction.id).key("key").string(interaction.key);
  write_asker(json, interaction.asker);
  json.key("kind").string(kind_name(interaction.kind)).key("prompt");
  write_prompt(json, interaction.prompt);
  json.key("opened_at").number(core::to_unix_ms(interaction.opened_at));
  json.key("deadline").number(core::to_unix_ms(interaction.deadline)).end_object();
  return out;
}

bool is_mirror(std::string_view opened_payload) {
  Payload json(opened_payload);
  std::string original;
  if (json.good()) Reader(json.object()).text("mirror_of", original);
  return !original.empty();
}

std::string closed_payload(const Interaction& interaction) {
  const Outcome& outcome = interaction.outcome;
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("id").string(interaction.id).key("key").string(interaction.key);
  json.key("kind").string(kind_name(interaction.kind));
  json.key("state").string(state_name(interaction.state));
  if (interaction.state == InteractionState::answered) {
    json.key("answer");
    write_answer(json, outcome.answer);
  }
  write_text(json, "reason", outcome.reason);
  write_text(json, "client_id", outcome.client_id);
  write_text(json, "nickname", outcome.nickname);
  write_answerer(json, outcome.by);
  if (interaction.state == InteractionState::answered) write_shown(json, outcome.shown);
  write_text(json, "arguments_sha256", interaction.prompt.arguments_sha256);
  write_text(json, "opened_sha256", interaction.opened_sha256);
  json.key("at").number(core::to_unix_ms(outcome.at));
  json.key("opened_seq").number(interaction.opened_seq).end_object();
  return out;
}

core::Result<Interaction> interaction_from_payloads(std::string_view opened,
                                                    std::string_view closed) {
  Interaction interaction;
  PARLEY_TRY_VOID(read_opened(opened, interaction));
  if (!closed.empty()) {
    PARLEY_TRY_VOID(read_closed(closed, interaction));
  }
  return interaction;
}

}  // namespace parley::session
