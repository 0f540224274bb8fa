// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/shared_secrets.h"

#include <array>
#include <string>
#include <string_view>

#include "app/server/data_directory.h"
#include "app/server/tls_assembly.h"
#include "base/certificate/authority.h"
#include "base/certificate/interface_addresses.h"
#include "identity/auth/secret_files.h"
#include "services/notify/push_notifier.h"

namespace parley::app {
namespace {

constexpr std::array kMcp = {kMcpKeyFile};
constexpr std::array kPush = {notify::kVapidFile};
constexpr std::array kAuthority = {certificate::kAuthorityKeyFile, certificate::kAuthorityFile};

template <typename T>
core::Result<void> without_value(const core::Result<T>& result) {
  return result ? core::Result<void>() : core::fail(result.error());
}

}  // namespace

core::Result<std::string> share_secrets(const Settings& settings, const core::Clock& clock,
                                        core::Entropy& entropy) {
  const sql::StorePlace place = settings.stores();
  const auto make_key = [&] { return ensure_mcp_key(settings.data, entropy); };
  if (place.url.empty()) return make_key();
  PARLEY_TRY_VOID(auth::share_secret(place, kMcp, [&] { return without_value(make_key()); }));
  if (settings.notify.push) {
    PARLEY_TRY_VOID(auth::share_secret(
        place, kPush, [&] { return without_value(notify::vapid_key(settings.data)); }));
  }
  if (tls_mode(settings) == certificate::TlsMode::automatic) {
    PARLEY_TRY_VOID(auth::share_secret(place, kAuthority, [&] {
      return without_value(
          certificate::Authority::open(settings.data, certificate::host_name(), clock.wall()));
    }));
  }
  return make_key();
}

core::Result<std::size_t> copy_all_secrets(const sql::StorePlace& from, const sql::StorePlace& to) {
  std::size_t count = 0;
  for (const auth::SecretFiles files :
       {auth::SecretFiles(kMcp), auth::SecretFiles(kPush), auth::SecretFiles(kAuthority)}) {
    PARLEY_TRY(const std::size_t copied, auth::copy_secrets(from, to, files));
    count += copied;
  }
  return count;
}

}  // namespace parley::app
