// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parley::core {

struct Choice {
  std::string label;
  std::string description;
  bool operator==(const Choice&) const = default;
};

// A structured question: choose one of the choices (several if `multiple`) or, if `custom`, answer
// in free text.
struct Question {
  std::string text;
  std::string header;
  std::vector<Choice> choices;
  bool multiple = false;
  bool custom = false;
  bool operator==(const Question&) const = default;
};

// One part of an answer. `data` holds raw bytes; base64 belongs to the wire.
struct Content {
  enum class Type : std::uint8_t { text, image, audio, resource };
  Type type = Type::text;
  std::string text;  // for type text
  std::string mime_type;
  std::string uri;  // for type resource
  std::string data;
  bool operator==(const Content&) const = default;
};

// A person's answer, or with `is_error` the reason for a missing one in `meta`.
struct Answer {
  bool is_error = false;
  std::map<std::string, std::string> meta;
  std::vector<Content> contents;
  bool operator==(const Answer&) const = default;
};

inline Content text_content(std::string text) {
  Content content;
  content.text = std::move(text);
  return content;
}

// An answer of one text.
inline Answer text_answer(std::string text) {
  Answer answer;
  answer.contents.push_back(text_content(std::move(text)));
  return answer;
}

}  // namespace parley::core
