// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/message.h"

namespace parley::model {

// Kinds of parts beside text. PDF documents are files, as is all that has no kind of its own.
enum class MediaKind : std::uint8_t { image, audio, video, file };
std::string_view media_name(MediaKind kind);  // "image", ...
// std::nullopt: a text.
std::optional<MediaKind> media_kind(const Part& part);

// The media that a model takes.
class MediaKinds {
 public:
  MediaKinds() = default;  // none
  static MediaKinds all();

  MediaKinds& add(MediaKind kind);
  bool has(MediaKind kind) const { return (bits_ & bit(kind)) != 0; }
  // True of a text.
  bool takes(const Part& part) const;
  std::string names() const;  // "image, file"; "none"
  bool operator==(const MediaKinds&) const = default;

 private:
  static unsigned bit(MediaKind kind) { return 1U << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

// The names of the setting models.providers.media; "none" adds nothing. std::nullopt: another name.
std::optional<MediaKinds> media_from_names(const std::vector<std::string>& names);

// A part that a model does not take, for people and programs.
struct LeftOut {
  std::string name;  // of the file; empty: none
  MediaKind kind = MediaKind::file;
  std::string media_type;   // "image/png"; empty: not told
  std::uint64_t bytes = 0;  // 0: not known, its place is an address
};
std::vector<LeftOut> left_out(const Message& message, MediaKinds takes);
// "image \"a.png\" (image/png, 12 KiB)"
std::string described(const LeftOut& part);

// Puts a note in words in the place of each part that the model `model` does not take.
void leave_out(std::vector<Message>& messages, MediaKinds takes, std::string_view model);

}  // namespace parley::model
