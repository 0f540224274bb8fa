// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/data_directory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "app/server/version.h"
#include "base/certificate/interface_addresses.h"
#include "base/core/id.h"
#include "base/core/json_writer.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::app {
namespace {

constexpr std::size_t kMaxTokenBytes = 4'096;
constexpr std::size_t kMcpKeyBytes = 16;
// Bytes of a host name in the name of a token.
constexpr std::size_t kMaxHostBytes = 40;

bool is_kept(const auth::TokenInfo& info) { return !info.revoked_at; }

}  // namespace

core::Result<std::string> ensure_mcp_key(const std::string& data_dir, core::Entropy& entropy) {
  const std::string path = data_dir + "/" + std::string(kMcpKeyFile);
  std::ifstream in(path);
  std::string line;
  if (in && std::getline(in, line) && line.size() == 2 * kMcpKeyBytes) return line;
  std::string created = core::random_hex(entropy, kMcpKeyBytes);
  PARLEY_TRY_VOID(core::write_private_file(path, created + "\n"));
  return created;
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
                                             core::WallTime now) {
  PARLEY_TRY(const auto list, tokens.list());
  if (const auto existing = read_token_file(place.data_dir);
      existing && tokens.verify(*existing, "")) {
    return *existing;
  }
  auth::NewToken wanted{std::string(auth::kDefaultTokenName)};
  if (std::any_of(list.begin(), list.end(), is_kept)) {
    const auto first = std::find_if(list.begin(), list.end(), [now](const auth::TokenInfo& info) {
      const auto& end = info.identity.expires_at;
      return is_kept(info) && info.identity.name == auth::kDefaultTokenName && (!end || now < *end);
    });
    if (place.url.empty() || first == list.end()) return std::string();
    const auth::Identity& of = first->identity;
    wanted = {of.name + " on " + certificate::host_name().substr(0, kMaxHostBytes), of.expires_at,
              of.rights, of.workspace};
    // The text of the one before went with the data directory of this computer.
    (void)tokens.revoke(wanted.name);
  }
  PARLEY_TRY(std::string created, tokens.create(wanted));
  const std::string file = place.data_dir + "/" + std::string(kTokenFile);
  PARLEY_TRY_VOID(core::write_private_file(file, created + "\n"));
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
