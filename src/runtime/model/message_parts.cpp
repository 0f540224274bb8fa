// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/message_parts.h"

#include <array>
#include <string>
#include <string_view>

#include "core/json_member.h"

namespace parley::model {

using core::Code;
using core::Result;

namespace {

// What a type of part becomes, and which member it needs.
struct PartForm {
  std::string_view type;
  Part::Type becomes;
  std::string_view needs;  // a member that must be text; empty: none
  std::string_view media_type;
};

constexpr std::array<PartForm, 9> kForms = {{
    {"text", Part::Type::text, "text", ""},
    {"image_url", Part::Type::image_url, "url", ""},
    {"image_base64", Part::Type::image_base64, "data", "image/png"},
    {"audio_base64", Part::Type::audio_base64, "data", "audio/wav"},
    {"video_url", Part::Type::file, "url", "video/mp4"},
    {"video_base64", Part::Type::file, "data", "video/mp4"},
    {"pdf_url", Part::Type::file, "url", "application/pdf"},
    {"pdf_base64", Part::Type::file, "data", "application/pdf"},
    {"file", Part::Type::file, "", "application/octet-stream"},
}};

Result<Part> part_of(simdjson::dom::element value, const std::string& path) {
  simdjson::dom::object from;
  if (value.get(from) != simdjson::SUCCESS) {
    return core::fail(Code::invalid_argument, "\"" + path + "\" must be an object.", path);
  }
  const std::string type = core::string_member(from, "type");
  for (const PartForm& form : kForms) {
    if (form.type != type) continue;
    if (!form.needs.empty() && from[form.needs].error() != simdjson::SUCCESS) {
      const std::string field = path + "." + std::string(form.needs);
      return core::fail(Code::invalid_argument, "\"" + field + "\" is missing; it must be text.",
                        field);
    }
    Part part;
    part.type = form.becomes;
    part.text = core::string_member(from, "text");
    part.url = core::string_member(from, "url");
    if (type == "file" && part.url.empty()) part.url = core::string_member(from, "file_id");
    part.detail = core::string_member(from, "detail");
    part.data = core::string_member(from, type == "file" ? "file_data" : "data");
    part.name = core::string_member(from, "filename");
    part.media_type = core::string_member(from, "media_type");
    if (part.media_type.empty()) part.media_type = form.media_type;
    return part;
  }
  return core::fail(Code::invalid_argument,
                    "\"" + path + ".type\" is \"" + type +
                        "\"; it must be text, image_url, image_base64, audio_base64, video_url, "
                        "video_base64, pdf_url, pdf_base64 or file.",
                    path + ".type");
}

}  // namespace

Result<Message> user_message_from(simdjson::dom::element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return Message::user(std::string(text));
  simdjson::dom::array parts;
  if (value.get(parts) != simdjson::SUCCESS) {
    return core::fail(Code::invalid_argument, "\"message\" must be text or an array of parts.",
                      "message");
  }
  Message message = Message::user({});
  for (const simdjson::dom::element each : parts) {
    if (message.parts.size() >= kMaxParts) {
      return core::fail(Code::invalid_argument,
                        "\"message\" has more than " + std::to_string(kMaxParts) + " parts.",
                        "message");
    }
    Result<Part> part = part_of(each, "message[" + std::to_string(message.parts.size()) + "]");
    if (!part) return core::fail(std::move(part.error()));
    if (part->type == Part::Type::text) {
      if (!message.content.empty()) message.content += "\n";
      message.content += part->text;
    }
    message.parts.push_back(std::move(*part));
  }
  // What is only text needs no parts.
  bool only_text = true;
  for (const Part& part : message.parts) only_text &= part.type == Part::Type::text;
  if (only_text) message.parts.clear();
  return message;
}

}  // namespace parley::model
