// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "comfyui/multipart.h"

#include <gtest/gtest.h>

#include "comfyui/fake/multipart_form.h"

namespace parley::comfyui {
namespace {

TEST(Multipart, IsReadByAServer) {
  core::SeededEntropy entropy(1);
  Multipart form(entropy);
  form.add_file("image", "a \"b\".png", "image/png", std::string("\r\n--x\0", 6));
  form.add_field("subfolder", "");
  form.add_field("type", "input");
  const std::string type = form.content_type();
  const std::string body = form.finish();
  const auto parts = fake_comfyui::read_form(type, body);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ((*parts)[0].filename, "a %22b%22.png");
  EXPECT_EQ((*parts)[0].bytes, std::string("\r\n--x\0", 6));
  EXPECT_EQ((*parts)[1].name, "subfolder");
  EXPECT_EQ((*parts)[1].bytes, "");
  EXPECT_EQ((*parts)[2].bytes, "input");
}

TEST(Multipart, BrokenForms_AreNone) {
  EXPECT_FALSE(fake_comfyui::read_form("text/plain", "--b--"));
  EXPECT_FALSE(fake_comfyui::read_form("multipart/form-data", "--b--"));
  for (const char* body : {"", "--b", "--b\r\n\r\n", "--b\r\n\r\nx\r\n--c--", "x"}) {
    EXPECT_FALSE(fake_comfyui::read_form("multipart/form-data; boundary=b", body)) << body;
  }
}

}  // namespace
}  // namespace parley::comfyui
