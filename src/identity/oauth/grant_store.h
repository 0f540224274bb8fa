// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/string_map.h"
#include "base/sql/store_place.h"
#include "identity/auth/token_store.h"
#include "identity/auth/token_watch.h"
#include "identity/oauth/code_store.h"
#include "identity/oauth/grant_file.h"

namespace parley::oauth {

// Limit (Logins of agents): life of an access token, at most its Parley token's. Reached: 401.
inline constexpr core::Millis kAccessLife = std::chrono::hours(1);
// Limit (Logins of agents): life of a refresh token, for one use, at most its Parley token's.
// Reached: `invalid_grant`; a second use ends the grant.
inline constexpr core::Millis kRefreshLife = std::chrono::hours(24 * 30);  // from its last use
// Limit (Logins of agents): grants of the server. Reached: 429.
inline constexpr std::size_t kMaxGrants = 10'000;
// Limit (Logins of agents): grants of a workspace. Reached: the one renewed least recently ends.
inline constexpr std::size_t kMaxGrantsOfWorkspace = 100;  // the one used least recently ends
// Limit (Logins of agents): registered clients. Reached: the oldest without a grant goes; 429.
inline constexpr std::size_t kMaxRegistered = 1'000;  // the oldest one without a grant goes

inline constexpr std::size_t kMaxEndedTokens = 1'024;  // remembered for codes under way

inline constexpr std::string_view kAccessPrefix = "prlo_";
inline constexpr std::string_view kRefreshPrefix = "prlor_";

// The tokens of a grant, for its client; they cannot be read again.
struct IssuedTokens {
  std::string access_token;
  std::string refresh_token;
  core::Millis expires_in{0};
  auth::Rights scopes;
};

// The use of a refresh token.
struct RefreshUse {
  std::string token;
  std::string client_id;
  std::optional<auth::Rights> scopes = {};  // fewer than consented
};

// Grants and registered clients, in DATA/oauth.db and in memory. Thread-safe.
// Other processes may change them, the nodes of a cluster all of them; poll() reads such changes.
// Calls that change data wait for the disk: never on a loop's thread.
class GrantStore {
 public:
  // `watchers` is told the workspaces of grants that have ended, and outlives the store.
  static core::Result<std::unique_ptr<GrantStore>> open(const sql::StorePlace& place,
                                                        const core::Clock& clock,
                                                        core::Entropy& entropy,
                                                        auth::TokenWatchers& watchers);
  // The same over an open file.
  static core::Result<std::unique_ptr<GrantStore>> with_file(std::unique_ptr<GrantFile> file,
                                                             const core::Clock& clock,
                                                             core::Entropy& entropy,
                                                             auth::TokenWatchers& watchers);

  // --- from memory -----------------------------------------------------------------------------

  // The holder of an access token: the workspace, the rights of its scopes, and an id of the grant
  // as token_id. Errors: `unauthenticated`.
  core::Result<auth::Identity> identify(std::string_view access_token) const;
  // True while the grant with the token_id of identify() exists, whether or not its access token
  // has expired.
  bool is_open(std::string_view grant_id) const;
  std::optional<Client> registered(std::string_view client_id) const;
  // True if a person has given this client access that still exists.
  bool has_grant(std::string_view client_id) const;
  std::size_t grants() const;
  std::size_t clients() const;
  std::uint64_t reuses() const;  // grants that a used secret ended, since the start

  // --- with the disk ---------------------------------------------------------------------------

  // Makes the grant of a consent, for the code that was exchanged. Errors: `resource_exhausted`
  // (kMaxGrants), `invalid_grant` (the Parley token has ended), those of the file.
  core::Result<IssuedTokens> create(const Consent& consent, std::string_view code);
  // Issues new tokens; the previous ones end at once. A refresh token that was used before ends the
  // grant. Errors: `invalid_grant`, `invalid_scope`, those of the file.
  core::Result<IssuedTokens> refresh(const RefreshUse& use);
  // Ends the grant of a code that was exchanged before. False: there is none.
  core::Result<bool> end_reused(std::string_view code);
  // Ends the grant of an access token or a refresh token of this client. A no-op for others.
  core::Result<void> revoke(std::string_view token, std::string_view client_id);
  // Ends the grants of a Parley token, also those whose codes are being exchanged.
  core::Result<void> end_token(std::string_view token_id);
  // Ends the grants that `stays` does not select. `stays` may use this object's memory.
  core::Result<void> keep(absl::FunctionRef<bool(const Grant&)> stays);
  // Reads what other processes have changed, and ends the grants that they have removed. Call about
  // once a second.
  core::Result<void> poll();
  // Ends the grants whose refresh token or Parley token has expired. Call now and then.
  core::Result<void> sweep();
  // Stores a client under a new id. Errors: `resource_exhausted` (kMaxRegistered, all with
  // grants), those of the file.
  core::Result<Client> register_client(Client client);

 private:
  using Selects = absl::FunctionRef<bool(const Grant&)>;

  GrantStore(std::unique_ptr<GrantFile> file, const core::Clock& clock, core::Entropy& entropy,
             auth::TokenWatchers& watchers)
      : clock_(clock), entropy_(entropy), watchers_(watchers), file_(std::move(file)) {}
  core::Result<void> load();

  // The functions below are called with file_mutex_ held.
  std::optional<Grant> find(const core::StringMap<std::int64_t>& by, const std::string& key) const;
  IssuedTokens issue(Grant& grant, std::string_view family) const;
  core::Result<void> make_room(std::string_view workspace);
  core::Result<void> end(const Grant& grant);
  void forget(const Grant& grant);
  core::Result<void> end_all(Selects selects);
  core::Result<void> drop_unused_client();
  void remember(Grant grant);

  const core::Clock& clock_;
  core::Entropy& entropy_;
  auth::TokenWatchers& watchers_;

  std::mutex file_mutex_;
  std::unique_ptr<GrantFile> file_;
  std::int64_t loaded_version_ = 0;
  std::deque<std::string> ended_tokens_;  // the last kMaxEndedTokens

  mutable std::mutex mutex_;  // guards all below; never held while the disk works
  std::map<std::int64_t, Grant> grants_;
  core::StringMap<std::int64_t> by_access_;  // by SHA-256 of the access token
  core::StringMap<std::int64_t> by_family_;
  std::map<std::string, RegisteredClient, std::less<>> clients_;
  std::uint64_t reuses_ = 0;
};

}  // namespace parley::oauth
