// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/json_writer.h"
#include "identity/accounts/user.h"
#include "identity/auth/token_store.h"

namespace parley::chat {

// Writes a user in the front ends' form, without a password.
void write_user(core::JsonWriter& json, const accounts::User& user);
std::string user_json(const accounts::User& user);
// The holder of a Parley token as a user.
std::string token_user_json(const auth::Identity& identity);
// [{"roleCode":"ADMIN","roleName":"Administrator"}, ...]
std::string roles_json(const std::vector<std::string_view>& roles);

}  // namespace parley::chat
