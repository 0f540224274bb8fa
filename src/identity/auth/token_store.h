// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/guest_obstacle.h"
#include "base/core/result.h"
#include "base/sql/store_place.h"
#include "identity/auth/rights.h"
#include "identity/auth/token_watch.h"

namespace parley::auth {

// The holder of a valid token.
struct Identity {
  std::string workspace;  // all data of a token belongs to it; tokens may share one
  std::string name;
  std::optional<core::WallTime> expires_at;
  Rights rights = {};
  // True if the token is short enough to be guessed. While wrong tokens come from its sender's
  // address, its answers wait.
  bool guessable = false;
  std::string token_id = {};  // of the token itself; empty for a guest and for a login of a user
  std::string user = {};      // "user-7": whose login it is; empty for a token and for a guest
};

// The result of checking a token that a caller sent.
struct Verdict {
  core::Result<Identity> identity;
  // Delay before the answer is sent, which makes guessing slow. Never wait in a loop's thread: set
  // a timer.
  core::Millis wait{0};
};

struct TokenInfo {
  Identity identity;
  core::WallTime created_at;
  std::optional<core::WallTime> revoked_at;
  // The last time that a request or a new connection presented the token; kept on disk to the
  // minute.
  std::optional<core::WallTime> seen_at = {};
};

// A token that has become invalid.
struct EndedToken {
  std::string token_id;
  std::string workspace;
  bool workspace_ended = false;  // no valid token is left in it
};

// A token to make.
struct NewToken {
  std::string name;
  std::optional<core::WallTime> expires_at = {};
  // Default: all rights for the token named kDefaultTokenName, any other Rights::usual().
  std::optional<Rights> rights = {};
  std::string workspace = {};  // of another token; empty: one of its own
};

// Checks tokens. Thread-safe. The only interface of this folder that dialects use.
class Verifier {
 public:
  Verifier() = default;
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;
  virtual ~Verifier() = default;

  // Checks a token without a wait and without counting a guess. If a caller sent a wrong one, call
  // judge() too, which counts it. Errors: `unauthenticated` (missing, unknown, expired or revoked:
  // the message never says which of the last three, and never repeats the token). `peer`: an
  // address without its port.
  virtual core::Result<Identity> verify(std::string_view token, std::string_view peer) = 0;
  // Checks a token that a caller sent: wrong tokens are counted by the caller's address and their
  // answers wait (base/core/guess_limit.h). Further errors: `resource_exhausted` (too many answers
  // wait).
  virtual Verdict judge(std::string_view token, std::string_view peer) {
    return {verify(token, peer), core::Millis(0)};
  }
  // True if a connection that `token` began for `caller` may go on. The end of an access token that
  // its client renews does not end a connection; the end of the access itself does.
  virtual bool may_continue(const Identity& /*caller*/, std::string_view token,
                            std::string_view peer) {
    return verify(token, peer).has_value();
  }
  // True if guesses from `peer` are refused without a check now. Then no answer may reveal that a
  // guessable token is right.
  virtual bool refuses_guesses(std::string_view /*peer*/) { return false; }
  // Succeeds if a caller without a token may be admitted as a guest, provided that guests are
  // allowed at all. Errors: `permission_denied` (a page of another site), `unauthenticated` (the
  // request did not come directly from this computer; the message gives the evidence).
  virtual core::Result<void> check_guest(const std::optional<core::GuestObstacle>& /*obstacle*/) {
    return {};
  }
  // The registry that reports each end of a token or a login to the connections of its workspace. A
  // connection that outlives its requests watches first and then verifies its own token once more:
  // an end before watch() is not reported, and a reported end may be that of another connection's
  // token.
  virtual TokenWatchers& watchers() = 0;
};

// Tokens with fewer bytes can be guessed. Generated tokens have 47 bytes.
// Limit (Tokens, characters): least length of a token given by hand, if other computers can reach
// the server. Reached: the server does not start.
inline constexpr std::size_t kMinUnguessableBytes = 16;

// The token that a server makes for itself at its first start.
inline constexpr std::string_view kDefaultTokenName = "default";

class TokenFile;

// The tokens of a data directory, in DATA/tokens.db; only their SHA-256 is kept. Thread-safe. Other
// processes (parley token ...) may change the file at the same time; poll() reads such changes. All
// calls but verify(), judge() and allow_for_this_run() wait for the disk: not on a loop's thread.
class TokenStore : public Verifier {
 public:
  // Opens or makes the file (mode 0600).
  static core::Result<std::unique_ptr<TokenStore>> open(const sql::StorePlace& place,
                                                        const core::Clock& clock,
                                                        core::Entropy& entropy);
  // The same over an open file.
  static core::Result<std::unique_ptr<TokenStore>> with_file(std::unique_ptr<TokenFile> file,
                                                             const core::Clock& clock,
                                                             core::Entropy& entropy);

  // Makes a token and returns its text, which cannot be read again. Errors: `already_exists` (a
  // token that is not revoked has the name), `invalid_argument` (name, expiry, rights).
  virtual core::Result<std::string> create(const NewToken& wanted) = 0;
  virtual core::Result<std::vector<TokenInfo>> list() = 0;
  // By name or token id; `name`: the new one. Errors: `not_found`, `already_exists`,
  // `invalid_argument`.
  virtual core::Result<TokenInfo> rename(std::string_view name_or_id, std::string_view name) = 0;
  // By name or token id. Errors: `not_found`.
  virtual core::Result<void> revoke(std::string_view name_or_id) = 0;
  // Makes `token` valid as long as this object lives, with all rights, without storing it. Its
  // token_id is derived from the token's hash, so that the same token has the same workspace after
  // a restart. A stored token keeps the workspace that it has.
  virtual Identity allow_for_this_run(std::string_view token, std::string_view name) = 0;
  // Reads changes by other processes, applies expiry and stores when tokens were seen. Calls
  // `on_end` for each token that has become invalid since the last call. Call about once a
  // second.
  virtual void poll(const std::function<void(const EndedToken&)>& on_end) = 0;
  // Number of wrong tokens since the start.
  virtual std::uint64_t wrong_tokens() const { return 0; }
};

}  // namespace parley::auth
