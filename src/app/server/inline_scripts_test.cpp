// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/inline_scripts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace parley::app {
namespace {

// SHA-256 of `alert(1)`, and of `a` LF `b`.
constexpr std::string_view kAlert = " 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
constexpr std::string_view kLines = " 'sha256-fhj3NzEbLcOy8mndeDlrA1HxT7Zu+oefdoyyMYGIPHg='";

TEST(InlineScripts, EachScriptWithoutSource_HasHash) {
  EXPECT_EQ(inline_script_sources("<script>alert(1)</script>"), kAlert);
  EXPECT_EQ(inline_script_sources("<SCRIPT type='module' data-src=x >alert(1)</Script >"), kAlert);
  EXPECT_EQ(inline_script_sources("<script data-x=\"a>b src=\">alert(1)</script>"), kAlert);
  EXPECT_EQ(inline_script_sources("<script>alert(1)</script><p><script>a\nb</script>"),
            std::string(kAlert) + std::string(kLines));
}

TEST(InlineScripts, FilesCommentsAndOtherTags_HaveNone) {
  for (const char* page :
       {"", "<script src=\"/a.js\"></script>",
        "<script type=module crossorigin SRC = a.js>alert(1)</script>",
        "<!-- <script>alert(1)</script> -->", "<scripted>alert(1)</scripted>", "<script>alert(1)",
        "<script src", "<script a=\"", "<!-- <script>alert(1)</script>"}) {
    EXPECT_EQ(inline_script_sources(page), "") << page;
  }
}

TEST(InlineScripts, LineEnds_AreHashedAsBrowsersReadThem) {
  EXPECT_EQ(inline_script_sources("<script>a\r\nb</script>"), kLines);
  EXPECT_EQ(inline_script_sources("<script>a\rb</script>"), kLines);
}

TEST(InlineScripts, ManyScripts_AreBounded) {
  std::string page;
  for (std::size_t i = 0; i < 2 * kMaxInlineScripts; ++i) page += "<script>a</script>";
  const std::string sources = inline_script_sources(page);
  EXPECT_EQ(static_cast<std::size_t>(std::count(sources.begin(), sources.end(), ' ')),
            kMaxInlineScripts);
}

}  // namespace
}  // namespace parley::app
