// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/multipart_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::net {
namespace {

using testing::HasSubstr;

constexpr const char* kType = "multipart/form-data; boundary=b";

std::string part(const std::string& head, const std::string& bytes) {
  return "--b\r\n" + head + "\r\n\r\n" + bytes + "\r\n";
}
std::string field(const std::string& name, const std::string& bytes) {
  return part("Content-Disposition: form-data; name=\"" + name + "\"", bytes);
}

// The parts point into `body`.
std::vector<FormPart> read(std::string&& body) = delete;
std::vector<FormPart> read(const std::string& body) {
  const auto parts = read_form(kType, body);
  EXPECT_TRUE(parts) << parts.error().message;
  return parts.value_or(std::vector<FormPart>());
}

std::string fault(const std::string& type, const std::string& body) {
  const auto parts = read_form(type, body);
  return parts ? "" : parts.error().message;
}

TEST(MultipartForm, Parts_AreReadInOrder) {
  const std::string body =
      part(
          "Content-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n"
          "content-type: image/png; x=y",
          std::string("\r\n--x\0\r\n--", 9)) +
      field("note", "") + "--b--\r\n";
  const auto parts = read(body);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name, "file");
  EXPECT_EQ(parts[0].filename, "a.png");
  EXPECT_EQ(parts[0].type, "image/png");
  EXPECT_EQ(parts[0].bytes, std::string("\r\n--x\0\r\n--", 9));
  EXPECT_EQ(parts[1].name, "note");
  EXPECT_EQ(parts[1].bytes, "");
}

TEST(MultipartForm, Boundary_IsReadWithQuotesAndOtherParameters) {
  for (const char* type :
       {"multipart/form-data; boundary=\"b\"", "Multipart/Form-Data; charset=utf-8; Boundary=b"}) {
    EXPECT_EQ(fault(type, field("a", "1") + "--b--"), "") << type;
  }
}

TEST(MultipartForm, FilenameWithSemicolonAndQuotes_IsWhole) {
  const std::string head = R"(Content-Disposition: form-data; filename="a;\"name=x.png"; name="f")";
  const std::string body = part(head, "1") + "--b--";
  const auto parts = read(body);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].name, "f");
  EXPECT_EQ(parts[0].filename, "a;\"name=x.png");
}

TEST(MultipartForm, BoundaryInsideLine_IsContent) {
  const std::string body = "preamble --b\r\n" + field("a", "x--b--y") + "--b--";
  const auto parts = read(body);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].bytes, "x--b--y");
}

TEST(MultipartForm, LongerBoundary_EndsNothing) {
  EXPECT_THAT(fault(kType, field("a", "1\r\n--bc") + "--b--"),
              HasSubstr("is not followed by a line end"));
}

TEST(MultipartForm, BrokenForms_AreRefusedInWords) {
  EXPECT_THAT(fault("text/plain", "--b--"), HasSubstr("multipart/form-data"));
  EXPECT_THAT(fault("multipart/form-data", "--b--"), HasSubstr("boundary"));
  EXPECT_THAT(fault("multipart/form-data; boundary=\"b", "--b--"), HasSubstr("boundary"));
  EXPECT_THAT(fault("multipart/form-data; boundary=" + std::string(71, 'b'), "--b--"),
              HasSubstr("boundary"));
  for (const char* body :
       {"", "---b\r\n", "\n--b--", "--b", "--b\r\n\r\n", "--b\r\n\r\nx\r\n--c--", "x",
        "--b\r\n\r\nx\r\n--b--", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx",
        "--b\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--b--",
        "--b\r\nno colon\r\n\r\nx\r\n--b--"}) {
    EXPECT_NE(fault(kType, body), "") << body;
  }
}

TEST(MultipartForm, TooManyParts_AreRefused) {
  std::string body;
  for (std::size_t i = 0; i < kMaxFormParts; ++i) body += field("a", "1");
  EXPECT_EQ(fault(kType, body + "--b--"), "");
  EXPECT_THAT(fault(kType, body + field("a", "1") + "--b--"), HasSubstr("at most 32 parts"));
}

TEST(MultipartForm, LongHead_IsRefused) {
  const std::string head =
      "X: " + std::string(kMaxFormPartHead, 'x') + "\r\nContent-Disposition: form-data; name=\"a\"";
  EXPECT_THAT(fault(kType, part(head, "1") + "--b--"), HasSubstr("are longer than"));
}

}  // namespace
}  // namespace parley::net
