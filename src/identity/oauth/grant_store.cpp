// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/grant_store.h"

#include <openssl/crypto.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/core/id.h"
#include "base/core/number_text.h"
#include "base/core/result.h"
#include "base/core/secret.h"
#include "identity/oauth/parameters.h"
#include "identity/oauth/scope.h"

namespace parley::oauth {
namespace {

using core::Code;
using core::Result;

constexpr std::string_view kGrantIdPrefix = "oauth-";
constexpr std::size_t kClientIdBytes = 12;

core::Error invalid_grant() {
  return protocol_error("invalid_grant", "The code or the refresh token is not valid.");
}

bool same_hash(const std::string& a, const std::string& b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

core::WallTime at_most(core::WallTime at, const std::optional<core::WallTime>& end) {
  return end ? std::min(at, *end) : at;
}

}  // namespace

Result<std::unique_ptr<GrantStore>> GrantStore::open(const sql::StorePlace& place,
                                                     const core::Clock& clock,
                                                     core::Entropy& entropy,
                                                     auth::TokenWatchers& watchers) {
  PARLEY_TRY(std::unique_ptr<GrantFile> file, GrantFile::open(place));
  return with_file(std::move(file), clock, entropy, watchers);
}

Result<std::unique_ptr<GrantStore>> GrantStore::with_file(std::unique_ptr<GrantFile> file,
                                                          const core::Clock& clock,
                                                          core::Entropy& entropy,
                                                          auth::TokenWatchers& watchers) {
  std::unique_ptr<GrantStore> store(new GrantStore(std::move(file), clock, entropy, watchers));
  PARLEY_TRY_VOID(store->load());
  return store;
}

Result<void> GrantStore::load() {
  const std::scoped_lock lock(file_mutex_);
  PARLEY_TRY(loaded_version_, file_->data_version());
  PARLEY_TRY(std::vector<Grant> grants, file_->grants());
  PARLEY_TRY(std::vector<RegisteredClient> clients, file_->clients());
  for (Grant& grant : grants) remember(std::move(grant));
  for (RegisteredClient& client : clients) {
    const std::string id = client.client.id;
    clients_.emplace(id, std::move(client));
  }
  return {};
}

// --- memory --------------------------------------------------------------------------------------

Result<auth::Identity> GrantStore::identify(std::string_view access_token) const {
  const std::scoped_lock lock(mutex_);
  const auto id = by_access_.find(core::secret_hash(access_token));
  const core::WallTime now = clock_.wall();
  if (id != by_access_.end() && now < grants_.at(id->second).access_until) {
    const Grant& grant = grants_.at(id->second);
    return auth::Identity{grant.workspace,
                          grant.client_name,
                          grant.access_until,
                          grant.access_scopes,
                          false,
                          std::string(kGrantIdPrefix) + std::to_string(grant.id)};
  }
  return core::fail(Code::unauthenticated, "This access token is not valid. Log in again.");
}

bool GrantStore::is_open(std::string_view grant_id) const {
  if (!grant_id.starts_with(kGrantIdPrefix)) return false;
  const auto id = core::parse_number<std::int64_t>(grant_id.substr(kGrantIdPrefix.size()));
  const std::scoped_lock lock(mutex_);
  return id && grants_.contains(*id);
}

bool GrantStore::has_grant(std::string_view client_id) const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(grants_.begin(), grants_.end(),
                     [&](const auto& each) { return each.second.client_id == client_id; });
}

std::optional<Client> GrantStore::registered(std::string_view client_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = clients_.find(client_id);
  if (found == clients_.end()) return std::nullopt;
  return found->second.client;
}

std::size_t GrantStore::grants() const {
  const std::scoped_lock lock(mutex_);
  return grants_.size();
}

std::size_t GrantStore::clients() const {
  const std::scoped_lock lock(mutex_);
  return clients_.size();
}

std::uint64_t GrantStore::reuses() const {
  const std::scoped_lock lock(mutex_);
  return reuses_;
}

// --- disk ----------------------------------------------------------------------------------------

Result<IssuedTokens> GrantStore::create(const Consent& consent, std::string_view code) {
  const std::scoped_lock lock(file_mutex_);
  if (std::find(ended_tokens_.begin(), ended_tokens_.end(), consent.person.token_id) !=
      ended_tokens_.end()) {
    return core::fail(invalid_grant());
  }
  const std::string_view family = family_of(code);
  Grant grant;
  grant.family_hash = core::secret_hash(family);
  grant.token_id = consent.person.token_id;
  grant.workspace = consent.person.workspace;
  grant.client_id = consent.request.client_id;
  grant.client_name = consent.request.client_name;
  grant.resource = consent.request.resource;
  grant.scopes = consent.request.scopes;
  grant.access_scopes = grant.scopes;
  grant.token_until = consent.person.expires_at;
  grant.created_at = clock_.wall();
  PARLEY_TRY_VOID(make_room(grant.workspace));
  IssuedTokens issued = issue(grant, family);
  PARLEY_TRY(grant.id, file_->insert(grant));
  remember(std::move(grant));
  return issued;
}

Result<IssuedTokens> GrantStore::refresh(const RefreshUse& use) {
  const std::scoped_lock lock(file_mutex_);
  const std::string_view family = family_of(use.token);
  std::optional<Grant> grant = find(by_family_, core::secret_hash(family));
  const bool ours = use.token.starts_with(kRefreshPrefix) && grant && !family.empty();
  if (!ours || grant->client_id != use.client_id || grant->refresh_until <= clock_.wall()) {
    return core::fail(invalid_grant());
  }
  if (!same_hash(grant->refresh_hash, core::secret_hash(use.token))) {
    // The client or a thief used the token before: neither may go on.
    spdlog::warn("oauth: a used refresh token came again; the access of a client has been ended");
    PARLEY_TRY_VOID(end(*grant));
    const std::scoped_lock counting(mutex_);
    ++reuses_;
    return core::fail(invalid_grant());
  }
  const auth::Rights wanted = use.scopes.value_or(grant->scopes);
  if (common_scopes(wanted, grant->scopes) != wanted) {
    return core::fail(protocol_error("invalid_scope", "The scope exceeds the consent."));
  }
  grant->access_scopes = wanted;
  IssuedTokens issued = issue(*grant, family);
  PARLEY_TRY_VOID(file_->set_tokens(*grant));
  remember(*std::move(grant));
  return issued;
}

Result<bool> GrantStore::end_reused(std::string_view code) {
  const std::scoped_lock lock(file_mutex_);
  const std::string_view family = family_of(code);
  if (family.empty()) return false;
  const std::optional<Grant> grant = find(by_family_, core::secret_hash(family));
  if (!grant) return false;
  spdlog::warn("oauth: a used code came again; the access of a client has been ended");
  PARLEY_TRY_VOID(end(*grant));
  const std::scoped_lock counting(mutex_);
  ++reuses_;
  return true;
}

Result<void> GrantStore::revoke(std::string_view token, std::string_view client_id) {
  const std::scoped_lock lock(file_mutex_);
  const std::string hash = core::secret_hash(token);
  std::optional<Grant> grant = find(by_access_, hash);
  if (!grant) {
    grant = find(by_family_, core::secret_hash(family_of(token)));
    if (!grant || !same_hash(grant->refresh_hash, hash)) return {};
  }
  return grant->client_id == client_id ? end(*grant) : Result<void>();
}

Result<void> GrantStore::end_token(std::string_view token_id) {
  const std::scoped_lock lock(file_mutex_);
  ended_tokens_.emplace_back(token_id);
  if (ended_tokens_.size() > kMaxEndedTokens) ended_tokens_.pop_front();
  return end_all([&](const Grant& grant) { return grant.token_id == token_id; });
}

Result<void> GrantStore::keep(absl::FunctionRef<bool(const Grant&)> stays) {
  const std::scoped_lock lock(file_mutex_);
  return end_all([&](const Grant& grant) { return !stays(grant); });
}

Result<void> GrantStore::poll() {
  const std::scoped_lock lock(file_mutex_);
  // The version first: the next call then finds a change made between the two reads.
  PARLEY_TRY(const std::int64_t version, file_->data_version());
  if (version == loaded_version_) return {};
  PARLEY_TRY(std::vector<Grant> stored, file_->grants());
  PARLEY_TRY(std::vector<RegisteredClient> clients, file_->clients());
  std::set<std::int64_t> left;
  for (Grant& grant : stored) {
    left.insert(grant.id);
    remember(std::move(grant));
  }
  {
    const std::scoped_lock memory(mutex_);
    clients_.clear();
    for (RegisteredClient& client : clients) {
      const std::string id = client.client.id;
      clients_.emplace(id, std::move(client));
    }
  }
  loaded_version_ = version;
  return end_all([&](const Grant& grant) { return !left.contains(grant.id); });
}

Result<void> GrantStore::sweep() {
  const std::scoped_lock lock(file_mutex_);
  const core::WallTime now = clock_.wall();
  return end_all([now](const Grant& grant) { return grant.refresh_until <= now; });
}

Result<Client> GrantStore::register_client(Client client) {
  const std::scoped_lock lock(file_mutex_);
  if (clients() >= kMaxRegistered) PARLEY_TRY_VOID(drop_unused_client());
  client.id = "client-" + core::random_hex(entropy_, kClientIdBytes);
  RegisteredClient row{std::move(client), clock_.wall()};
  PARLEY_TRY_VOID(file_->insert(row));
  const std::scoped_lock memory(mutex_);
  clients_.insert_or_assign(row.client.id, row);
  return row.client;
}

std::optional<Grant> GrantStore::find(const core::StringMap<std::int64_t>& by,
                                      const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto id = by.find(key);
  if (id == by.end()) return std::nullopt;
  return grants_.at(id->second);
}

// Gives the grant new tokens.
IssuedTokens GrantStore::issue(Grant& grant, std::string_view family) const {
  const core::WallTime now = clock_.wall();
  IssuedTokens issued;
  issued.access_token = core::new_secret(kAccessPrefix, entropy_);
  issued.refresh_token = family_secret(kRefreshPrefix, family, entropy_);
  issued.scopes = grant.access_scopes;
  grant.access_hash = core::secret_hash(issued.access_token);
  grant.access_until = at_most(now + kAccessLife, grant.token_until);
  grant.refresh_hash = core::secret_hash(issued.refresh_token);
  grant.refresh_until = at_most(now + kRefreshLife, grant.token_until);
  issued.expires_in = grant.access_until - now;
  return issued;
}

Result<void> GrantStore::make_room(std::string_view workspace) {
  std::optional<Grant> oldest;
  {
    const std::scoped_lock lock(mutex_);
    if (grants_.size() >= kMaxGrants) {
      return core::fail(Code::resource_exhausted, "Too many agents have access to this server.");
    }
    std::size_t count = 0;
    for (const auto& [id, grant] : grants_) {
      if (grant.workspace != workspace) continue;
      ++count;
      if (!oldest || grant.access_until < oldest->access_until) oldest = grant;
    }
    if (count < kMaxGrantsOfWorkspace) return {};
  }
  return end(*oldest);
}

Result<void> GrantStore::end(const Grant& grant) {
  PARLEY_TRY_VOID(file_->remove(grant.id));
  forget(grant);
  watchers_.tell(grant.workspace);
  return {};
}

void GrantStore::forget(const Grant& grant) {
  const std::scoped_lock lock(mutex_);
  by_access_.erase(grant.access_hash);
  by_family_.erase(grant.family_hash);
  grants_.erase(grant.id);
}

Result<void> GrantStore::end_all(Selects selects) {
  std::vector<Grant> ending;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, grant] : grants_) ending.push_back(grant);
  }
  std::erase_if(ending, [&](const Grant& grant) { return !selects(grant); });
  for (const Grant& grant : ending) PARLEY_TRY_VOID(end(grant));
  return {};
}

Result<void> GrantStore::drop_unused_client() {
  std::string oldest;
  {
    const std::scoped_lock lock(mutex_);
    std::set<std::string_view> used;
    for (const auto& [id, grant] : grants_) used.insert(grant.client_id);
    std::optional<core::WallTime> at;
    for (const auto& [id, client] : clients_) {
      if (used.contains(id) || (at && client.registered_at >= *at)) continue;
      at = client.registered_at;
      oldest = id;
    }
  }
  if (oldest.empty()) {
    return core::fail(Code::resource_exhausted, "Too many clients are registered.");
  }
  PARLEY_TRY_VOID(file_->remove_client(oldest));
  const std::scoped_lock lock(mutex_);
  clients_.erase(oldest);
  return {};
}

// Puts a new or changed grant into the maps.
void GrantStore::remember(Grant grant) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = grants_.find(grant.id); known != grants_.end()) {
    by_access_.erase(known->second.access_hash);
  }
  by_access_.insert_or_assign(grant.access_hash, grant.id);
  by_family_.insert_or_assign(grant.family_hash, grant.id);
  const std::int64_t id = grant.id;
  grants_.insert_or_assign(id, std::move(grant));
}

}  // namespace parley::oauth
