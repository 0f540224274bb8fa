// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/data_directory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "app/server/version.h"
#include "base/core/id.h"
#include "base/core/json_writer.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::app {
namespace {

constexpr std::size_t kMaxTokenBytes = 4'096;
constexpr std::size_t kRandomBytes = 16;
// Bytes of the name of a computer or node in the name of a token.
constexpr std::size_t kMaxPlaceBytes = 52;

bool is_kept(const auth::TokenInfo& info) { return !info.revoked_at; }

// The line of random hexadecimal digits in a file, which is made when it has none.
core::Result<std::string> ensure_random_line(const std::string& path, core::Entropy& entropy) {
  std::ifstream in(path);
  std::string line;
  if (in && std::getline(in, line) && line.size() == 2 * kRandomBytes) return line;
  std::string created = core::random_hex(entropy, kRandomBytes);
  PARLEY_TRY_VOID(core::write_private_file(path, created + "\n"));
  return created;
}

// The token to make for this data directory; std::nullopt: none, since there are others.
core::Result<std::optional<auth::NewToken>> first_token(const sql::StorePlace& place,
                                                        auth::TokenStore& tokens,
                                                        const std::string& place_name,
                                                        core::WallTime now) {
  PARLEY_TRY(const auto list, tokens.list());
  if (std::none_of(list.begin(), list.end(), is_kept)) {
    return auth::NewToken{std::string(auth::kDefaultTokenName)};
  }
  const auto first = std::find_if(list.begin(), list.end(), [now](const auth::TokenInfo& info) {
    const auto& end = info.identity.expires_at;
    return is_kept(info) && info.identity.name == auth::kDefaultTokenName && (!end || now < *end);
  });
  if (place.url.empty() || first == list.end()) return std::nullopt;
  const auth::Identity& of = first->identity;
  return auth::NewToken{of.name + " on " + place_name.substr(0, kMaxPlaceBytes), of.expires_at,
                        of.rights, of.workspace};
}

}  // namespace

core::Result<std::string> ensure_mcp_key(const std::string& data_dir, core::Entropy& entropy) {
  return ensure_random_line(data_dir + "/" + std::string(kMcpKeyFile), entropy);
}

core::Result<std::string> ensure_node_id(const std::string& data_dir, core::Entropy& entropy) {
  return ensure_random_line(data_dir + "/" + std::string(kNodeIdFile), entropy);
}

std::optional<std::string> read_token_file(const std::string& data_dir) {
  std::ifstream in(data_dir + "/" + std::string(kTokenFile));
  std::string line;
  if (!in || !std::getline(in, line) || line.empty() || line.size() > kMaxTokenBytes) {
    return std::nullopt;
  }
  return line;
}

core::Result<std::string> ensure_first_token(const sql::StorePlace& place, auth::TokenStore& tokens,
                                             const std::string& place_name, core::WallTime now) {
  if (const auto existing = read_token_file(place.data_dir);
      existing && tokens.verify(*existing, "")) {
    return *existing;
  }
  core::Result<std::string> created;
  // Another server of the database may make "default" at the same time.
  for (int attempts_left = 2; attempts_left > 0; --attempts_left) {
    PARLEY_TRY(const auto wanted, first_token(place, tokens, place_name, now));
    if (!wanted) return std::string();
    // The text of the one before went with its data directory.
    if (wanted->name != auth::kDefaultTokenName) (void)tokens.revoke(wanted->name);
    created = tokens.create(*wanted);
    if (created || created.error().code != core::Code::already_exists) break;
  }
  if (!created) return created;
  const std::string file = place.data_dir + "/" + std::string(kTokenFile);
  PARLEY_TRY_VOID(core::write_private_file(file, *created + "\n"));
  return created;
}

core::Result<EndpointFile> EndpointFile::write(const std::string& data_dir, std::string_view url,
                                               std::string_view token, std::string_view ca_file,
                                               core::WallTime started) {
  std::string text;
  core::JsonWriter json(text);
  json.begin_object().key("url").string(url).key("token").string(token);
  if (!ca_file.empty()) json.key("ca_file").string(ca_file);
  json.key("pid").number(static_cast<std::int64_t>(::getpid()));
  json.key("version").string(kVersion);
  json.key("started_at").number(core::to_unix_ms(started)).end_object();
  text.push_back('\n');
  EndpointFile file;
  const std::string path = data_dir + "/" + std::string(kEndpointFile);
  PARLEY_TRY_VOID(core::write_private_file(path, text));
  file.path_ = path;
  return file;
}

EndpointFile::EndpointFile(EndpointFile&& other) noexcept
    : path_(std::exchange(other.path_, std::string())) {}

EndpointFile& EndpointFile::operator=(EndpointFile&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

EndpointFile::~EndpointFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace parley::app
