// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/html_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "core/entropy.h"
#include "core/utf8.h"

namespace parley::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HtmlToText, KeepsHeadingsParagraphsListsAndLinks) {
  EXPECT_EQ(
      html_to_text("<!DOCTYPE html><html><head><title>A page</title><style>p{}</style></head>"
                   "<body><h1>Big</h1><p>One\n  two <b>three</b>.</p>"
                   "<ul><li>first</li><li>second <a href=\"https://e.org/x\">there</a></ul>"
                   "<p>End</p></body></html>"),
      "A page\n\n# Big\n\nOne two three.\n\n- first\n- second there (https://e.org/x)\n\nEnd");
}

TEST(HtmlToText, LeavesOutWhatIsNotForReading) {
  const std::string text = html_to_text(
      "<p>seen</p><script>if (a<b) document.write('<p>no</p>')</script><STYLE>no</STYLE>"
      "<!-- no <p>no</p> --><svg><text>no</text></svg><noscript>no</noscript><p>also seen</p>");
  EXPECT_EQ(text, "seen\n\nalso seen");
}

TEST(HtmlToText, KeepsPreformattedTextAndTables) {
  EXPECT_EQ(html_to_text("<pre>a\n  b &lt;c&gt;</pre>"), "a\n  b <c>");
  EXPECT_EQ(
      html_to_text("<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"),
      "A | B\n1 | 2");
}

TEST(HtmlToText, IgnoresLinksThatLeadNowhereAndNamesImages) {
  EXPECT_EQ(
      html_to_text("<a href='javascript:x()'>a</a> <a href=#top>b</a> <img alt='a tree' src=x>"),
      "a b [a tree]");
}

TEST(HtmlToText, ReadsBrokenPages) {
  EXPECT_EQ(html_to_text("a < b <p"), "a < b");
  EXPECT_EQ(html_to_text("<script>never closed"), "");
  EXPECT_EQ(html_to_text("<!-- never closed"), "");
  EXPECT_EQ(html_to_text("<a title=\"x > y\" href=\"/z\">t</a>"), "t (/z)");
  EXPECT_EQ(html_to_text("</p></p>x</pre>y"), "x\n\ny");
  EXPECT_EQ(html_to_text(""), "");
}

TEST(HtmlToText, TakesAnyBytesWithoutHarm) {
  core::SeededEntropy entropy(7);
  const std::string_view alphabet = "<>/!-&;#x \"'=apre\nscipt\xc3";
  for (int round = 0; round < 500; ++round) {
    std::string page;
    for (int i = 0; i < 200; ++i) page += alphabet[entropy.next_u64() % alphabet.size()];
    EXPECT_LE(html_to_text(page).size(), page.size() * 4);
  }
}

TEST(HtmlToText, TakesLinearTimeForManyUnclosedTags) {
  std::string page;
  for (int i = 0; i < 50'000; ++i) page += "<p <a \"</";
  EXPECT_LE(html_to_text(page).size(), page.size() * 2);
}

TEST(DecodeEntities, ReadsNamesAndNumbers) {
  EXPECT_EQ(decode_entities("a &amp; b &lt;&#8364;&#x4e2d;&hellip;"), "a & b <\u20ac\u4e2d\u2026");
  EXPECT_EQ(decode_entities("&unknown; &amp &; AT&T &#xzz; &#;"),
            "&unknown; &amp &; AT&T &#xzz; &#;");
  EXPECT_EQ(decode_entities("&#0;&#xd800;&#x110000;"), "\ufffd\ufffd\ufffd");
}

}  // namespace
}  // namespace parley::tool
