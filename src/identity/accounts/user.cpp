// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/user.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/utf8.h"
#include "base/core/visible_text.h"

namespace parley::accounts {
namespace {

using core::Code;
using core::Result;

constexpr std::array<std::pair<UserStatus, std::string_view>, 4> kStatusNames = {{
    {UserStatus::active, "ACTIVE"},
    {UserStatus::inactive, "INACTIVE"},
    {UserStatus::locked, "LOCKED"},
    {UserStatus::deleted, "DELETED"},
}};

Result<void> fault(std::string message, std::string_view field) {
  return core::fail(Code::invalid_argument, std::move(message), std::string(field));
}

// True for UTF-8 in one line without invisible characters, so that two names cannot differ in those
// alone.
bool is_plain(std::string_view text) {
  return core::is_utf8(text) && core::count_hidden(text, core::Breaks::escape) == 0;
}

std::size_t characters_of(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string_view status_name(UserStatus status) {
  return kStatusNames.at(static_cast<std::size_t>(status)).second;
}

std::optional<UserStatus> status_from(std::string_view name) {
  for (const auto& [status, text] : kStatusNames) {
    if (text == name) return status;
  }
  return std::nullopt;
}

std::vector<std::string_view> roles_of(const User& user) {
  if (user.admin) return {"ADMIN", "USER"};
  return {"USER"};
}

auth::Rights rights_of(const User& user) {
  using auth::Right;
  if (user.admin) return auth::Rights::all();
  return {Right::ask, Right::answer, Right::read, Right::run};
}

Result<void> check_email(std::string_view email) {
  const std::size_t at = email.find('@');
  const bool parts = at != std::string_view::npos && at > 0 && at + 1 < email.size() &&
                     email.find('@', at + 1) == std::string_view::npos;
  if (parts && email.size() <= kMaxEmailBytes && is_plain(email) &&
      email.find_first_of(" \"'<>\\") == std::string_view::npos) {
    return {};
  }
  return fault("\"email\" must be an address like name@example.org, of at most 254 bytes.",
               "email");
}

Result<void> check_username(std::string_view username) {
  const std::size_t size = is_plain(username) ? characters_of(username) : 0;
  const bool spaced = !username.empty() && (username.front() == ' ' || username.back() == ' ');
  if (size >= kMinUsernameCharacters && size <= kMaxUsernameCharacters && !spaced &&
      username.find('@') == std::string_view::npos) {
    return {};
  }
  return fault(
      "\"username\" must have 2 to 50 visible characters, without @ and without a space at the "
      "start or the end.",
      "username");
}

Result<void> check_avatar_url(std::string_view url) {
  const bool known = url.empty() || url.starts_with("https://") || url.starts_with("http://") ||
                     (url.starts_with('/') && !url.starts_with("//"));
  if (known && url.size() <= kMaxAvatarUrlBytes && is_plain(url)) return {};
  return fault("\"avatarUrl\" must be an http or https URL, or a path, of at most 2048 bytes.",
               "avatarUrl");
}

Result<void> check_password(std::string_view password, std::string_view field) {
  if (password.size() <= kMaxPasswordBytes && core::is_utf8(password) &&
      characters_of(password) >= kMinPasswordCharacters &&
      std::any_of(password.begin(), password.end(), is_letter) &&
      std::any_of(password.begin(), password.end(), is_digit)) {
    return {};
  }
  return fault("\"" + std::string(field) +
                   "\" must have at least 8 characters, with at least one letter and one digit, "
                   "and at most 1024 bytes.",
               field);
}

}  // namespace parley::accounts
