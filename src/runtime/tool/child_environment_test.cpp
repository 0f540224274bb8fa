// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/child_environment.h"

#include <gtest/gtest.h>

namespace parley::tool {
namespace {

TEST(WithoutSecrets, TakesOutWhatLooksSecretAndWhatIsNamed) {
  const Environment all = {"PATH=/bin",          "OPENAI_API_KEY=1",        "GITHUB_TOKEN=2",
                           "my_password=3",      "AWS_SECRET_ACCESS_KEY=4", "HOME=/h",
                           "PARLEY_MODEL_KEY=5", "TOKENIZER=fast",          "EMPTY="};
  EXPECT_EQ(without_secrets(all, {"PARLEY_MODEL_KEY"}),
            (Environment{"PATH=/bin", "HOME=/h", "TOKENIZER=fast", "EMPTY="}));
}

TEST(Variables, AreReadAndReplaced) {
  Environment variables = {"A=1", "AB=2"};
  EXPECT_EQ(value_of(variables, "A"), "1");
  EXPECT_EQ(value_of(variables, "B"), "");
  set_variable(variables, "A", "3");
  EXPECT_EQ(value_of(variables, "A"), "3");
  EXPECT_EQ(value_of(variables, "AB"), "2");
  EXPECT_EQ(variables.size(), 2U);
}

TEST(ProcessEnvironment, IsThatOfThisProcess) {
  EXPECT_FALSE(value_of(process_environment(), "PATH").empty());
}

}  // namespace
}  // namespace parley::tool
