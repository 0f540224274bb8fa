// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/notice_key.h"

#include <algorithm>

namespace parley::session {
namespace {

constexpr std::string_view kPrefix = "notice:";

}  // namespace

std::string notice_key(std::string_view kind, std::string_view id, std::string_view replace) {
  std::string key(kPrefix);
  key.append(kind).append(":").append(id).append(":").append(replace);
  return key;
}

std::optional<NoticeKey> parse_notice_key(std::string_view key) {
  if (!key.starts_with(kPrefix)) return std::nullopt;
  key.remove_prefix(kPrefix.size());
  const std::size_t kind_end = key.find(':');
  if (kind_end == std::string_view::npos) return std::nullopt;
  const std::string_view kind = key.substr(0, kind_end);
  const std::size_t id_end = key.find(':', kind_end + 1);
  const bool known =
      std::find(kNoticeKinds.begin(), kNoticeKinds.end(), kind) != kNoticeKinds.end();
  if (!known || id_end == std::string_view::npos) return std::nullopt;
  return NoticeKey{kind, key.substr(id_end + 1)};
}

}  // namespace parley::session
