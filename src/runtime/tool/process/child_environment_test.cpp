// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/child_environment.h"

#include <gtest/gtest.h>

namespace parley::tool {
namespace {

TEST(ForChildren, OnlyListedVariables_Cross) {
  const Environment all = {"PATH=/bin",
                           "OPENAI_API_KEY=1",
                           "GITHUB_TOKEN=2",
                           "my_password=3",
                           "PARLEY_TOKEN=4",
                           "HOME=/h",
                           "LC_ALL=C",
                           "SSH_AUTH_SOCK=/run/agent",
                           "COMPANY_CREDS=5",
                           "PARLEY_MODEL=6",
                           "TZ="};
  EXPECT_EQ(for_children(all, {}), (Environment{"PATH=/bin", "HOME=/h", "LC_ALL=C", "TZ="}));
}

TEST(ForChildren, NamedVariables_Cross) {
  EXPECT_EQ(for_children({"A=1", "B=2", "OPENAI_API_KEY=3"}, {"A", "OPENAI_API_KEY"}),
            (Environment{"A=1", "OPENAI_API_KEY=3"}));
}

TEST(ForChildren, ProxyWithPassword_CrossesOnlyByName) {
  const Environment all = {"http_proxy=http://p:1", "https_proxy=http://me:word@p:1"};
  EXPECT_EQ(for_children(all, {}), (Environment{"http_proxy=http://p:1"}));
  EXPECT_EQ(for_children(all, {"https_proxy"}), all);
}

TEST(Variables, Variables_AreReadAndReplaced) {
  Environment variables = {"A=1", "AB=2"};
  EXPECT_EQ(value_of(variables, "A"), "1");
  EXPECT_EQ(value_of(variables, "B"), "");
  set_variable(variables, "A", "3");
  EXPECT_EQ(value_of(variables, "A"), "3");
  EXPECT_EQ(value_of(variables, "AB"), "2");
  EXPECT_EQ(variables.size(), 2U);
}

TEST(ProcessEnvironment, Environment_MatchesProcess) {
  EXPECT_FALSE(value_of(process_environment(), "PATH").empty());
}

}  // namespace
}  // namespace parley::tool
