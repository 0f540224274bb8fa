// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/toolbox.h"

#include <gtest/gtest.h>

#include <utility>

namespace parley::tool {
namespace {

class NamedTool final : public Tool {
 public:
  explicit NamedTool(std::string name, std::string description = "") {
    spec_.name = std::move(name);
    spec_.description = std::move(description);
  }
  const model::ToolSpec& spec() const override { return spec_; }
  void run(ToolContext /*context*/, boost::json::object /*arguments*/, Done done) override {
    done(ToolResult::ok(""));
  }

 private:
  model::ToolSpec spec_;
};

Toolbox box_of(const std::vector<std::string>& names) {
  Toolbox box;
  for (const std::string& name : names) box.add(std::make_shared<NamedTool>(name));
  return box;
}

std::vector<std::string> names_of(const Toolbox& box) {
  std::vector<std::string> names;
  for (const model::ToolSpec& spec : box.specs()) names.push_back(spec.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Toolbox, Tool_IsFoundByName) {
  const Toolbox box = box_of({"read", "edit"});
  ASSERT_NE(box.find("edit"), nullptr);
  EXPECT_EQ(box.find("edit")->spec().name, "edit");
  EXPECT_EQ(box.find("edi"), nullptr);
  EXPECT_EQ(Toolbox().find("read"), nullptr);
}

TEST(Toolbox, LastAdded_TakesNameAndPlace) {
  Toolbox box = box_of({"read", "edit"});
  box.add(std::make_shared<NamedTool>("read", "better"));
  EXPECT_EQ(names_of(box), (Names{"read", "edit"}));
  EXPECT_EQ(box.find("read")->spec().description, "better");
}

TEST(Toolbox, ProfileWithoutAllowedTools_AllowsAll) {
  EXPECT_EQ(names_of(box_of({"read", "bash"}).restricted({}, {})), (Names{"read", "bash"}));
}

TEST(Toolbox, Restriction_KeepsOnlyAllowed) {
  const Toolbox box = box_of({"read", "edit", "bash", "list_memories"});
  EXPECT_EQ(names_of(box.restricted({"read", "list*"}, {})), (Names{"read", "list_memories"}));
}

TEST(Toolbox, DeniedTool_IsGoneEvenIfAllowed) {
  const Toolbox box = box_of({"read", "read_all", "edit"});
  EXPECT_EQ(names_of(box.restricted({"read*"}, {"read_all"})), (Names{"read"}));
  EXPECT_EQ(names_of(box.restricted({}, {"*"})), Names{});
}

TEST(Approval, Approval_HasContractNames) {
  for (const Approval approval : {Approval::automatic, Approval::ask, Approval::deny}) {
    EXPECT_EQ(approval_from_name(approval_name(approval)), approval);
  }
  EXPECT_EQ(approval_name(Approval::automatic), "auto");
  EXPECT_EQ(approval_name(Approval::ask), "ask");
  EXPECT_EQ(approval_name(Approval::deny), "deny");
  EXPECT_EQ(approval_from_name("AUTO"), std::nullopt);
  EXPECT_EQ(approval_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace parley::tool
