// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/token_store.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/core/guess_limit.h"
#include "base/core/hex.h"
#include "base/core/outage_log.h"
#include "base/core/result.h"
#include "base/core/secret.h"
#include "base/core/utf8.h"
#include "identity/auth/guess_warning.h"
#include "identity/auth/token_file.h"

namespace parley::auth {
namespace {

constexpr std::string_view kTokenPrefix = "prl_";
constexpr std::string_view kIdPrefix = "parley-token-id:";
constexpr std::size_t kIdBytes = 8;  // 16 hexadecimal digits
// Limit (Tokens): name of a token. Reached: `invalid_argument`.
constexpr std::size_t kMaxNameBytes = 64;

std::string token_id_of(std::string_view token) {
  std::string text(kIdPrefix);
  text += token;
  const std::string digest = core::secret_hash(text);
  return core::hex_text(std::string_view(digest).substr(0, kIdBytes));
}

// True for UTF-8 without control characters (ASCII, and U+0080 to U+009F).
bool is_printable(std::string_view text) {
  if (!core::is_utf8(text)) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f) return false;
    if (c == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) return false;
  }
  return true;
}

core::Result<void> check_name(std::string_view name) {
  const bool spaced = !name.empty() && (name.front() == ' ' || name.back() == ' ');
  if (!name.empty() && name.size() <= kMaxNameBytes && !spaced && is_printable(name)) return {};
  return core::fail(core::Code::invalid_argument,
                    "The name of a token must be 1 to 64 bytes of printable text, without a space "
                    "at the start or the end.",
                    "name");
}

// Workspaces of tokens, by token id.
using Workspaces = std::map<std::string, std::string>;

// When a token was presented last. Threads of many connections set it.
class LastSeen {
 public:
  void set(core::WallTime now) {
    const std::int64_t ms = core::to_unix_ms(now);
    if (ms - at_.load(std::memory_order_relaxed) < kPrecisionMs) return;
    at_.store(ms, std::memory_order_relaxed);
  }
  std::int64_t at() const { return at_.load(std::memory_order_relaxed); }  // Unix ms; 0: never

  std::int64_t stored = 0;  // the time on disk

 private:
  static constexpr std::int64_t kPrecisionMs = 60'000;
  std::atomic<std::int64_t> at_{0};
};

// The admitted tokens. Never changed once published, so that verify() searches it without a lock.
class Admission {
 public:
  struct Entry {
    std::string hash;
    Identity identity;
    std::shared_ptr<LastSeen> seen;
  };

  void add(Entry entry) {
    const std::uint64_t key = bucket(entry.hash);
    entries_[key].push_back(std::move(entry));
  }

  // The entry wins over another one of the same token.
  void add_first(Entry entry) {
    std::vector<Entry>& entries = entries_[bucket(entry.hash)];
    entries.insert(entries.begin(), std::move(entry));
  }

  const Entry* find(const std::string& hash) const {
    const auto found = entries_.find(bucket(hash));
    if (found == entries_.end()) return nullptr;
    for (const Entry& entry : found->second) {
      if (CRYPTO_memcmp(entry.hash.data(), hash.data(), hash.size()) == 0) return &entry;
    }
    return nullptr;
  }

  Workspaces valid(core::WallTime now) const {
    Workspaces valid;
    for (const auto& [key, entries] : entries_) {
      for (const Entry& entry : entries) {
        const auto& expires = entry.identity.expires_at;
        if (!expires || now < *expires) {
          valid.emplace(entry.identity.token_id, entry.identity.workspace);
        }
      }
    }
    return valid;
  }

 private:
  static std::uint64_t bucket(const std::string& hash) {
    std::uint64_t key = 0;
    std::memcpy(&key, hash.data(), sizeof(key));
    return key;
  }

  absl::flat_hash_map<std::uint64_t, std::vector<Entry>> entries_;
};

class FileTokenStore final : public TokenStore {
 public:
  FileTokenStore(std::unique_ptr<TokenFile> file, const core::Clock& clock, core::Entropy& entropy)
      : clock_(clock), entropy_(entropy), guesses_(clock), file_(std::move(file)) {}

  core::Result<void> load() {
    const std::scoped_lock lock(file_mutex_);
    core::Result<void> loaded = reload();
    if (loaded) known_valid_ = admission()->valid(clock_.wall());
    return loaded;
  }

  core::Result<Identity> verify(std::string_view token, std::string_view peer) override {
    if (token.empty()) {
      return core::fail(
          core::Code::unauthenticated,
          "A token is required, and the request has none. Make one with `parley token create`.");
    }
    const std::shared_ptr<const Admission> now = admission();
    const Admission::Entry* entry = now->find(core::secret_hash(token));
    const core::WallTime at = clock_.wall();
    if (entry != nullptr && (!entry->identity.expires_at || at < *entry->identity.expires_at)) {
      if (!peer.empty()) entry->seen->set(at);
      return entry->identity;
    }
    return core::fail(core::Code::unauthenticated,
                      "This token is not valid. Make one with `parley token create`.");
  }

  Verdict judge(std::string_view token, std::string_view peer) override {
    Verdict verdict{verify(token, peer)};
    if (token.empty() || (verdict.identity && !verdict.identity->guessable)) return verdict;
    const std::optional<core::Millis> wait =
        verdict.identity ? guesses_.guessable(peer) : guesses_.wrong(peer, token);
    if (!verdict.identity) warning_.wrong(clock_.mono(), peer);
    if (wait) {
      verdict.wait = *wait;
    } else {
      verdict.identity =
          core::fail(core::Code::resource_exhausted,
                     "Too many wrong tokens came from this address. Try again in a minute.");
    }
    return verdict;
  }

  TokenWatchers& watchers() override { return watchers_; }
  bool refuses_guesses(std::string_view peer) override { return guesses_.full(peer); }
  std::uint64_t wrong_tokens() const override { return guesses_.wrong_tokens(); }

  core::Result<std::string> create(const NewToken& wanted) override {
    PARLEY_TRY_VOID(check_name(wanted.name));
    const core::WallTime now = clock_.wall();
    if (wanted.expires_at && *wanted.expires_at <= now) {
      return core::fail(core::Code::invalid_argument,
                        "The expiry of the token must be in the future.", "expires");
    }
    const Rights rights =
        wanted.rights.value_or(wanted.name == kDefaultTokenName ? Rights::all() : Rights::usual());
    if (rights.empty()) {
      return core::fail(core::Code::invalid_argument, "A token needs at least one right.",
                        "rights");
    }
    const std::scoped_lock lock(file_mutex_);
    std::string token = core::new_secret(kTokenPrefix, entropy_);
    TokenRow row;
    const std::string id = token_id_of(token);
    row.info.identity = {wanted.workspace.empty() ? id : wanted.workspace,
                         wanted.name,
                         wanted.expires_at,
                         rights,
                         false,
                         id};
    row.info.created_at = now;
    row.hash = core::secret_hash(token);
    core::Result<void> stored = file_->insert(row);
    if (stored) stored = reload();
    if (!stored) return core::fail(std::move(stored.error()));
    // Lets poll() report the token's end, even if it ends before the next poll().
    known_valid_.emplace(id, row.info.identity.workspace);
    return token;
  }

  core::Result<std::vector<TokenInfo>> list() override {
    const std::scoped_lock lock(file_mutex_);
    PARLEY_TRY(std::vector<TokenRow> rows, file_->rows());
    std::vector<TokenInfo> infos;
    infos.reserve(rows.size());
    for (const TokenRow& row : rows) infos.push_back(info_of(row));
    return infos;
  }

  core::Result<TokenInfo> rename(std::string_view name_or_id, std::string_view name) override {
    PARLEY_TRY_VOID(check_name(name));
    const std::scoped_lock lock(file_mutex_);
    PARLEY_TRY(const bool renamed, file_->rename(name_or_id, name));
    if (!renamed) return core::fail(unknown_token());
    PARLEY_TRY_VOID(reload());
    PARLEY_TRY(const std::vector<TokenRow> rows, file_->rows());
    for (const TokenRow& row : rows) {
      if (!row.info.revoked_at && row.info.identity.name == name) return info_of(row);
    }
    return core::fail(unknown_token());
  }

  core::Result<void> revoke(std::string_view name_or_id) override {
    const std::scoped_lock lock(file_mutex_);
    PARLEY_TRY(const bool revoked, file_->revoke(name_or_id, clock_.wall()));
    if (!revoked) return core::fail(unknown_token());
    return reload();
  }

  Identity allow_for_this_run(std::string_view token, std::string_view name) override {
    const std::string id = token_id_of(token);
    const std::string hash = core::secret_hash(token);
    const std::scoped_lock lock(file_mutex_);
    const std::shared_ptr<const Admission> now = admission();
    const Admission::Entry* stored = now->find(hash);
    Identity identity{stored == nullptr ? id : stored->identity.workspace,
                      std::string(name),
                      std::nullopt,
                      Rights::all(),
                      token.size() < kMinUnguessableBytes,
                      id};
    run_tokens_.push_back({hash, identity, seen_of(id, {})});
    known_valid_.emplace(id, identity.workspace);
    // The current admission is made again with the token first, without reading the file.
    auto next = std::make_shared<Admission>(*now);
    next->add_first(run_tokens_.back());
    set_admission(std::move(next));
    return identity;
  }

  void poll(const std::function<void(const EndedToken&)>& on_end) override {
    std::vector<EndedToken> all_ended;
    {
      const std::scoped_lock lock(file_mutex_);
      reload_if_changed();
      store_seen();
      Workspaces valid = admission()->valid(clock_.wall());
      std::set<std::string_view> alive;
      for (const auto& [id, workspace] : valid) alive.insert(workspace);
      for (const auto& [id, workspace] : known_valid_) {
        if (!valid.contains(id)) all_ended.push_back({id, workspace, !alive.contains(workspace)});
      }
      known_valid_ = std::move(valid);
    }
    for (const EndedToken& ended : all_ended) {
      watchers_.tell(ended.workspace);
      on_end(ended);
    }
  }

 private:
  static core::Error unknown_token() {
    return {core::Code::not_found, "No valid token has this name or id.", "name"};
  }

  // The functions below are called with file_mutex_ held.
  std::shared_ptr<LastSeen> seen_of(const std::string& token_id,
                                    std::optional<core::WallTime> stored) {
    std::shared_ptr<LastSeen>& seen = seen_[token_id];
    if (seen == nullptr) seen = std::make_shared<LastSeen>();
    if (stored) seen->stored = std::max(seen->stored, core::to_unix_ms(*stored));
    return seen;
  }

  TokenInfo info_of(const TokenRow& row) const {
    TokenInfo info = row.info;
    const auto seen = seen_.find(info.identity.token_id);
    if (seen != seen_.end() && seen->second->at() > 0) {
      info.seen_at = core::from_unix_ms(seen->second->at());
    }
    return info;
  }

  void store_seen() {
    std::vector<TokenFile::Seen> changed;
    for (const auto& [id, seen] : seen_) {
      const std::int64_t at = seen->at();
      if (at > seen->stored) changed.push_back({id, core::from_unix_ms(at)});
    }
    if (changed.empty()) return;
    const core::Result<void> done = file_->set_seen(changed);
    seen_writes_.note(done);
    if (!done) return;
    for (const TokenFile::Seen& each : changed) {
      seen_.at(each.token_id)->stored = core::to_unix_ms(each.at);
    }
  }

  void reload_if_changed() {
    const core::Result<std::int64_t> version = file_->data_version();
    core::Result<void> done;
    if (!version) {
      done = core::fail(version.error());
    } else if (*version != loaded_version_) {
      done = reload();
    }
    reads_.note(done);
  }

  core::Result<void> reload() {
    // Read the version first: the next poll() then finds a change made between the two reads.
    PARLEY_TRY(const std::int64_t version, file_->data_version());
    PARLEY_TRY(const std::vector<TokenRow> rows, file_->rows());
    auto next = std::make_shared<Admission>();
    // Tokens of this run first: they win over an expired stored row of the same token.
    for (const Admission::Entry& entry : run_tokens_) next->add(entry);
    for (const TokenRow& row : rows) {
      if (row.info.revoked_at) continue;
      next->add(
          {row.hash, row.info.identity, seen_of(row.info.identity.token_id, row.info.seen_at)});
    }
    set_admission(std::move(next));
    loaded_version_ = version;
    return {};
  }

  std::shared_ptr<const Admission> admission() const {
    const std::scoped_lock lock(admission_mutex_);
    return admission_;
  }

  void set_admission(std::shared_ptr<const Admission> next) {
    const std::scoped_lock lock(admission_mutex_);
    admission_ = std::move(next);
  }

  const core::Clock& clock_;
  core::Entropy& entropy_;
  core::GuessLimit guesses_;
  GuessWarning warning_{"tokens"};
  TokenWatchers watchers_;

  mutable std::mutex admission_mutex_;  // held only to copy or set the pointer
  std::shared_ptr<const Admission> admission_ = std::make_shared<Admission>();

  std::mutex file_mutex_;  // guards all below
  std::unique_ptr<TokenFile> file_;
  std::int64_t loaded_version_ = 0;
  core::OutageLog reads_{"tokens: changes of tokens cannot be read"};
  core::OutageLog seen_writes_{"tokens: times of last uses cannot be stored"};
  std::vector<Admission::Entry> run_tokens_;
  Workspaces known_valid_;                                 // at the last poll()
  std::map<std::string, std::shared_ptr<LastSeen>> seen_;  // by token id
};

}  // namespace

core::Result<std::unique_ptr<TokenStore>> TokenStore::open(const sql::StorePlace& place,
                                                           const core::Clock& clock,
                                                           core::Entropy& entropy) {
  PARLEY_TRY(std::unique_ptr<TokenFile> file, TokenFile::open(place));
  return with_file(std::move(file), clock, entropy);
}

core::Result<std::unique_ptr<TokenStore>> TokenStore::with_file(std::unique_ptr<TokenFile> file,
                                                                const core::Clock& clock,
                                                                core::Entropy& entropy) {
  auto store = std::make_unique<FileTokenStore>(std::move(file), clock, entropy);
  PARLEY_TRY_VOID(store->load());
  return store;
}

}  // namespace parley::auth
