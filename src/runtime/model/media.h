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

// Kinds of parts other than text. PDF documents count as files, and so do types without a kind.
enum class MediaKind : std::uint8_t { image, audio, video, file };
std::string_view media_name(MediaKind kind);  // "image", ...
// std::nullopt for a text part.
std::optional<MediaKind> media_kind(const Part& part);

// Set of media kinds that a model accepts.
class MediaKinds {
 public:
  MediaKinds() = default;  // none
  static MediaKinds all();

  MediaKinds& add(MediaKind kind);
  bool has(MediaKind kind) const { return (bits_ & bit(kind)) != 0; }
  // True for a text part, and for a part of a kind in the set.
  bool takes(const Part& part) const;
  std::string names() const;  // "image, file"; "none"
  bool operator==(const MediaKinds&) const = default;

 private:
  static unsigned bit(MediaKind kind) { return 1U << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

// Parses the names of the setting models.providers.media; "none" adds nothing. std::nullopt if a
// name is unknown.
std::optional<MediaKinds> media_from_names(const std::vector<std::string>& names);

// Description of a part that a model does not accept, for people and programs.
struct LeftOut {
  std::string name;  // of the file; empty: no name
  MediaKind kind = MediaKind::file;
  std::string media_type;   // "image/png"; empty: not known
  std::uint64_t bytes = 0;  // 0: not known, the part is given by its address
};
std::vector<LeftOut> left_out(const Message& message, MediaKinds takes);
// "image \"a.png\" (image/png, 12 KiB)"
std::string described(const LeftOut& part);

// Replaces each part that the model `model` does not accept by a note in words.
void leave_out(std::vector<Message>& messages, MediaKinds takes, std::string_view model);

}  // namespace parley::model
