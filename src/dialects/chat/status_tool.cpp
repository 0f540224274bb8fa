// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/status_tool.h"

#include <memory>
#include <string>
#include <utility>

#include "base/core/ask.h"

namespace parley::chat {
namespace {

constexpr std::string_view kParameters =
    R"({"type":"object","properties":{)"
    R"("message":{"type":"string","minLength":1,"maxLength":2000,)"
    R"("description":"one sentence: what is being done, or was found out"},)"
    R"("title":{"type":"string","maxLength":200,"description":"a few words"},)"
    R"("phase":{"type":"string","enum":["discovery","planning","execution","summary"]}},)"
    R"("required":["message"],"additionalProperties":false})";

class StatusTool final : public tool::Tool {
 public:
  const model::ToolSpec& spec() const override { return spec_; }
  void run(tool::ToolContext context, boost::json::object /*arguments*/, Done done) override {
    core::reply(*context.scheduler, std::move(done),
                tool::ToolResult::ok("The person has been told."));
  }

 private:
  const model::ToolSpec spec_{std::string(kStatusTool),
                              "Reports the progress of longer work to the person. Not for answers.",
                              std::string(kParameters)};
};

}  // namespace

tool::ToolPtr make_status_tool() { return std::make_shared<StatusTool>(); }

}  // namespace parley::chat
