// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/envelope.h"

#include <algorithm>

namespace parley::external_agent {
namespace {

constexpr std::string_view kOwnVersion = "\"v\":\"mvp-0.2\"";

// Decodes a member's name; `storage` is used only if it has escapes.
std::string_view plain_name(std::string_view raw, std::string& storage) {
  const std::string_view text = raw.substr(1, raw.size() - 2);
  if (text.find('\\') == std::string_view::npos) return text;
  storage = decode_json_string(raw);
  return storage;
}

// True if a later member has the same name: the last of duplicates is used.
bool is_overridden(const std::vector<JsonField>& fields, std::size_t index, std::string_view name) {
  return std::any_of(fields.begin() + static_cast<std::ptrdiff_t>(index) + 1, fields.end(),
                     [name](const JsonField& later) { return names(later.name, name); });
}

void append_member(std::string& out, std::string_view raw_name, std::string_view value) {
  out.push_back(',');
  out += raw_name;
  out.push_back(':');
  out += value;
}

void append_quoted(std::string& out, std::string_view safe) {
  out.push_back('"');
  out += safe;
  out.push_back('"');
}

}  // namespace

std::optional<std::string> Envelope::payload_text(std::string_view name) const {
  if (payload_type != JsonType::object) return std::nullopt;
  const JsonField* field = find_field(inner, name);
  if (field == nullptr || field->type != JsonType::string) return std::nullopt;
  return decode_json_string(field->value);
}

bool Envelope::payload_flag(std::string_view name) const {
  if (payload_type != JsonType::object) return false;
  const JsonField* field = find_field(inner, name);
  return field != nullptr && field->value == "true";
}

ReadResult EnvelopeReader::read(std::string_view text) {
  Envelope& out = envelope_;
  out.text = text;
  out.version = out.id = out.reply_to = out.payload = {};
  out.payload_type = JsonType::null;
  switch (scan_object(text, max_depth_, "payload", out.fields, out.inner)) {
    case ScanResult::malformed:
      return ReadResult::malformed;
    case ScanResult::too_deep:
      return ReadResult::too_deep;
    case ScanResult::too_many_fields:
      return ReadResult::too_many_fields;
    case ScanResult::ok:
      break;
  }
  bool has_type = false;
  std::string storage;
  for (const JsonField& field : out.fields) {
    const std::string_view name = plain_name(field.name, storage);
    if (name == "type") {
      has_type = field.type == JsonType::string;
      if (has_type) out.type = plain_name(field.value, out.decoded_type_);
    } else if (name == "v") {
      out.version = field.value;
    } else if (name == "id") {
      out.id = field.value;
    } else if (name == "replyTo") {
      out.reply_to = field.type == JsonType::null ? std::string_view() : field.value;
    } else if (name == "payload") {
      out.payload = field.value;
      out.payload_type = field.type;
    }
  }
  if (!has_type) return ReadResult::malformed;
  if (out.id.size() > kMaxIdBytes || out.reply_to.size() > kMaxIdBytes) return ReadResult::long_id;
  return ReadResult::ok;
}

void append_payload(std::string& out, const Envelope& envelope, const Rewrite& rewrite) {
  const bool is_object = envelope.payload_type == JsonType::object;
  if (!rewrite.session_id) {
    out += is_object ? envelope.payload : std::string_view("{}");
    return;
  }
  const char* copied = is_object ? envelope.payload.data() : nullptr;
  bool replaced = false;
  for (const JsonField& field : envelope.inner) {
    if (!is_object || !names(field.name, "sessionId")) continue;
    out.append(copied, field.value.data());
    append_quoted(out, *rewrite.session_id);
    copied = field.value.data() + field.value.size();
    replaced = true;
  }
  if (replaced) {
    out.append(copied, envelope.payload.data() + envelope.payload.size());
    return;
  }
  out += "{\"sessionId\":";
  append_quoted(out, *rewrite.session_id);
  if (!is_object || envelope.inner.empty()) {
    out.push_back('}');
    return;
  }
  out.push_back(',');
  out += envelope.payload.substr(1);
}

void append_forwarded(std::string& out, const Envelope& envelope, const Rewrite& rewrite) {
  out.push_back('{');
  if (envelope.version.empty()) {
    out += kOwnVersion;
  } else {
    out += "\"v\":";
    out += envelope.version;
  }
  bool has_id = false;
  bool has_reply_to = false;
  bool has_payload = false;
  std::string storage;
  for (std::size_t i = 0; i < envelope.fields.size(); ++i) {
    const JsonField& field = envelope.fields[i];
    const std::string_view name = plain_name(field.name, storage);
    if (name == "v") continue;
    const bool is_ours = name == "id" || name == "replyTo" || name == "payload" || name == "type";
    if (is_ours && is_overridden(envelope.fields, i, name)) continue;
    if (name == "id") {
      has_id = true;
      const std::string_view value = rewrite.id.value_or(field.value);
      if (!value.empty()) append_member(out, field.name, value);
    } else if (name == "replyTo") {
      has_reply_to = true;
      const std::string_view value = rewrite.reply_to.value_or(field.value);
      if (!value.empty()) append_member(out, field.name, value);
    } else if (name == "payload" && rewrite.session_id) {
      has_payload = true;
      append_member(out, field.name, {});
      append_payload(out, envelope, rewrite);
    } else {
      append_member(out, field.name, field.value);
    }
  }
  if (!has_id && rewrite.id && !rewrite.id->empty()) append_member(out, "\"id\"", *rewrite.id);
  if (!has_reply_to && rewrite.reply_to && !rewrite.reply_to->empty()) {
    append_member(out, "\"replyTo\"", *rewrite.reply_to);
  }
  if (!has_payload && rewrite.session_id) {
    append_member(out, "\"payload\"", {});
    append_payload(out, envelope, rewrite);
  }
  out.push_back('}');
}

}  // namespace parley::external_agent
