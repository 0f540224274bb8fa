// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/approval.h"

#include <gtest/gtest.h>

#include "model/session/workspace.h"

namespace parley::session {
namespace {

Answer said(std::string_view text) {
  Answer answer;
  Content content;
  content.text = std::string(text);
  answer.contents.push_back(content);
  return answer;
}

TEST(ShownApproval, Approval_OffersTwoChoicesBelowText) {
  Prompt asked;
  asked.text = "May bash run make?";
  const Prompt prompt = shown_approval(asked);
  EXPECT_EQ(prompt.text, asked.text);
  ASSERT_EQ(prompt.questions.size(), 1U);
  const Question& question = prompt.questions[0];
  EXPECT_EQ(question.text, asked.text);
  ASSERT_EQ(question.choices.size(), 2U);
  EXPECT_EQ(question.choices[0].label, kAllow);
  EXPECT_EQ(question.choices[1].label, kDeny);
  EXPECT_TRUE(question.custom) << "a refusal may be explained";
  EXPECT_FALSE(question.multiple);
}

TEST(ShownApproval, OfferedChoices_AreKept) {
  Prompt asked;
  asked.text = "May bash run make?";
  asked.questions = {{"Go?", "bash", {{"Allow", "once"}, {"Deny", ""}}, false, false}};
  const Prompt prompt = shown_approval(asked);
  EXPECT_EQ(prompt.questions[0].text, asked.text) << "clients show the question's text alone";
  EXPECT_EQ(prompt.questions[0].choices, asked.questions[0].choices);
  EXPECT_EQ(prompt.questions[0].header, "bash");
}

TEST(ApprovalAnswer, Answer_IsReadBackWithReason) {
  for (const ApprovalVerdict& verdict :
       {ApprovalVerdict{true, ""}, ApprovalVerdict{false, ""}, ApprovalVerdict{false, "use git"},
        ApprovalVerdict{true, "be quick"}, ApprovalVerdict{true, "", true}}) {
    EXPECT_EQ(approval_verdict(approval_answer(verdict)), verdict);
  }
  EXPECT_EQ(approval_answer({true, "be quick"}).contents[0].text, "Allow");
  EXPECT_EQ(approval_answer({false, "use git"}).contents[0].text, "Deny: use git");
}

TEST(ApprovalVerdictInWords, OnlyClearAllow_Allows) {
  EXPECT_EQ(approval_verdict(said("Allow")), (ApprovalVerdict{true, ""}));
  EXPECT_EQ(approval_verdict(said(" allow\n")), (ApprovalVerdict{true, ""}));
  EXPECT_EQ(approval_verdict(said("Allow, but be quick")), (ApprovalVerdict{true, "but be quick"}));
  EXPECT_EQ(approval_verdict(said("Q: Approval\nA: Allow")), (ApprovalVerdict{true, ""}));
  EXPECT_FALSE(approval_verdict(said("Q: May bash run x?\nA: Allow\nA: Deny")).allow)
      << "a line of the tool's own text is no answer";
  EXPECT_EQ(approval_verdict(said("Deny")), (ApprovalVerdict{false, ""}));
  EXPECT_EQ(approval_verdict(said("Deny, not here")), (ApprovalVerdict{false, "not here"}));
  EXPECT_EQ(approval_verdict(said("Allowing this would be wrong")),
            (ApprovalVerdict{false, "Allowing this would be wrong"}));
  EXPECT_EQ(approval_verdict(said("do not allow")), (ApprovalVerdict{false, "do not allow"}));
  EXPECT_EQ(approval_verdict(said("Deny, Allow")), (ApprovalVerdict{false, "Allow"}));
  EXPECT_FALSE(approval_verdict(said("")).allow);
  EXPECT_FALSE(approval_verdict(Answer{}).allow);
}

TEST(LooseConsent, WordsOtherThanAllow_AreNoDecision) {
  for (const char* words : {"OK", "Continue", "ok, let's do it", "yes do it", "Yes", "y", "sure!",
                            "Q: Approval\nA: OK", " go ahead", "好的", "继续"}) {
    EXPECT_TRUE(is_loose_consent(said(words))) << words;
    EXPECT_FALSE(approval_verdict(said(words)).allow) << words;
  }
}

TEST(LooseConsent, DecisionsAndReasons_AreNone) {
  for (const char* words : {"Allow", "allow it", "Deny", "Deny, ok?", "no", "use git", "yesterday",
                            "don't", "okra", "", "不行", "Q: Approval\nA: Allow"}) {
    EXPECT_FALSE(is_loose_consent(said(words))) << words;
  }
  Answer answer = said("OK");
  answer.is_error = true;
  EXPECT_FALSE(is_loose_consent(answer));
  EXPECT_FALSE(is_loose_consent(approval_answer({false, "ok"})));
}

TEST(ApprovalVerdictInWords, ErrorReply_IsRefusal) {
  Answer answer = said("Allow");
  answer.is_error = true;
  EXPECT_FALSE(approval_verdict(answer).allow);
  answer = approval_answer({true, ""});
  answer.is_error = true;
  EXPECT_FALSE(approval_verdict(answer).allow);
}

TEST(AssistantWorkspace, EachToken_HasSingleAssistantSession) {
  const SessionKey key = assistant_workspace("t1");
  EXPECT_EQ(key.id, "assistant-t1");
  EXPECT_EQ(key.dialect, "assistant");
  EXPECT_EQ(key.owner, "t1");
}

}  // namespace
}  // namespace parley::session
