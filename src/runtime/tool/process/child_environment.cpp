// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/child_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace parley::tool {
namespace {

constexpr std::array<std::string_view, 13> kSecretEndings = {
    "API_KEY", "APIKEY",   "ACCESS_KEY", "PRIVATE_KEY", "SECRET_KEY", "TOKEN",      "TOKENS",
    "SECRET",  "PASSWORD", "PASSWD",     "PASSPHRASE",  "CREDENTIAL", "CREDENTIALS"};

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool is_proxy(std::string_view name) {
  return name.ends_with("_proxy") || name.ends_with("_PROXY");
}

}  // namespace

Environment process_environment() {
  Environment out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    out.emplace_back(*entry);
  }
  return out;
}

bool looks_secret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  return std::any_of(kSecretEndings.begin(), kSecretEndings.end(),
                     [&](std::string_view ending) { return upper.ends_with(ending); });
}

Environment for_children(Environment variables, const std::vector<std::string>& named) {
  const auto has = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::erase_if(variables, [&](const std::string& variable) {
    const std::string_view name = name_of(variable);
    if (has(named, name)) return false;
    if (!has(kChildVariables, name) && !name.starts_with("LC_")) return true;
    return is_proxy(name) && variable.find('@') != std::string::npos;
  });
  return variables;
}

std::string_view value_of(const Environment& variables, std::string_view name) {
  for (const std::string_view variable : variables) {
    if (name_of(variable) == name && variable.size() > name.size()) {
      return variable.substr(name.size() + 1);
    }
  }
  return {};
}

void set_variable(Environment& variables, std::string_view name, std::string_view value) {
  std::erase_if(variables, [&](const std::string& variable) { return name_of(variable) == name; });
  variables.push_back(std::string(name) + "=" + std::string(value));
}

}  // namespace parley::tool
