// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/media.h"

#include <algorithm>
#include <array>
#include <utility>

namespace parley::model {
namespace {

constexpr std::array<std::pair<std::string_view, MediaKind>, 4> kNames = {{
    {"image", MediaKind::image},
    {"audio", MediaKind::audio},
    {"video", MediaKind::video},
    {"file", MediaKind::file},
}};
constexpr std::string_view kNone = "none";

// Size of base64 data after decoding, in bytes.
std::uint64_t decoded_bytes(std::string_view data) {
  while (data.ends_with('=')) data.remove_suffix(1);
  return data.size() / 4 * 3 + data.size() % 4 * 3 / 4;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024;
  if (bytes < kKiB) return std::to_string(bytes) + " bytes";
  if (bytes < kKiB * kKiB) return std::to_string((bytes + kKiB / 2) / kKiB) + " KiB";
  return std::to_string((bytes + kKiB * kKiB / 2) / (kKiB * kKiB)) + " MiB";
}

LeftOut left_out_of(const Part& part, MediaKind kind) {
  return {part.name, kind, part.media_type, decoded_bytes(part.data)};
}

void leave_out(Message& message, MediaKinds takes, std::string_view model) {
  std::vector<Part> parts;
  bool has_text = message.content.empty();
  for (Part& part : message.parts) {
    has_text = has_text || part.type == Part::Type::text;
    if (takes.takes(part)) {
      parts.push_back(std::move(part));
      continue;
    }
    const LeftOut left_out = left_out_of(part, *media_kind(part));
    Part note;
    note.text = "[Not shown to you: the " + described(left_out) + ". The model " +
                std::string(model) +
                " does not take this kind of attachment. Say so if the request needs it.]";
    parts.push_back(std::move(note));
  }
  if (!has_text) {
    Part text;
    text.text = std::move(message.content);
    parts.insert(parts.begin(), std::move(text));
  }
  message = Message::user_with(std::move(parts));
}

}  // namespace

std::string_view media_name(MediaKind kind) {
  return kNames.at(static_cast<std::size_t>(kind)).first;
}

std::optional<MediaKind> media_kind(const Part& part) {
  switch (part.type) {
    case Part::Type::text:
      return std::nullopt;
    case Part::Type::image_url:
    case Part::Type::image_base64:
      return MediaKind::image;
    case Part::Type::audio_base64:
      return MediaKind::audio;
    case Part::Type::file:
      break;
  }
  return part.media_type.starts_with("video/") ? MediaKind::video : MediaKind::file;
}

MediaKinds MediaKinds::all() {
  MediaKinds out;
  for (const auto& [name, kind] : kNames) out.add(kind);
  return out;
}

MediaKinds& MediaKinds::add(MediaKind kind) {
  bits_ |= bit(kind);
  return *this;
}

bool MediaKinds::takes(const Part& part) const {
  const std::optional<MediaKind> kind = media_kind(part);
  return !kind || has(*kind);
}

std::string MediaKinds::names() const {
  std::string out;
  for (const auto& [name, kind] : kNames) {
    if (!has(kind)) continue;
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out.empty() ? std::string(kNone) : out;
}

std::optional<MediaKinds> media_from_names(const std::vector<std::string>& names) {
  MediaKinds out;
  for (const std::string& name : names) {
    if (name == kNone) continue;
    const auto* const found = std::find_if(kNames.begin(), kNames.end(),
                                           [&](const auto& row) { return row.first == name; });
    if (found == kNames.end()) return std::nullopt;
    out.add(found->second);
  }
  return out;
}

std::vector<LeftOut> left_out(const Message& message, MediaKinds takes) {
  std::vector<LeftOut> out;
  for (const Part& part : message.parts) {
    if (!takes.takes(part)) out.push_back(left_out_of(part, *media_kind(part)));
  }
  return out;
}

std::string described(const LeftOut& part) {
  std::string out(media_name(part.kind));
  if (!part.name.empty()) out += " \"" + part.name + "\"";
  std::string more = part.media_type;
  if (part.bytes > 0) more += (more.empty() ? "" : ", ") + size_text(part.bytes);
  return more.empty() ? out : out + " (" + more + ")";
}

void leave_out(std::vector<Message>& messages, MediaKinds takes, std::string_view model) {
  for (Message& message : messages) {
    const bool fits = std::all_of(message.parts.begin(), message.parts.end(),
                                  [takes](const Part& part) { return takes.takes(part); });
    if (!fits) leave_out(message, takes, model);
  }
}

}  // namespace parley::model
