// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/message_parts.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::model {

using core::Code;
using core::Result;

namespace {

// Type of a part in JSON: the Part that it becomes, and the member that it requires.
struct PartForm {
  std::string_view type;
  Part::Type becomes;
  std::string_view needs;       // empty: no single member is required
  std::string_view media_type;  // default, if the part names none
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
    {"file", Part::Type::file, "", ""},
}};
constexpr const PartForm& kFileForm = kForms.back();

const PartForm* form_named(std::string_view type) {
  const auto* found = std::find_if(kForms.begin(), kForms.end(),
                                   [type](const PartForm& form) { return form.type == type; });
  return found == kForms.end() ? nullptr : found;
}

// "video" of "video/mp4"; for "application/...", the whole type.
std::string_view media_family(std::string_view media_type) {
  if (media_type.starts_with("application/")) return media_type;
  return media_type.substr(0, media_type.find('/'));
}

// The first form that expresses all members of a part.
const PartForm& form_of(const Part& part) {
  for (const PartForm& form : kForms) {
    if (form.becomes != part.type) continue;
    if (part.type != Part::Type::file) return form;
    const bool fits = part.name.empty() && !form.media_type.empty() &&
                      media_family(form.media_type) == media_family(part.media_type) &&
                      (form.needs == "data") == part.url.empty();
    if (fits) return form;
  }
  return kFileForm;
}

tl::unexpected<core::Error> wrong(const std::string& field, const std::string& what) {
  return core::fail(Code::invalid_argument, "\"" + field + "\" " + what, field);
}

std::string names_of_forms() {
  std::string names;
  for (const PartForm& form : kForms) {
    if (&form == &kFileForm) {
      names += " or ";
    } else if (!names.empty()) {
      names += ", ";
    }
    names += form.type;
  }
  return names;
}

// Reads the members of one part; records the first that is not text.
class PartMembers {
 public:
  PartMembers(const simdjson::dom::object& from, const std::string& path)
      : from_(from), path_(path) {}

  // The first of two names that the part has; empty for a missing or null member.
  std::string text(std::string_view name, std::string_view other = {}) {
    std::string value;
    simdjson::dom::element found;
    if (from_[name].get(found) == simdjson::SUCCESS && !found.is_null()) {
      std::string_view read;
      if (found.get(read) != simdjson::SUCCESS && fault_.empty()) {
        fault_ = path_ + "." + std::string(name);
      }
      value = read;
    }
    return value.empty() && !other.empty() ? text(other) : value;
  }
  const std::string& fault() const { return fault_; }

 private:
  const simdjson::dom::object& from_;
  const std::string& path_;
  std::string fault_;
};

// Names the member that a client left out; empty if all are present.
std::string missing_in(const Part& part, const PartForm& form, const simdjson::dom::object& from) {
  if (form.needs == "url" && part.url.empty()) return "url";
  if (form.needs == "data" && part.data.empty()) return "data";
  if (form.needs == "text" && from["text"].error() != simdjson::SUCCESS) return "text";
  if (&form == &kFileForm && part.url.empty() && part.data.empty()) return "file_data";
  return {};
}

}  // namespace

Result<Part> read_part(const simdjson::dom::element& value, const std::string& path,
                       PartReading reading) {
  simdjson::dom::object from;
  if (value.get(from) != simdjson::SUCCESS) return wrong(path, "must be an object.");
  PartMembers members(from, path);
  const std::string type = members.text("type");
  const PartForm* form = form_named(type);
  if (form == nullptr) {
    return wrong(path + ".type", "is \"" + type + "\"; it must be " + names_of_forms() + ".");
  }
  Part part;
  part.type = form->becomes;
  part.text = members.text("text");
  part.url = members.text("url", "file_id");
  part.media_type = members.text("media_type");
  part.data = members.text("data", "file_data");
  part.name = members.text("filename");
  part.detail = members.text("detail");
  if (!members.fault().empty()) return wrong(members.fault(), "must be a string.");
  if (part.media_type.empty()) part.media_type = form->media_type;
  if (reading == PartReading::tolerant) return part;
  if (const std::string name = missing_in(part, *form, from); !name.empty()) {
    return wrong(path + "." + name, "is missing; it must be a string.");
  }
  return part;
}

void write_part(core::JsonWriter& json, const Part& part) {
  const PartForm& form = form_of(part);
  const auto write = [&json](std::string_view name, const std::string& value) {
    if (!value.empty()) json.key(name).string(value);
  };
  json.begin_object().key("type").string(form.type);
  if (part.type == Part::Type::text) {
    json.key("text").string(part.text);
  } else if (&form == &kFileForm) {
    const bool is_address = part.url.find("://") != std::string::npos;
    write(is_address ? "url" : "file_id", part.url);
    write("file_data", part.data);
    write("filename", part.name);
    write("media_type", part.media_type);
  } else {
    write("url", part.url);
    // The type implies the media type, except for less common kinds of files.
    if (part.type != Part::Type::file || part.media_type != form.media_type) {
      write("media_type", part.media_type);
    }
    write("data", part.data);
    write("detail", part.detail);
  }
  json.end_object();
}

Result<Message> user_message_from(simdjson::dom::element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return Message::user(std::string(text));
  simdjson::dom::array written;
  if (value.get(written) != simdjson::SUCCESS) {
    return core::fail(Code::invalid_argument, "\"message\" must be text or an array of parts.",
                      "message");
  }
  std::vector<Part> parts;
  for (const simdjson::dom::element each : written) {
    if (parts.size() >= kMaxParts) {
      return core::fail(Code::invalid_argument,
                        "\"message\" has more than " + std::to_string(kMaxParts) + " parts.",
                        "message");
    }
    Result<Part> part =
        read_part(each, "message[" + std::to_string(parts.size()) + "]", PartReading::strict);
    if (!part) return core::fail(std::move(part.error()));
    parts.push_back(std::move(*part));
  }
  const bool only_text = std::all_of(
      parts.begin(), parts.end(), [](const Part& part) { return part.type == Part::Type::text; });
  Message message = Message::user_with(std::move(parts));
  // A message of text alone needs no parts.
  if (only_text) message.parts.clear();
  return message;
}

}  // namespace parley::model
