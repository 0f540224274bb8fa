// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "dialects/chat/chat_message.h"
#include "services/front_end/upload_store.h"

namespace parley::chat {

// Limit of the uploads that one message puts before the model, in bytes.
// Limit (Chats): uploads of one message for the model. Reached: they are only named.
inline constexpr std::size_t kMaxAttachedUploadBytes = 16U << 20U;

// Puts the content of uploads of `owner` in the place of their addresses, which no provider can
// read without the person's token. An upload over the limit is only named; an address of no upload
// of this owner is left as it is. On the store's thread. Errors: those of UploadStore::read().
core::Result<std::vector<Attachment>> attach_uploads(front_end::UploadStore& uploads,
                                                     const std::string& owner,
                                                     std::vector<Attachment> attachments);

}  // namespace parley::chat
