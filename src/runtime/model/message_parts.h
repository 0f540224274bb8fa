// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>

#include "core/json_writer.h"
#include "core/result.h"
#include "runtime/model/message.h"

namespace parley::model {

// Parts of one message.
inline constexpr std::size_t kMaxParts = 64;

// What a person says, as clients send it: text, or an array of parts ({"type":"text","text"},
// image_url{url}, image_base64{media_type,data}, audio_base64, video_url, video_base64, pdf_url,
// pdf_base64{data}, file{file_id?,file_data?,filename?}). `content` gets the texts, joined by line
// breaks. Errors: `invalid_argument`, the field "message" or "message[2].url".
core::Result<Message> user_message_from(simdjson::dom::element value);

// How much a part must have. Clients name what a type needs; a stored state may lack it.
enum class PartReading : std::uint8_t { strict, tolerant };

// One part, in the form in which clients send it and states hold it. `path` is where it stands,
// for errors: `invalid_argument`, an unknown type, a member that is no text or is missing.
core::Result<Part> read_part(const simdjson::dom::element& value, const std::string& path,
                             PartReading reading);
void write_part(core::JsonWriter& json, const Part& part);

}  // namespace parley::model
