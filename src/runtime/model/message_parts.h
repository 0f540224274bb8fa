// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "runtime/model/message.h"

namespace parley::model {

// Limit of the parts of one message.
// Limit (Runs): parts of a message that starts a run. Reached: refused.
inline constexpr std::size_t kMaxParts = 64;

// Reads a user's message in the form of clients: text, or an array of parts
// ({"type":"text","text"}, image_url{url}, image_base64{media_type,data}, audio_base64, video_url,
// video_base64, pdf_url, pdf_base64{data}, file{file_id?,file_data?,filename?}). `content` holds
// the texts, joined by line breaks. Errors: `invalid_argument` with the field, "message" or
// "message[2].url".
core::Result<Message> user_message_from(simdjson::dom::element value);

// Strictness about required members. Clients must send all that a type needs; a stored state may
// lack some.
enum class PartReading : std::uint8_t { strict, tolerant };

// Reads one part in the form that clients send and states store. `path` names the part in errors:
// `invalid_argument` for an unknown type, or a member that is missing or not text.
core::Result<Part> read_part(const simdjson::dom::element& value, const std::string& path,
                             PartReading reading);
void write_part(core::JsonWriter& json, const Part& part);

}  // namespace parley::model
