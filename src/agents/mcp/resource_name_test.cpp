// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/resource_name.h"

#include <gtest/gtest.h>

namespace parley::mcp {
namespace {

TEST(ResourceNameTest, EachKind_RoundTrip_IsEqual) {
  for (const ResourceTemplate& each : kResourceTemplates) {
    const std::size_t number = each.kind == ResourceKind::attachment ? 12 : 0;
    const ResourceName name{each.kind, "a/b c?#%é", number};
    EXPECT_EQ(resource_named(uri_of(name)), name) << uri_of(name);
  }
}

TEST(ResourceNameTest, Uri_ReservedBytes_AreEncoded) {
  EXPECT_EQ(uri_of({ResourceKind::question, "a/b"}), "parley://question/a%2Fb");
  EXPECT_EQ(uri_of({ResourceKind::attachment, "k", 3}), "parley://attachment/k/3");
}

TEST(ResourceNameTest, ForeignUri_IsNoName) {
  const std::string long_run = "parley://run/" + std::string(kMaxResourceIdBytes + 1, 'x');
  for (const std::string_view uri :
       {"", "parley://", "parley://question", "parley://question/", "parley://question/a/b",
        "parley://question/a?b", "parley://question/%4", "parley://other/a", "file:///question/a",
        "parley://attachment/a", "parley://attachment/a/0", "parley://attachment/a/01",
        "parley://attachment/a/x", "parley://attachment/a/10000", long_run.c_str()}) {
    EXPECT_EQ(resource_named(uri), std::nullopt) << uri;
  }
}

}  // namespace
}  // namespace parley::mcp
