// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "services/notify/elliptic_key.h"
#include "services/notify/notice.h"

namespace parley::notify {

// Longest payload before its encryption. Every push service takes 4,096 bytes after it.
// Limit (Notifications): payload of a push message. Reached: options that are not safe are dropped,
// then the body is cut, then other options are dropped.
inline constexpr std::size_t kMaxPushBytes = 3'000;

// Encrypts a message for a browser (RFC 8291, aes128gcm of RFC 8188 with one record). `receiver`:
// its public key, 65 bytes; `auth`: its secret, 16 bytes; `salt`: 16 random bytes; `sender`: a key
// of this message alone. Errors: `invalid_argument`.
core::Result<std::string> encrypt_push(std::string_view text, std::string_view receiver,
                                       std::string_view auth, const EllipticKey& sender,
                                       std::string_view salt);

// The value of the field Authorization (RFC 8292): a token for the push service's origin, until
// `expires`, at most 24 hours ahead. `contact`: "mailto:..." or a https URL.
std::string vapid_authorization(const EllipticKey& key, std::string_view audience,
                                std::string_view contact, core::WallTime expires);

// The JSON that the service worker reads: {"v":1,"kind":...}, at most kMaxPushBytes. Options that
// are not safe are dropped first; then the body is cut between characters; then the others.
std::string push_payload(const Notice& notice);
// The same for the end of a question elsewhere.
std::string closed_payload(std::string_view key);

// The Topic of the messages of one interaction (RFC 8030 section 5.4): a later one replaces an
// earlier one that waits at the push service.
std::string push_topic(std::string_view interaction);

}  // namespace parley::notify
