// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/choice_role.h"

#include <gtest/gtest.h>

namespace parley::session {
namespace {

Prompt with_choices(const std::vector<std::string>& labels) {
  Prompt prompt;
  Question question;
  for (const std::string& label : labels) question.choices.push_back({label, ""});
  prompt.questions.push_back(std::move(question));
  return prompt;
}

TEST(ChoiceRoleTest, Decision_IsAllowOnceAndDeny) {
  const Prompt prompt = with_choices({"Always 1", "Allow once", "Edit command", "Deny",
                                      "Deny and stop", "Answer in the terminal"});
  const auto decision = decision_of(prompt);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->allow->label, "Allow once");
  EXPECT_EQ(decision->refuse->label, "Deny");
}

TEST(ChoiceRoleTest, ChineseLabels_HaveTheSameRoles) {
  const Prompt prompt =
      with_choices({"始终允许 1", "允许一次", "修改命令", "拒绝", "在终端中回答"});
  ASSERT_TRUE(decision_of(prompt));
  EXPECT_EQ(decision_of(prompt)->allow->label, "允许一次");
  EXPECT_EQ(decision_of(prompt)->refuse->label, "拒绝");
}

TEST(ChoiceRoleTest, PlanThatIsNotShown_IsOnlyRefused) {
  const Prompt prompt = with_choices({"Keep planning", "Answer in the terminal"});
  ASSERT_TRUE(decision_of(prompt));
  EXPECT_EQ(decision_of(prompt)->allow, nullptr);
}

TEST(ChoiceRoleTest, OtherQuestions_AreNoDecision) {
  EXPECT_FALSE(decision_of(with_choices({"Red", "Blue"})));
  EXPECT_FALSE(decision_of({}));
  Prompt several = with_choices({"Allow once", "Deny"});
  several.questions.front().multiple = true;
  EXPECT_FALSE(decision_of(several));
}

TEST(ChoiceRoleTest, Rules_AreLasting) {
  for (const char* label :
       {"Always", "Always 3", "Approve, accept edits", "始终允许 2", "批准并接受编辑"}) {
    EXPECT_EQ(role_of(label), ChoiceRole::lasting) << label;
  }
}

}  // namespace
}  // namespace parley::session
