// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/tool/tool.h"

namespace parley::tool {

// The tools that a run may use, by name. Immutable once it is given to a run.
class Toolbox {
 public:
  // Adds a tool; it replaces an earlier one of the same name.
  void add(ToolPtr tool);
  // Keeps only the tools that `allowed` names (empty: all), without those that `denied` names. A
  // name may end in "*".
  Toolbox restricted(const std::vector<std::string>& allowed,
                     const std::vector<std::string>& denied) const;

  ToolPtr find(std::string_view name) const;                  // null if unknown
  const std::vector<ToolPtr>& all() const { return tools_; }  // in the order of adding
  std::vector<model::ToolSpec> specs() const;

 private:
  std::vector<ToolPtr> tools_;
};

}  // namespace parley::tool
