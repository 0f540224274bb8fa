// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_text.h"

namespace parley::external_agent {

using core::decode_json_string;
using core::find_field;
using core::JsonField;
using core::JsonType;
using core::names;
using core::scan_object;
using core::ScanResult;

inline constexpr std::string_view kVersion = "mvp-0.2";
// Of a raw id or replyTo: it is kept while its request waits.
inline constexpr std::size_t kMaxIdBytes = 1'024;

// One message as it came. Every view is into the text that was read, or into this object, and is
// valid until the next read().
struct Envelope {
  std::string_view text;
  std::string_view type;      // decoded
  std::string_view version;   // raw; empty: there is none
  std::string_view id;        // raw JSON of any type; empty: there is none
  std::string_view reply_to;  // the same; null counts as none
  std::string_view payload;   // raw; empty: there is none
  JsonType payload_type = JsonType::null;
  std::vector<JsonField> fields;  // of the envelope, in order
  std::vector<JsonField> inner;   // of the payload, if it is an object

  // Whether the version is the one that we speak, or none is given.
  bool speaks_our_version() const { return version.empty() || version == "\"mvp-0.2\""; }
  // The text of a member of the payload; std::nullopt if it is not a string.
  std::optional<std::string> payload_text(std::string_view name) const;
  bool payload_flag(std::string_view name) const;  // is the value true?

 private:
  friend class EnvelopeReader;
  std::string decoded_type_;
};

enum class ReadResult : std::uint8_t {
  ok,
  malformed,  // not a JSON object with a string "type"
  too_deep,
  too_many_fields,
  long_id,  // `id` or `replyTo` is over kMaxIdBytes
};

// Reads envelopes, one after the other; what it needs is used again each time.
class EnvelopeReader {
 public:
  explicit EnvelopeReader(std::size_t max_depth) : max_depth_(max_depth) {}

  // `text` must be UTF-8. After anything but `ok` the envelope must not be used.
  ReadResult read(std::string_view text);
  const Envelope& envelope() const { return envelope_; }

 private:
  std::size_t max_depth_;
  Envelope envelope_;
};

// What is changed in a message that is passed on; the rest stays as it was written.
struct Rewrite {
  // std::nullopt: as it came. Raw JSON; empty: left out.
  std::optional<std::string_view> id = {};
  std::optional<std::string_view> reply_to = {};
  // Takes the place of payload.sessionId, or is added; a safe id.
  std::optional<std::string_view> session_id = {};
};

// Appends the message as it is passed on: `v` first, and added if there was none; unknown members
// kept; of members that are there twice the last one.
void append_forwarded(std::string& out, const Envelope& envelope, const Rewrite& rewrite);

// Appends the payload as append_forwarded() writes it; {} if there is none.
void append_payload(std::string& out, const Envelope& envelope, const Rewrite& rewrite);

}  // namespace parley::external_agent
