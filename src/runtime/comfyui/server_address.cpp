// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/server_address.h"

#include <algorithm>
#include <utility>

#include "base/core/base64.h"
#include "base/core/number_text.h"
#include "base/core/percent.h"
#include "base/core/secret_text.h"
#include "base/http_client/url.h"

namespace parley::comfyui {
namespace {

constexpr std::size_t kMaxUrlBytes = 2'048;

tl::unexpected<core::Error> bad_base(std::string why) {
  return core::fail(core::Code::invalid_argument,
                    "The address of a ComfyUI server must be an http or https URL such as "
                    "http://127.0.0.1:8188: " +
                        std::move(why),
                    "base_url");
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool is_prefix(std::string_view path) {
  return path.find("..") == std::string_view::npos &&
         path.find_first_not_of(std::string(core::kUnreserved) + "/%") == std::string_view::npos;
}

}  // namespace

core::Result<ServerAddress> ServerAddress::parse(std::string_view base_url) {
  if (base_url.size() > kMaxUrlBytes) return bad_base("it is too long.");
  if (base_url.find_first_of("?#") != std::string_view::npos) {
    return bad_base("it has a query or a fragment.");
  }
  const std::size_t after_scheme = base_url.find("://");
  if (after_scheme == std::string_view::npos) return bad_base("it has no scheme.");
  auto parts = http_client::split_url(std::string(base_url));
  if (!parts) return bad_base(parts.error().message);
  ServerAddress out;
  out.scheme = parts->scheme;
  out.authority = parts->host + ":" + parts->port;
  out.endpoint.host = parts->host;
  if (out.endpoint.host.starts_with('[')) {
    out.endpoint.host = out.endpoint.host.substr(1, out.endpoint.host.size() - 2);
  }
  out.endpoint.port = core::parse_number<std::uint16_t>(parts->port).value_or(0);
  if (out.endpoint.port == 0) return bad_base("its port is not a number from 1 to 65535.");
  const std::size_t slash = base_url.find('/', after_scheme + 3);
  if (slash == std::string_view::npos) return out;
  std::string_view path = base_url.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!is_prefix(path)) return bad_base("its path has a character that is not allowed.");
  out.prefix = path;
  return out;
}

std::string query_of(const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string out;
  for (const auto& [name, value] : values) {
    out.append(out.empty() ? "?" : "&").append(core::percent_encoded(name)).append("=");
    out.append(core::percent_encoded(value));
  }
  return out;
}

std::string Credentials::authorization() const {
  if (!bearer.empty()) return "Bearer " + bearer;
  if (user.empty()) return {};
  return "Basic " + core::base64_encode(user + ":" + password);
}

std::string Credentials::removed_from(std::string text) const {
  const std::string basic =
      user.empty() ? std::string() : core::base64_encode(user + ":" + password);
  for (const std::string_view secret :
       {std::string_view(basic), std::string_view(password), std::string_view(bearer)}) {
    text = core::without_secret(std::move(text), secret);
  }
  return text;
}

core::Result<void> Credentials::check() const {
  if (!bearer.empty() && !user.empty()) {
    return core::fail(
        core::Code::invalid_argument,
        "The credentials of a ComfyUI server must be a user with a password, or a token, not both.",
        "bearer");
  }
  if (has_control(bearer) || bearer.find(' ') != std::string::npos) {
    return core::fail(core::Code::invalid_argument, "The token has a blank or a control character.",
                      "bearer");
  }
  if (has_control(user) || has_control(password)) {
    return core::fail(core::Code::invalid_argument,
                      "The user or the password has a control character.", "user");
  }
  if (user.find(':') != std::string::npos) {
    return core::fail(core::Code::invalid_argument, "The user's name has a colon.", "user");
  }
  return {};
}

}  // namespace parley::comfyui
