// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/rights.h"
#include "auth/token_watch.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/guest_obstacle.h"
#include "core/result.h"

namespace parley::auth {

// The holder of a valid token.
struct Identity {
  std::string token_id;  // names the workspace: all data of a token belongs to it
  std::string name;
  std::optional<core::WallTime> expires_at;
  Rights rights = {};
  // True if the token is short enough to be guessed. While wrong tokens come from its sender's
  // address, its answers wait.
  bool guessable = false;
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
  // answers wait (auth/guess_limit.h). Further errors: `resource_exhausted` (too many answers
  // wait).
  virtual Verdict judge(std::string_view token, std::string_view peer) {
    return {verify(token, peer), core::Millis(0)};
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
  // Runs `gone` on `scheduler` each time that a token or a login of this workspace has ended. A
  // connection that outlives its requests watches first and then verifies its own token once more:
  // an end before watch() is not reported, and a reported end may be that of another connection's
  // token.
  virtual std::unique_ptr<TokenWatch> watch(std::string_view token_id, core::Scheduler& scheduler,
                                            core::Task gone) = 0;
};

// Tokens with fewer bytes can be guessed. Generated tokens have 47 bytes.
inline constexpr std::size_t kMinUnguessableBytes = 16;

// The token that a server makes for itself at its first start.
inline constexpr std::string_view kDefaultTokenName = "default";

// The tokens of a data directory, in DATA/tokens.db; only their SHA-256 is kept. Thread-safe. Other
// processes (parley token ...) may change the file at the same time; poll() reads such changes. All
// calls but verify(), judge() and allow_for_this_run() wait for the disk: not on a loop's thread.
class TokenStore : public Verifier {
 public:
  // Opens or makes the file (mode 0600).
  static core::Result<std::unique_ptr<TokenStore>> open(const std::string& data_dir,
                                                        const core::Clock& clock,
                                                        core::Entropy& entropy);

  // Makes a token and returns its text, which cannot be read again. `rights`: std::nullopt gives
  // the token named kDefaultTokenName all rights, any other Rights::usual(). Errors:
  // `already_exists` (a token that is not revoked has the name), `invalid_argument` (name, expiry,
  // rights).
  virtual core::Result<std::string> create(std::string_view name,
                                           std::optional<core::WallTime> expires_at,
                                           std::optional<Rights> rights = std::nullopt) = 0;
  virtual core::Result<std::vector<TokenInfo>> list() = 0;
  // By name or token id. Errors: `not_found`.
  virtual core::Result<void> revoke(std::string_view name_or_id) = 0;
  // Makes `token` valid as long as this object lives, with all rights, without storing it. Its
  // token_id is derived from the token's hash, so that the same token has the same workspace after
  // a restart.
  virtual Identity allow_for_this_run(std::string_view token, std::string_view name) = 0;
  // Reads changes by other processes and applies expiry. Calls `on_gone` with the id of each token
  // that has become invalid since the last call. Call about once a second.
  virtual void poll(const std::function<void(const std::string& token_id)>& on_gone) = 0;
  // Number of wrong tokens since the start.
  virtual std::uint64_t wrong_tokens() const { return 0; }
};

}  // namespace parley::auth
