// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/dry_tool.h"

#include <utility>

#include "base/core/ask.h"

namespace parley::tool {
namespace {

class DryTool final : public Tool {
 public:
  explicit DryTool(ToolPtr of) : of_(std::move(of)) {}

  const model::ToolSpec& spec() const override { return of_->spec(); }
  std::string source() const override { return of_->source(); }
  std::string identity() const override { return of_->identity(); }

  void run(ToolContext context, boost::json::object /*arguments*/, Done done) override {
    core::reply(*context.scheduler, std::move(done),
                ToolResult::ok("(dry run: " + spec().name + " was not executed)"));
  }

 private:
  const ToolPtr of_;
};

}  // namespace

Toolbox dry_tools(const Toolbox& tools) {
  Toolbox dry;
  for (const ToolPtr& each : tools.all()) dry.add(std::make_shared<DryTool>(each));
  return dry;
}

}  // namespace parley::tool
