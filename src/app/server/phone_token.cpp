// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/phone_token.h"

#include <fstream>

#include "base/core/private_files.h"

namespace parley::app {
namespace {

constexpr std::size_t kMaxPhoneTokenBytes = 4'096;
// Names that are tried: "phone", "phone 2", ...
// Limit (The tailnet): names of the token for the terminal's code. Reached: the code has no token.
constexpr int kMaxPhoneNames = 100;

std::string stored_phone_token(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!in || !std::getline(in, line) || line.size() > kMaxPhoneTokenBytes) return {};
  return line;
}

bool still_fits(auth::TokenStore& tokens, const std::string& token, const std::string& workspace) {
  if (token.empty()) return false;
  const auto identity = tokens.verify(token, "");
  return identity && identity->workspace == workspace && identity->rights == auth::Rights::usual();
}

}  // namespace

core::Result<std::string> ensure_phone_token(const std::string& data_dir, auth::TokenStore& tokens,
                                             std::string_view own) {
  const auto owner = tokens.verify(own, "");
  if (own.empty() || !owner) return std::string();
  const std::string file = data_dir + "/" + std::string(kPhoneTokenFile);
  if (std::string stored = stored_phone_token(file); still_fits(tokens, stored, owner->workspace)) {
    return stored;
  }
  auth::NewToken wanted{std::string(kPhoneTokenName), {}, auth::Rights::usual(), owner->workspace};
  auto created = tokens.create(wanted);
  for (int number = 2; number <= kMaxPhoneNames; ++number) {
    if (created || created.error().code != core::Code::already_exists) break;
    wanted.name = std::string(kPhoneTokenName) + " " + std::to_string(number);
    created = tokens.create(wanted);
  }
  if (!created) return created;
  if (const auto stored = core::write_private_file(file, *created + "\n"); !stored) {
    (void)tokens.revoke(wanted.name);  // nobody would have its text
    return core::fail(stored.error());
  }
  return created;
}

}  // namespace parley::app
