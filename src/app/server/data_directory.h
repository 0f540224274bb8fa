// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/sql/store_place.h"
#include "identity/auth/token_store.h"

namespace parley::app {

// Files of a data directory that belong to no store.

inline constexpr std::string_view kTokenFile = "token";
inline constexpr std::string_view kEndpointFile = "endpoint.json";

// The first line of DATA/token; std::nullopt: the file is missing, or the line is empty or too
// long.
std::optional<std::string> read_token_file(const std::string& data_dir);

// Creates the token "default" and writes its text to DATA/token, unless there are valid tokens. A
// database has only the hash of a token that a server on another machine made: the commands of this
// one get "default on PLACE", in place of an earlier one, with the rights and the workspace of a
// valid "default". Returns the text of the valid token that is in the file; empty: none.
// `place_name`: of this computer, or of this node of a cluster.
core::Result<std::string> ensure_first_token(const sql::StorePlace& place, auth::TokenStore& tokens,
                                             const std::string& place_name, core::WallTime now);

// A secret of this data directory, DATA/mcp.key: 32 characters, made when it is missing. What MCP
// clients send back is sealed with it.
inline constexpr std::string_view kMcpKeyFile = "mcp.key";
core::Result<std::string> ensure_mcp_key(const std::string& data_dir, core::Entropy& entropy);

// The id of this data directory among the nodes of a cluster, DATA/node.id: made when it is
// missing.
inline constexpr std::string_view kNodeIdFile = "node.id";
core::Result<std::string> ensure_node_id(const std::string& data_dir, core::Entropy& entropy);

// DATA/endpoint.json: address, token, process, version and start (Unix milliseconds) of the running
// server, for the commands of the same user.
// `ca_file`: the file of the data directory with the certificates to trust; empty: those of the
// system. Removed on destruction.
class EndpointFile {
 public:
  static core::Result<EndpointFile> write(const std::string& data_dir, std::string_view url,
                                          std::string_view token, std::string_view ca_file,
                                          core::WallTime started);
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
