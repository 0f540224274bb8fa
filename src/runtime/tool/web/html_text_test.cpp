// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/html_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/core/entropy.h"
#include "base/core/utf8.h"

namespace parley::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HtmlToText, HeadingsParagraphsListsAndLinks_AreKept) {
  EXPECT_EQ(
      html_to_text("<!DOCTYPE html><html><head><title>A page</title><style>p{}</style></head>"
                   "<body><h1>Big</h1><p>One\n  two <b>three</b>.</p>"
                   "<ul><li>first</li><li>second <a href=\"https://e.org/x\">there</a></ul>"
                   "<p>End</p></body></html>"),
      "A page\n\n# Big\n\nOne two three.\n\n- first\n- second there (https://e.org/x)\n\nEnd");
}

TEST(HtmlToText, UnreadableContent_IsLeftOut) {
  const std::string text = html_to_text(
      "<p>seen</p><script>if (a<b) document.write('<p>no</p>')</script><STYLE>no</STYLE>"
      "<!-- no <p>no</p> --><svg><text>no</text></svg><noscript>no</noscript><p>also seen</p>");
  EXPECT_EQ(text, "seen\n\nalso seen");
}

TEST(HtmlToText, PreformattedTextAndTables_AreKept) {
  EXPECT_EQ(html_to_text("<pre>a\n  b &lt;c&gt;</pre>"), "a\n  b <c>");
  EXPECT_EQ(
      html_to_text("<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"),
      "A | B\n1 | 2");
}

TEST(HtmlToText, DeadLinks_AreIgnored_ImagesAreNamed) {
  EXPECT_EQ(
      html_to_text("<a href='javascript:x()'>a</a> <a href=#top>b</a> <img alt='a tree' src=x>"),
      "a b [a tree]");
}

TEST(HtmlToText, BrokenPages_AreRead) {
  EXPECT_EQ(html_to_text("a < b <p"), "a < b");
  EXPECT_EQ(html_to_text("<script>never closed"), "");
  EXPECT_EQ(html_to_text("<!-- never closed"), "");
  EXPECT_EQ(html_to_text("<a title=\"x > y\" href=\"/z\">t</a>"), "t (/z)");
  EXPECT_EQ(html_to_text("</p></p>x</pre>y"), "xy") << "stray end tags are no breaks";
  EXPECT_EQ(html_to_text(""), "");
}

TEST(HtmlToText, AnyBytes_AreTakenWithoutHarm) {
  core::SeededEntropy entropy(7);
  const std::string_view alphabet = "<>/!-&;#x \"'=apre\nscipt\xc3";
  for (int round = 0; round < 500; ++round) {
    std::string page;
    for (int i = 0; i < 200; ++i) page += alphabet[entropy.next_u64() % alphabet.size()];
    EXPECT_LE(html_to_text(page).size(), page.size() * 4);
  }
}

TEST(HtmlToText, UnclosedTags_TakeLinearTime) {
  std::string page;
  for (int i = 0; i < 50'000; ++i) page += "<p <a \"</";
  EXPECT_LE(html_to_text(page).size(), page.size() * 2);
}

TEST(HtmlToText, CharacterReferences_AreRead) {
  EXPECT_EQ(html_to_text("a &amp; b &lt;&#8364;&#x4e2d;&hellip;"), "a & b <\u20ac\u4e2d\u2026");
  EXPECT_EQ(html_to_text("&thetasym;&Aacute;&clubs;&lang;"), "\u03d1\u00c1\u2663\u2329");
  EXPECT_EQ(html_to_text("&check;&CounterClockwiseContourIntegral;&acE;"), "✓∳∾\u0333");
  EXPECT_EQ(html_to_text("&LT;b&GT; &AMP;lt; <i title='&QUOT;>'>x</i>"), "<b> &lt; x");
  EXPECT_EQ(html_to_text("&unknown; &amp &; AT&T"), "&unknown; &amp &; AT&T");
  EXPECT_EQ(html_to_text("a&nbsp;&nbsp;b"), "a b");
  EXPECT_EQ(html_to_text("It&#146;s"), "It\u2019s") << "as browsers read Windows-1252";
  EXPECT_EQ(html_to_text("a&#0;&#xd800;&#x110000;b"), "ab") << "no characters";
  EXPECT_EQ(html_to_text("<a href='/?a=1&amp;b=2'>x</a>"), "x (/?a=1&b=2)");
}

TEST(HtmlToText, HiddenElements_AreLeftOut) {
  EXPECT_EQ(html_to_text("<p>a</p><div hidden><p>no</p></div><p style='display: none'>no</p>"
                         "<span style='visibility:HIDDEN'>no</span><p>b</p>"),
            "a\n\nb");
  EXPECT_EQ(html_to_text("<div hidden><b>no</div>after"), "after");
  EXPECT_EQ(html_to_text("<head><title>T</title><script>'</p>'</script></head>b"), "T\n\nb");
}

TEST(HtmlToText, EncodingNamedByPage_IsIgnored) {
  EXPECT_EQ(html_to_text("<meta charset=gbk><p>中文 \u20ac"), "中文 \u20ac");
  EXPECT_EQ(html_to_text(std::string("a\0b", 3)), "a b");
}

TEST(HtmlToText, Conversion_LoadsNothing) {
  EXPECT_EQ(html_to_text("<!DOCTYPE html SYSTEM \"file:///etc/hostname\" [<!ENTITY x SYSTEM "
                         "\"file:///etc/hostname\">]><p>a &x; b</p>")
                .find("localhost"),
            std::string::npos);
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(HtmlToText, DeepNesting_IsReadToEnd) {
  const std::string page = repeated("<div>", 100'000) + "core" + repeated("</div>", 100'000) + "z";
  EXPECT_EQ(html_to_text(page), "core\n\nz");
  EXPECT_THAT(html_to_text(repeated("<b>word ", 3'000) + "end"), testing::EndsWith("word end"));
}

TEST(HtmlToText, TextBehindLastElement_IsRead) {
  EXPECT_EQ(html_to_text("<html><body><p>a</p></body></html><p>b</p> c"), "a\n\nb\n\nc");
  EXPECT_EQ(html_to_text("</div></div>a<b>b</b></html>c<!-- open"), "ab\n\nc");
}

TEST(HtmlToText, HiddenDeepNesting_IsNotShown) {
  EXPECT_THAT(html_to_text("<p>seen</p><div hidden>" + repeated("<div>no", 10'000)),
              testing::AllOf(testing::StartsWith("seen"), Not(HasSubstr("no"))));
}

TEST(HtmlToText, LongTag_IsSkipped) {
  EXPECT_EQ(html_to_text("a<img src='data:" + std::string(300'000, 'A') + "'>b"), "ab");
  EXPECT_EQ(html_to_text("a<script>" + repeated("x<y ", 100'000) + "</script>b"), "ab");
}

TEST(HtmlToText, TangledPages_AreCutAndSaySo) {
  std::string names = "<a";
  for (int i = 0; i < 8'000; ++i) names += " b" + std::to_string(i);
  EXPECT_THAT(html_to_text("start<p>" + repeated(names + ">t</a>", 20)),
              testing::AllOf(testing::StartsWith("start"), HasSubstr("left out")));
  const std::string ends = repeated("<b>", 500) + repeated("</x>", 1'000'000);
  EXPECT_THAT(html_to_text("start" + ends), HasSubstr("left out"));
}

TEST(HtmlToText, LongPages_AreBounded) {
  const std::string page = repeated("<p>0123456789</p>\n", kMaxHtmlBytes / 10);
  EXPECT_LE(html_to_text(page).size(), kMaxHtmlBytes);
}

}  // namespace
}  // namespace parley::tool
