// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/code_store.h"

#include <algorithm>
#include <utility>

#include "base/core/id.h"
#include "base/core/secret.h"

namespace parley::oauth {
namespace {

constexpr std::size_t kFamilyBytes = 16;

}  // namespace

std::string_view family_of(std::string_view secret) {
  const std::size_t begin = secret.find('_');
  const std::size_t end = secret.find('.');
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  if (end != begin + 1 + 2 * kFamilyBytes) return {};
  return secret.substr(begin + 1, 2 * kFamilyBytes);
}

std::string family_secret(std::string_view prefix, std::string_view family,
                          core::Entropy& entropy) {
  return core::new_secret(std::string(prefix) + std::string(family) + ".", entropy);
}

core::Result<std::string> CodeStore::add(Consent consent) {
  std::string code = family_secret(kCodePrefix, core::random_hex(entropy_, kFamilyBytes), entropy_);
  const std::scoped_lock lock(mutex_);
  drop_old();
  const auto of_workspace = std::count_if(entries_.begin(), entries_.end(), [&](const auto& each) {
    return each.second.consent.person.workspace == consent.person.workspace;
  });
  if (entries_.size() >= kMaxCodes ||
      static_cast<std::size_t>(of_workspace) >= kMaxCodesOfWorkspace) {
    return core::fail(core::Code::resource_exhausted,
                      "Too many logins of agents are under way. Try again in a minute.");
  }
  entries_.emplace(core::secret_hash(code), Entry{std::move(consent), clock_.mono() + kCodeLife});
  return code;
}

std::optional<Consent> CodeStore::take(std::string_view code) {
  const std::scoped_lock lock(mutex_);
  drop_old();
  auto entry = entries_.extract(core::secret_hash(code));
  if (entry.empty()) return std::nullopt;
  return std::move(entry.mapped().consent);
}

void CodeStore::forget_token(std::string_view token_id) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(entries_,
                [&](const auto& each) { return each.second.consent.person.token_id == token_id; });
}

std::size_t CodeStore::size() const {
  const std::scoped_lock lock(mutex_);
  return entries_.size();
}

void CodeStore::drop_old() {
  const core::MonoTime now = clock_.mono();
  std::erase_if(entries_, [&](const auto& each) { return each.second.until <= now; });
}

}  // namespace parley::oauth
