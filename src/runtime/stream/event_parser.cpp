// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event_parser.h"

#include <utility>

#include "base/core/utf8.h"
#include "runtime/stream/event_fields.h"
#include "runtime/stream/export_form.h"

namespace parley::runtime {
namespace {

using core::JsonField;
using core::JsonType;

// Limit of the wrapping: a run_stream_event holds an event, and nothing deeper.
constexpr int kMaxWrapping = 2;

LineFault fault_of(core::ScanResult result, std::string_view text) {
  if (result == core::ScanResult::too_deep) {
    return {FindingCode::too_deep, "The JSON is nested too deeply."};
  }
  if (result == core::ScanResult::too_many_fields) {
    return {FindingCode::not_object, "The object has too many members."};
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] != '{') {
    return {FindingCode::not_object, "The line is not a JSON object."};
  }
  return {FindingCode::not_json, "The line is not complete, valid JSON."};
}

bool is_text(const JsonField* field) { return field != nullptr && field->type == JsonType::string; }

bool is_object(const JsonField* field) {
  return field != nullptr && field->type == JsonType::object;
}

// {"chunk":{"content","kind"},"metadata":{"loom_node"}}; in earlier versions without kind, or with
// the text itself as chunk.
std::optional<LineFault> read_messages(const std::vector<JsonField>& fields,
                                       StreamLine::Body& body) {
  std::vector<JsonField> members;
  std::vector<JsonField> unused;
  const auto open = [&](std::string_view name) {
    const JsonField* field = core::find_field(fields, name);
    members.clear();
    if (is_object(field)) core::scan_object(field->value, kMaxLineDepth, {}, members, unused);
    return field;
  };
  open("metadata");
  EventFields metadata(members, true);
  std::string node = metadata.optional_text("loom_node").value_or("");
  const JsonField* chunk = open("chunk");
  if (is_text(chunk)) {
    body = runtime::MessageChunk{core::decode_json_string(chunk->value), std::move(node)};
    return metadata.fault();
  }
  EventFields fields_of_chunk(members, true);
  std::string content = fields_of_chunk.text("content");
  const bool thought = fields_of_chunk.optional_text("kind").value_or("Message") == "Thinking";
  if (fields_of_chunk.fault()) return fields_of_chunk.fault();
  if (thought) {
    body = runtime::ThoughtChunk{std::move(content), std::move(node)};
  } else {
    body = runtime::MessageChunk{std::move(content), std::move(node)};
  }
  return metadata.fault();
}

}  // namespace

tl::expected<StreamLine, LineFault> EventParser::parse(std::string_view line) {
  if (!core::is_utf8(line)) {
    return tl::unexpected(LineFault{FindingCode::not_utf8, "The line is not UTF-8."});
  }
  StreamLine out;
  if (Outcome fault = parse_object(line, out, 1)) return tl::unexpected(std::move(*fault));
  return out;
}

EventParser::Outcome EventParser::parse_object(std::string_view text, StreamLine& out, int depth) {
  const core::ScanResult result = core::scan_object(text, kMaxLineDepth, {}, fields_, unused_);
  if (result != core::ScanResult::ok) return fault_of(result, text);
  if (Outcome fault = read_envelope(out)) return fault;
  const JsonField* type = core::find_field(fields_, "type");
  if (is_text(type)) return parse_typed(text, *type, out, depth);
  if (is_text(core::find_field(fields_, "reply"))) return parse_reply(out);
  return parse_export(out);
}

EventParser::Outcome EventParser::read_envelope(StreamLine& out) const {
  EventFields in(fields_, false);
  out.session_id = in.optional_text("session_id");
  out.node_id = in.optional_text("node_id");
  out.event_id = in.optional_count("event_id");
  if (const JsonField* at = in.find("at"); at != nullptr && at->type == JsonType::number) {
    EventFields lenient(fields_, false);
    const std::int64_t time = lenient.integer("at");
    if (!lenient.fault()) out.at = time;
  }
  return in.fault();
}

EventParser::Outcome EventParser::parse_typed(std::string_view text, const JsonField& type,
                                              StreamLine& out, int depth) {
  std::string name = core::decode_json_string(type.value);
  if (name == "reply") return parse_reply(out);
  if (name == "run_end" && is_text(core::find_field(fields_, "reply"))) return parse_reply(out);
  if (name == "run_stream_event" && depth < kMaxWrapping) {
    const JsonField* event = core::find_field(fields_, "event");
    if (is_object(event)) return parse_object(event->value, out, depth + 1);
  }
  EventFields in(fields_, false);
  runtime::RunEvent event;
  if (!read_event(name, in, event)) {
    out.body = UnknownEvent{std::move(name), raw_json(text)};
    return std::nullopt;
  }
  if (std::holds_alternative<runtime::GotExpand>(event)) out.node_id.reset();
  out.body = std::move(event);
  return in.fault();
}

EventParser::Outcome EventParser::parse_reply(StreamLine& out) const {
  EventFields in(fields_, false);
  Reply reply;
  reply.reply = in.text("reply");
  reply.reasoning_content = in.optional_text("reasoning_content");
  reply.stop_reason = in.optional_text("stop_reason");
  reply.error = in.optional_text("error");
  reply.run_id = in.optional_text("run_id");
  out.body = std::move(reply);
  return in.fault();
}

EventParser::Outcome EventParser::parse_export(StreamLine& out) {
  const LineFault no_type{FindingCode::no_type,
                          "The object has no \"type\", no \"reply\" and no single event in it."};
  const JsonField* only = nullptr;
  for (const JsonField& field : fields_) {
    const std::string name = core::decode_json_string(field.name);
    if (name.empty() || name[0] < 'A' || name[0] > 'Z') continue;
    if (only != nullptr) return no_type;
    only = &field;
  }
  if (only == nullptr) return no_type;
  out.form = StreamLine::Form::exported;
  const std::string key = core::decode_json_string(only->name);
  const std::string_view type = type_of_export_key(key);
  if (type == "values") {
    out.body = runtime::Values{raw_json(only->value)};
    return std::nullopt;
  }
  if (type == "custom") {
    out.body = runtime::Custom{raw_json(only->value)};
    return std::nullopt;
  }
  if (type.empty()) {
    std::string whole = "{";
    whole.append(only->name).append(":").append(only->value).append("}");
    out.body = UnknownEvent{key, raw_json(whole)};
    return std::nullopt;
  }
  if (only->type != JsonType::object) {
    return LineFault{FindingCode::wrong_type, '"' + key + "\" is not an object."};
  }
  core::scan_object(only->value, kMaxLineDepth, {}, inner_, unused_);
  if (key == "Messages" || key == "ThoughtChunk") {
    // ThoughtChunk exists in the protocol text only, and may have either shape.
    if (key == "Messages" || core::find_field(inner_, "chunk") != nullptr) {
      Outcome fault = read_messages(inner_, out.body);
      if (key == "Messages" || fault) return fault;
      if (auto* event = std::get_if<runtime::RunEvent>(&out.body)) {
        if (auto* chunk = std::get_if<runtime::MessageChunk>(event)) {
          out.body = runtime::ThoughtChunk{chunk->content, chunk->id};
        }
      }
      return std::nullopt;
    }
  }
  EventFields in(inner_, true);
  runtime::RunEvent event;
  read_event(type, in, event);
  out.body = std::move(event);
  return in.fault();
}

std::optional<SubAgentFrame> sub_agent_frame(const runtime::Custom& custom) {
  std::vector<JsonField> fields;
  std::vector<JsonField> unused;
  if (core::scan_object(custom.value, kMaxLineDepth, {}, fields, unused) != core::ScanResult::ok) {
    return std::nullopt;  // any other value
  }
  EventFields in(fields, false);
  const JsonField* event = in.find("event");
  std::optional<std::string> name = in.optional_text("sub_agent");
  std::string call_id = in.optional_text("call_id").value_or("");
  if (in.fault() || !name || !is_object(event)) return std::nullopt;
  const std::uint64_t index = in.optional_count("index").value_or(0);
  return SubAgentFrame{std::move(*name), std::move(call_id), std::string(event->value), index};
}

std::optional<InnerFrame> inner_frame(const runtime::RunEvent& event) {
  EventParser parser;
  InnerFrame out;
  const runtime::RunEvent* at = &event;
  while (at != nullptr && out.depth < kMaxAgentDepth) {
    const auto* custom = std::get_if<runtime::Custom>(at);
    auto held = custom == nullptr ? std::nullopt : sub_agent_frame(*custom);
    if (!held) break;
    auto frame = parser.parse(held->event);
    if (!frame) break;
    out = {std::move(*frame), std::move(held->name), out.depth + 1};
    at = out.frame.event();
  }
  if (out.depth == 0) return std::nullopt;
  return out;
}

}  // namespace parley::runtime
