// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

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

}  // namespace parley::model
