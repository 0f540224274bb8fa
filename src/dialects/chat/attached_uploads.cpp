// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/attached_uploads.h"

#include <utility>

#include "base/core/base64.h"
#include "base/core/result.h"

namespace parley::chat {

using core::Result;

Result<std::vector<Attachment>> attach_uploads(front_end::UploadStore& uploads,
                                               const std::string& owner,
                                               std::vector<Attachment> attachments) {
  std::size_t left = kMaxAttachedUploadBytes;
  for (Attachment& attachment : attachments) {
    if (attachment.upload.empty()) continue;
    const Result<front_end::Upload> upload = uploads.find(owner, attachment.upload);
    if (!upload) continue;
    attachment.media.reset();
    if (upload->size > left) {
      attachment.text += " (" + std::to_string(upload->size) + " bytes, too many for the model)";
      continue;
    }
    PARLEY_TRY(const std::string bytes,
               uploads.read(owner, *upload, 0, static_cast<std::size_t>(upload->size)));
    left -= bytes.size();
    model::Part part;
    part.type = attachment.upload_part;
    part.name = attachment.name;
    part.media_type = upload->type;
    part.data = core::base64_encode(bytes);
    attachment.media = std::move(part);
  }
  return attachments;
}

}  // namespace parley::chat
