// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "identity/auth/rights.h"

namespace parley::accounts {

// Limit (Users and logins): email. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxEmailBytes = 254;
// Limit (Users and logins): shortest username, in characters. Reached: `invalid_argument`.
inline constexpr std::size_t kMinUsernameCharacters = 2;
// Limit (Users and logins): longest username, in characters. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxUsernameCharacters = 50;
// Limit (Users and logins): avatar's link. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxAvatarUrlBytes = 2'048;
// Limit (Users and logins): shortest password, in characters. Reached: `invalid_argument`.
inline constexpr std::size_t kMinPasswordCharacters = 8;
// Limit (Users and logins): longest password. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxPasswordBytes = 1'024;

// Only an active user can log in.
enum class UserStatus : std::uint8_t { active, inactive, locked, deleted };

// "ACTIVE", "INACTIVE", "LOCKED", "DELETED" (contract of the chat, section 1.3).
std::string_view status_name(UserStatus status);
std::optional<UserStatus> status_from(std::string_view name);

// A person who logs in with a name and a password. The password is not stored here.
struct User {
  std::int64_t id = 0;   // never reused
  std::string email;     // unique among users that are not deleted, ASCII letters without case
  std::string username;  // unique in the same way; without @, so that it cannot be another user's
                         // email
  std::string avatar_url;
  UserStatus status = UserStatus::active;
  bool admin = false;
  std::string workspace;  // names the data that belongs to the user, like the id of a token
  bool shared = false;    // the workspace is that of a token
  std::optional<core::WallTime> last_login_at;
  core::WallTime created_at;
  core::WallTime updated_at;
};

// "ADMIN" and "USER" for an administrator, "USER" for all other users.
std::vector<std::string_view> roles_of(const User& user);
// The rights of a login. An administrator has all; any other user may ask, answer, read and run
// agents.
auth::Rights rights_of(const User& user);

// Errors of all checks: `invalid_argument`, with the field.
core::Result<void> check_email(std::string_view email);
core::Result<void> check_username(std::string_view username);
// Accepts an empty text, a path on this server, or a link of http or https.
core::Result<void> check_avatar_url(std::string_view url);
// Requires kMinPasswordCharacters, a letter and a digit. `field`: the name of the field in errors.
core::Result<void> check_password(std::string_view password, std::string_view field = "password");

}  // namespace parley::accounts
