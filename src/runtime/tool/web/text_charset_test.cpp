// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/text_charset.h"

#include <gtest/gtest.h>

#include "runtime/tool/web/web_fetch.h"

namespace parley::tool {
namespace {

// Literal bytes, as servers send them.
constexpr std::string_view kGbk = "\xd6\xd0\xce\xc4\xcd\xf8\xd2\xb3";  // 中文网页
constexpr std::string_view kShiftJis = "\x93\xfa\x96\x7b\x8c\xea";     // 日本語
constexpr std::string_view kCyrillic = "\xcf\xf0\xe8\xe2\xe5\xf2";     // Привет
constexpr std::string_view kBig5 = "\xa4\xa4\xa4\xe5";                 // 中文
constexpr std::string_view kEucKr = "\xc7\xd1\xb1\xdb";                // 한글
constexpr std::string_view kEucJp = "\xc6\xfc\xcb\xdc";                // 日本

TEST(ReadableBody, GbkPage_NamedByHeader_IsDecoded) {
  const std::string page = "<title>" + std::string(kGbk) + "</title><p>" + std::string(kGbk);
  EXPECT_EQ(readable_body("text/html; charset=GBK", page), "中文网页\n\n中文网页");
  EXPECT_EQ(readable_body("text/html; charset=\"gb2312\"", page), "中文网页\n\n中文网页");
}

TEST(ReadableBody, PageNamingItsEncoding_IsDecoded) {
  EXPECT_EQ(readable_body("text/html", "<meta charset='gb2312'><p>" + std::string(kGbk)),
            "中文网页");
  EXPECT_EQ(
      readable_body("text/html",
                    "<META http-equiv=Content-Type content=\"text/html; charset=Shift_JIS\">" +
                        std::string(kShiftJis)),
      "日本語");
  EXPECT_EQ(readable_body("", "<html><meta charset=windows-1251>" + std::string(kCyrillic)),
            "Привет");
  EXPECT_EQ(readable_body("application/xhtml+xml",
                          "<?xml version='1.0' encoding='euc-kr'?><p>" + std::string(kEucKr)),
            "한글");
}

TEST(ReadableBody, Header_WinsOverPage) {
  EXPECT_EQ(readable_body("text/html; charset=windows-1251",
                          "<meta charset=gbk>" + std::string(kCyrillic)),
            "Привет");
}

TEST(ReadableBody, ByteOrderMark_WinsOverPage) {
  EXPECT_EQ(readable_body("text/html", "\xef\xbb\xbf<meta charset=gbk>中"), "中");
  EXPECT_EQ(readable_body("text/plain", std::string("\xff\xfe\x2d\x4e\x87\x65", 6)), "中文");
  EXPECT_EQ(readable_body("text/plain", std::string("\xfe\xff\x4e\x2d\0\x61", 6)), "中a");
  EXPECT_EQ(readable_body("text/plain; charset=utf-16", std::string("\xfe\xff\x4e\x2d", 4)), "中");
}

TEST(ReadableBody, TextAndJsonOfOtherEncodings_AreDecoded) {
  EXPECT_EQ(readable_body("text/plain; charset=big5", std::string(kBig5)), "中文");
  EXPECT_EQ(readable_body("application/json; charset=euc-jp", "\"" + std::string(kEucJp) + "\""),
            "\"日本\"");
  EXPECT_EQ(readable_body("text/csv;header=present; charset=koi8-r", "\xf0\xd2\xc9"), "При");
  EXPECT_EQ(readable_body("application/json", std::string("\xff\xfe\x31\0", 4)), "1");
}

TEST(ReadableBody, HtmlPageWithoutEncoding_IsDecoded) {
  EXPECT_EQ(readable_body("text/html", "<p>caf\xe9 \x93quoted\x94"), "café “quoted”");
  EXPECT_EQ(readable_body("text/html", "<p>中文\xff字"), "中文\ufffd字") << "damaged UTF-8";
  EXPECT_EQ(readable_body("text/html; charset=nonsense-7", "<p>中"), "中");
}

TEST(ReadableBody, IllFormedBytes_AreReplaced) {
  EXPECT_EQ(readable_body("text/plain; charset=gbk", std::string(kGbk) + "\xff!"),
            "中文网页\ufffd!");
  EXPECT_EQ(readable_body("text/plain; charset=shift_jis", std::string(kShiftJis) + "\x93"),
            "日本語\ufffd");
}

TEST(Charset, LabelVariants_AreKnown) {
  for (const char* label : {"GBK", "gb2312", " x-gbk ", "csGB2312", "GB18030", "gb_2312-80"}) {
    EXPECT_EQ(charset_of_label(label), "GB18030") << label;
  }
  EXPECT_EQ(charset_of_label("ISO_8859-1:1987"), "CP1252");
  EXPECT_EQ(charset_of_label("iso-8859-15"), "ISO-8859-15");
  EXPECT_EQ(charset_of_label("cp1251"), "CP1251");
  for (const char* label : {"", "UTF-7", "iso-8859-12", "windows-1259", "GBK//TRANSLIT", "char"}) {
    EXPECT_EQ(charset_of_label(label), "") << label;
  }
}

// iconv supports each encoding of the table.
TEST(Charset, EveryEncoding_IsSupported) {
  for (const char* label :
       {"ascii",       "latin2",         "latin3",       "latin4",      "cyrillic",  "arabic",
        "greek",       "hebrew",         "latin5",       "latin6",      "latin9",    "iso-8859-13",
        "iso-8859-14", "iso-8859-16",    "tis-620",      "ibm866",      "koi8-r",    "koi8-u",
        "macintosh",   "x-mac-cyrillic", "gbk",          "big5",        "shift_jis", "euc-jp",
        "euc-kr",      "windows-1250",   "windows-1252", "windows-1258"}) {
    const std::string charset = charset_of_label(label);
    ASSERT_FALSE(charset.empty()) << label;
    EXPECT_NE(text_from_charset("\xe1\xe1", charset), "\ufffd\ufffd") << charset;
  }
  EXPECT_EQ(text_from_charset("\x1b$BF|\x1b(B", charset_of_label("iso-2022-jp")), "日");
}

}  // namespace
}  // namespace parley::tool
