// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "auth/token_store.h"

#include <openssl/crypto.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "auth/guess_limit.h"
#include "auth/guess_news.h"
#include "auth/secret.h"
#include "auth/token_file.h"
#include "core/hex.h"
#include "core/try.h"
#include "core/utf8.h"

namespace parley::auth {
namespace {

constexpr std::string_view kTokenPrefix = "prl_";
constexpr std::string_view kIdPrefix = "parley-token-id:";
constexpr std::size_t kIdBytes = 8;  // 16 hexadecimal digits
constexpr std::size_t kMaxNameBytes = 64;

std::string token_id_of(std::string_view token) {
  std::string text(kIdPrefix);
  text += token;
  const std::string digest = secret_hash(text);
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
                    "The name of a token is 1 to 64 bytes of printable text, without a space at "
                    "either end.",
                    "name");
}

// The admitted tokens. Never changed once published, so that verify() searches it without a lock.
class Admission {
 public:
  void add(const std::string& hash, const Identity& identity) {
    entries_[bucket(hash)].push_back({hash, identity});
  }

  const Identity* find(const std::string& hash) const {
    const auto found = entries_.find(bucket(hash));
    if (found == entries_.end()) return nullptr;
    for (const Entry& entry : found->second) {
      if (CRYPTO_memcmp(entry.hash.data(), hash.data(), hash.size()) == 0) return &entry.identity;
    }
    return nullptr;
  }

  std::set<std::string> valid_ids(core::WallTime now) const {
    std::set<std::string> ids;
    for (const auto& [key, entries] : entries_) {
      for (const Entry& entry : entries) {
        const auto& expires = entry.identity.expires_at;
        if (!expires || now < *expires) ids.insert(entry.identity.token_id);
      }
    }
    return ids;
  }

 private:
  struct Entry {
    std::string hash;
    Identity identity;
  };

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
    if (loaded) known_valid_ = admission()->valid_ids(clock_.wall());
    return loaded;
  }

  core::Result<Identity> verify(std::string_view token, std::string_view /*peer*/) override {
    if (token.empty()) {
      return core::fail(core::Code::unauthenticated, "A token is needed. None was given.");
    }
    const std::shared_ptr<const Admission> now = admission();
    const Identity* identity = now->find(secret_hash(token));
    if (identity != nullptr && (!identity->expires_at || clock_.wall() < *identity->expires_at)) {
      return *identity;
    }
    return core::fail(core::Code::unauthenticated,
                      "This token is not valid. Make one with `parley token create`.");
  }

  Verdict judge(std::string_view token, std::string_view peer) override {
    Verdict verdict{verify(token, peer)};
    if (token.empty() || (verdict.identity && !verdict.identity->guessable)) return verdict;
    const std::optional<core::Millis> wait =
        verdict.identity ? guesses_.guessable(peer) : guesses_.wrong(peer);
    if (!verdict.identity) news_.wrong(clock_.mono(), peer);
    if (wait) {
      verdict.wait = *wait;
    } else {
      verdict.identity =
          core::fail(core::Code::resource_exhausted,
                     "Too many wrong tokens came from this address. Try again in a minute.");
    }
    return verdict;
  }

  std::unique_ptr<TokenWatch> watch(std::string_view token_id, core::Scheduler& scheduler,
                                    core::Task gone) override {
    return watchers_.watch(token_id, scheduler, std::move(gone));
  }
  bool refuses_guesses(std::string_view peer) override { return guesses_.full(peer); }
  std::uint64_t wrong_tokens() const override { return guesses_.wrong_tokens(); }

  core::Result<std::string> create(std::string_view name, std::optional<core::WallTime> expires_at,
                                   std::optional<Rights> rights) override {
    PARLEY_TRY_VOID(check_name(name));
    const core::WallTime now = clock_.wall();
    if (expires_at && *expires_at <= now) {
      return core::fail(core::Code::invalid_argument, "The token would have expired already.",
                        "expires");
    }
    if (!rights) rights = name == kDefaultTokenName ? Rights::all() : Rights::usual();
    if (rights->empty()) {
      return core::fail(core::Code::invalid_argument, "A token needs at least one right.",
                        "rights");
    }
    const std::scoped_lock lock(file_mutex_);
    std::string token = new_secret(kTokenPrefix, entropy_);
    TokenRow row;
    row.info.identity = {token_id_of(token), std::string(name), expires_at, *rights};
    row.info.created_at = now;
    row.hash = secret_hash(token);
    core::Result<void> stored = file_->insert(row);
    if (stored) stored = reload();
    if (!stored) return core::fail(std::move(stored.error()));
    // Lets poll() report the token's end, even if it ends before the next poll().
    known_valid_.insert(row.info.identity.token_id);
    return token;
  }

  core::Result<std::vector<TokenInfo>> list() override {
    const std::scoped_lock lock(file_mutex_);
    PARLEY_TRY(std::vector<TokenRow> rows, file_->rows());
    std::vector<TokenInfo> infos;
    infos.reserve(rows.size());
    for (TokenRow& row : rows) infos.push_back(std::move(row.info));
    return infos;
  }

  core::Result<void> revoke(std::string_view name_or_id) override {
    const std::scoped_lock lock(file_mutex_);
    PARLEY_TRY(const bool revoked, file_->revoke(name_or_id, clock_.wall()));
    if (!revoked) {
      return core::fail(core::Code::not_found, "No valid token has this name or id.", "name");
    }
    return reload();
  }

  Identity allow_for_this_run(std::string_view token, std::string_view name) override {
    Identity identity{token_id_of(token), std::string(name), std::nullopt, Rights::all(),
                      token.size() < kMinUnguessableBytes};
    const std::scoped_lock lock(file_mutex_);
    run_tokens_.emplace_back(secret_hash(token), identity);
    known_valid_.insert(identity.token_id);
    // The current admission is copied and extended, without reading the file.
    auto next = std::make_shared<Admission>(*admission());
    next->add(run_tokens_.back().first, identity);
    set_admission(std::move(next));
    return identity;
  }

  void poll(const std::function<void(const std::string& token_id)>& on_gone) override {
    std::vector<std::string> gone;
    {
      const std::scoped_lock lock(file_mutex_);
      take_up_changes();
      std::set<std::string> valid = admission()->valid_ids(clock_.wall());
      std::set_difference(known_valid_.begin(), known_valid_.end(), valid.begin(), valid.end(),
                          std::back_inserter(gone));
      known_valid_ = std::move(valid);
    }
    for (const std::string& token_id : gone) {
      watchers_.tell(token_id);
      on_gone(token_id);
    }
  }

 private:
  // take_up_changes() and reload() are called with file_mutex_ held.
  void take_up_changes() {
    const core::Result<std::int64_t> version = file_->data_version();
    core::Result<void> done;
    if (!version) {
      done = core::fail(version.error());
    } else if (*version != loaded_version_) {
      done = reload();
    }
    if (!done) spdlog::warn("tokens: changes cannot be read: {}", done.error().message);
  }

  core::Result<void> reload() {
    // Read the version first: the next poll() then finds a change made between the two reads.
    PARLEY_TRY(const std::int64_t version, file_->data_version());
    PARLEY_TRY(const std::vector<TokenRow> rows, file_->rows());
    auto next = std::make_shared<Admission>();
    // Tokens of this run first: they win over an expired stored row of the same token.
    for (const auto& [hash, identity] : run_tokens_) next->add(hash, identity);
    for (const TokenRow& row : rows) {
      if (!row.info.revoked_at) next->add(row.hash, row.info.identity);
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
  GuessLimit guesses_;
  GuessNews news_{"tokens"};
  TokenWatchers watchers_;

  mutable std::mutex admission_mutex_;  // held only to copy or set the pointer
  std::shared_ptr<const Admission> admission_ = std::make_shared<Admission>();

  std::mutex file_mutex_;  // guards all below
  std::unique_ptr<TokenFile> file_;
  std::int64_t loaded_version_ = 0;
  std::vector<std::pair<std::string, Identity>> run_tokens_;  // hash, identity
  std::set<std::string> known_valid_;                         // ids, at the last poll()
};

}  // namespace

core::Result<std::unique_ptr<TokenStore>> TokenStore::open(const std::string& data_dir,
                                                           const core::Clock& clock,
                                                           core::Entropy& entropy) {
  PARLEY_TRY(std::unique_ptr<TokenFile> file, TokenFile::open(data_dir));
  auto store = std::make_unique<FileTokenStore>(std::move(file), clock, entropy);
  PARLEY_TRY_VOID(store->load());
  return store;
}

}  // namespace parley::auth
