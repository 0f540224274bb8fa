// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/json_text.h"

namespace parley::external_agent {

using core::decode_json_string;
using core::find_field;
using core::JsonField;
using core::JsonType;
using core::names;
using core::scan_object;
using core::ScanResult;

inline constexpr std::string_view kVersion = "mvp-0.2";
// Limit of a raw `id` or `replyTo`, in bytes. The relay keeps them while a request waits.
// Limit (External agents): `id`, `replyTo`. Reached: `INVALID_MESSAGE`.
inline constexpr std::size_t kMaxIdBytes = 1'024;

// One message as received. Every view points into the text that was read or into this object, and
// is valid until the next read().
struct Envelope {
  std::string_view text;
  std::string_view type;      // decoded
  std::string_view version;   // raw; empty: absent
  std::string_view id;        // raw JSON of any type; empty: absent
  std::string_view reply_to;  // raw JSON of any type; empty: absent or null
  std::string_view payload;   // raw; empty: absent
  JsonType payload_type = JsonType::null;
  std::vector<JsonField> fields;  // members of the envelope, in order
  std::vector<JsonField> inner;   // members of the payload, if it is an object

  // True if the version is the one that the relay speaks, or absent.
  bool speaks_our_version() const { return version.empty() || version == "\"mvp-0.2\""; }
  // Decoded text of a member of the payload; std::nullopt if it is not a string.
  std::optional<std::string> payload_text(std::string_view name) const;
  bool payload_flag(std::string_view name) const;  // true if the value is `true`

 private:
  friend class EnvelopeReader;
  std::string decoded_type_;
};

enum class ReadResult : std::uint8_t {
  ok,
  malformed,  // not a JSON object with a string "type"
  too_deep,
  too_many_fields,
  long_id,  // `id` or `replyTo` is longer than kMaxIdBytes
};

// Reads envelopes one after another, reusing its buffers.
class EnvelopeReader {
 public:
  explicit EnvelopeReader(std::size_t max_depth) : max_depth_(max_depth) {}

  // `text` must be UTF-8. The envelope must not be used after a result other than `ok`.
  ReadResult read(std::string_view text);
  const Envelope& envelope() const { return envelope_; }

 private:
  std::size_t max_depth_;
  Envelope envelope_;
};

// Changes to a message that is forwarded; the rest stays as written.
struct Rewrite {
  // std::nullopt: unchanged. Otherwise raw JSON; empty: left out.
  std::optional<std::string_view> id = {};
  std::optional<std::string_view> reply_to = {};
  // Replaces payload.sessionId, or is added; must be a safe id.
  std::optional<std::string_view> session_id = {};
};

// Appends the message in its forwarded form: `v` is first and added if absent, unknown members are
// kept, and the last of duplicate members is used.
void append_forwarded(std::string& out, const Envelope& envelope, const Rewrite& rewrite);

// Appends the payload in the form of append_forwarded(); {} if absent.
void append_payload(std::string& out, const Envelope& envelope, const Rewrite& rewrite);

}  // namespace parley::external_agent
