// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/toolbox.h"

#include <algorithm>
#include <utility>

namespace parley::tool {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& pattern) { return matches(pattern, name); });
}

}  // namespace

void Toolbox::add(ToolPtr tool) {
  const auto same = std::find_if(tools_.begin(), tools_.end(), [&tool](const ToolPtr& present) {
    return present->spec().name == tool->spec().name;
  });
  if (same != tools_.end()) {
    *same = std::move(tool);
  } else {
    tools_.push_back(std::move(tool));
  }
}

Toolbox Toolbox::restricted(const std::vector<std::string>& allowed,
                            const std::vector<std::string>& denied) const {
  Toolbox out;
  for (const ToolPtr& tool : tools_) {
    const std::string& name = tool->spec().name;
    if (!allowed.empty() && !any_matches(allowed, name)) continue;
    if (any_matches(denied, name)) continue;
    out.tools_.push_back(tool);
  }
  return out;
}

ToolPtr Toolbox::find(std::string_view name) const {
  const auto found = std::find_if(tools_.begin(), tools_.end(), [name](const ToolPtr& tool) {
    return tool->spec().name == name;
  });
  return found == tools_.end() ? nullptr : *found;
}

std::vector<model::ToolSpec> Toolbox::specs() const {
  std::vector<model::ToolSpec> out;
  out.reserve(tools_.size());
  for (const ToolPtr& tool : tools_) out.push_back(tool->spec());
  return out;
}

}  // namespace parley::tool
