// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/token_store.h"
#include "core/result.h"

namespace parley::app {

// The files of a data directory that belong to the program itself; the stores have their own.

inline constexpr std::string_view kTokenFile = "token";
inline constexpr std::string_view kEndpointFile = "endpoint.json";

// The text of DATA/token, if the file is there.
std::optional<std::string> read_token_file(const std::string& data_dir);

// Makes the token "default" and writes its text to DATA/token, unless this directory has tokens
// that are valid. The text of a token that is valid and stands in the file; empty: there is none.
core::Result<std::string> ensure_first_token(const std::string& data_dir, auth::TokenStore& tokens);

// DATA/endpoint.json: where the running server of this user is found, and how to get in. Removed
// when the object goes.
class EndpointFile {
 public:
  static core::Result<EndpointFile> write(const std::string& data_dir, std::string_view url,
                                          std::string_view token);
  EndpointFile() = default;
  EndpointFile(const EndpointFile&) = delete;
  EndpointFile& operator=(const EndpointFile&) = delete;
  EndpointFile(EndpointFile&& other) noexcept;
  EndpointFile& operator=(EndpointFile&& other) noexcept;
  ~EndpointFile();

 private:
  std::string path_;
};

}  // namespace parley::app
