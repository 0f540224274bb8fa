// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/member_reader.h"

#include "base/core/ascii.h"
#include "base/core/json_text.h"

namespace parley::comfyui {
namespace {

bool is_blank(char c) { return core::kBlanks.find(c) != std::string_view::npos; }

}  // namespace

bool MemberReader::feed(std::string_view bytes) {
  for (const char c : bytes) {
    take(c);
    if (state_ == State::broken) return false;
  }
  return true;
}

void MemberReader::take(char c) {
  if (state_ == State::name) return take_name(c);
  if (state_ == State::value) return take_value(c);
  if (is_blank(c)) return;
  switch (state_) {
    case State::start:
      state_ = c == '{' ? State::name_or_end : State::broken;
      return;
    case State::name_or_end:
      if (c == '"') {
        name_ = "\"";
        state_ = State::name;
      } else {
        state_ = c == '}' && !after_comma_ ? State::end : State::broken;
      }
      return;
    case State::colon:
      if (c != ':') {
        state_ = State::broken;
        return;
      }
      state_ = State::value;
      value_.clear();
      too_long_ = false;
      depth_ = 0;
      return;
    default:
      state_ = State::broken;  // text after the end
      return;
  }
}

void MemberReader::take_name(char c) {
  name_.push_back(c);
  if (name_.size() > kMaxNameBytes) {
    state_ = State::broken;
  } else if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    state_ = State::colon;
  }
}

void MemberReader::keep(char c) {
  if (too_long_) return;
  value_.push_back(c);
  if (value_.size() <= kMaxValueBytes) return;
  too_long_ = true;
  value_.clear();
}

void MemberReader::take_value(char c) {
  if (in_string_) {
    keep(c);
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
    return;
  }
  if (depth_ == 0 && (c == ',' || c == '}')) {
    tell();
    after_comma_ = c == ',';
    if (state_ != State::broken) state_ = c == ',' ? State::name_or_end : State::end;
    return;
  }
  keep(c);
  if (c == '"') in_string_ = true;
  if (c == '{' || c == '[') ++depth_;
  if (c == '}' || c == ']') {
    if (depth_ == 0) {
      state_ = State::broken;
      return;
    }
    --depth_;
  }
}

void MemberReader::tell() {
  const std::string_view value = core::trimmed(value_);
  if (value.empty() && !too_long_) {
    state_ = State::broken;
    return;
  }
  member_(core::decode_json_string(name_), value);
}

}  // namespace parley::comfyui
