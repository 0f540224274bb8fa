// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/scope.h"

#include <algorithm>

#include "identity/oauth/parameters.h"

namespace parley::oauth {
namespace {

using auth::Right;
using auth::Rights;

constexpr std::string_view kPrefix = "parley:";

Rights rights_of(bool ask, bool read) {
  if (ask && read) return {Right::ask, Right::read};
  if (ask) return {Right::ask};
  return read ? Rights{Right::read} : Rights();
}

}  // namespace

core::Result<Rights> parse_scopes(std::string_view text) {
  bool ask = false;
  bool read = false;
  bool any = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    any = true;
    const bool all = word == "parley:all";
    ask = ask || all || word == "parley:ask";
    read = read || all || word == "parley:read";
  }
  if (!any) return kScopeRights;
  if (ask || read) return rights_of(ask, read);
  return core::fail(protocol_error("invalid_scope", "The scopes are parley:ask and parley:read."));
}

std::string scope_text(Rights rights) {
  std::string out;
  for (const Right right : {Right::ask, Right::read}) {
    if (!rights.has(right)) continue;
    if (!out.empty()) out.push_back(' ');
    out += kPrefix;
    out += auth::right_name(right);
  }
  return out;
}

Rights common_scopes(Rights a, Rights b) {
  return rights_of(a.has(Right::ask) && b.has(Right::ask),
                   a.has(Right::read) && b.has(Right::read));
}

}  // namespace parley::oauth
