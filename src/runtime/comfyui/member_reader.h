// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace parley::comfyui {

// Splits a JSON object that arrives in pieces into its members, so that a document of megabytes
// (all node classes of a server) is neither stored nor parsed as a whole. Values are passed on as
// raw text and are only checked for balance; the callback must parse them.
class MemberReader {
 public:
  using Member = std::function<void(std::string_view name, std::string_view value)>;

  explicit MemberReader(Member member) : member_(std::move(member)) {}

  // False if this is no JSON object, or a name exceeds kMaxNameBytes; `member` is not called again.
  bool feed(std::string_view bytes);
  // True if the object has ended.
  bool complete() const { return state_ == State::end; }

  static constexpr std::size_t kMaxNameBytes = 4'096;
  // A longer value is passed on as an empty text.
  static constexpr std::size_t kMaxValueBytes = 2U << 20U;

 private:
  enum class State : std::uint8_t { start, name_or_end, name, colon, value, comma, end, broken };

  void take(char c);
  void take_name(char c);
  void take_value(char c);
  void keep(char c);
  void tell();

  Member member_;
  State state_ = State::start;
  std::string name_;  // raw, including its quotes
  std::string value_;
  bool too_long_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
  bool after_comma_ = false;
  std::size_t depth_ = 0;
};

}  // namespace parley::comfyui
