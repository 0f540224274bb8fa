// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"

namespace parley::notify {

// A link with which one person may answer one question once, without a token. Its secret is in the
// notice alone; the store has the SHA-256.
struct AnswerLink {
  std::string interaction;  // id
  std::string session;
  std::string owner;     // workspace whose people are asked
  std::string key;       // of the interaction
  std::string notifier;  // name
  std::string label;     // of the answer, for people
  std::string text;      // of the answer
  bool written = false;  // the person chooses or writes the answer; label and text are empty
  core::WallTime expires_at;
  std::optional<core::WallTime> used_at;  // its answer has won
  std::string target = {};  // id of the subscription whose notice has it; empty: none, or not known
};

struct PushSubscription {
  std::string id;
  std::string owner;     // workspace
  std::string token;     // id of the token that subscribed; empty: a login of a user
  std::string endpoint;  // URL of the push service; a secret
  std::string p256dh;    // public key of the browser, 65 raw bytes
  std::string auth;      // 16 raw bytes
  std::string name;      // of the device, for people
  core::WallTime created_at;
  std::optional<core::WallTime> delivered_at;  // the last delivery
  std::string failure;                         // of the last attempt; empty: it succeeded
};

// Limits of subscriptions; a new one beyond them is refused.
// Limit (Notifications): devices of a token. Reached: 429.
inline constexpr std::size_t kMaxSubscriptionsOfToken = 20;
// Limit (Notifications): devices of the server. Reached: 429.
inline constexpr std::size_t kMaxSubscriptions = 10'000;
// Ended links are kept for this long, so that their page can say what happened.
// Limit (Notifications): time that ended links are kept after the deadline. Reached: the page says
// that the link is not known.
inline constexpr core::Millis kKeptAfterEnd = std::chrono::hours(24 * 7);

// DATA/notify.db: what was delivered to whom, answer links, push subscriptions; its format in
// docs/events.md. One connection, one thread at a time. All calls wait for the disk. A loss of
// power may lose the last commits: a notice is then sent again, or a link is not known.
class NotifyStore {
 public:
  static const sql::Schema& schema();
  // Makes the directory and the file (0600) if they are missing. Errors: those of
  // sql::make_data_dir() and sql::open_store().
  static core::Result<std::unique_ptr<NotifyStore>> open(const sql::StorePlace& place);
  virtual ~NotifyStore() = default;

  virtual core::Result<bool> was_delivered(std::string_view interaction, std::string_view notifier,
                                           std::string_view target) = 0;
  virtual core::Result<void> set_delivered(std::string_view interaction, std::string_view notifier,
                                           std::string_view target, core::WallTime at) = 0;

  // All or none. `hashes`: SHA-256, one for each link.
  virtual core::Result<void> add_links(const std::vector<std::string>& hashes,
                                       const std::vector<AnswerLink>& links) = 0;
  virtual core::Result<std::optional<AnswerLink>> link(std::string_view hash) = 0;
  virtual core::Result<void> set_used(std::string_view hash, core::WallTime at) = 0;

  // Replaces a subscription with the same endpoint. Errors: `resource_exhausted`.
  virtual core::Result<void> subscribe(const PushSubscription& subscription) = 0;
  // In order of creation; of one owner.
  virtual core::Result<std::vector<PushSubscription>> subscriptions(std::string_view owner) = 0;
  virtual core::Result<std::optional<PushSubscription>> subscription(std::string_view id) = 0;
  // False: there is none. An empty `owner` stands for any.
  virtual core::Result<bool> unsubscribe(std::string_view owner, std::string_view id) = 0;

  // The owners of subscriptions and links, each once.
  virtual core::Result<std::vector<std::string>> owners() = 0;
  // Deletes the subscriptions and the links of an owner that has ended.
  virtual core::Result<void> forget_owner(std::string_view owner) = 0;
  // Deletes the subscriptions of a token that has ended.
  virtual core::Result<void> forget_token(std::string_view token_id) = 0;
  // The end of an attempt; an empty failure is a success.
  virtual core::Result<void> set_attempt(std::string_view subscription, core::WallTime at,
                                         std::string_view failure) = 0;

  // Deletes links that expired, and deliveries that were made, before these times.
  virtual core::Result<void> sweep(core::WallTime links, core::WallTime deliveries) = 0;
};

}  // namespace parley::notify
