// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/multipart.h"

#include <gtest/gtest.h>

#include "base/net/http/multipart_form.h"

namespace parley::comfyui {
namespace {

TEST(Multipart, Form_IsReadByServer) {
  core::SeededEntropy entropy(1);
  Multipart form(entropy);
  form.add_file("image", "a \"b\".png", "image/png", std::string("\r\n--x\0", 6));
  form.add_field("subfolder", "");
  form.add_field("type", "input");
  const std::string type = form.content_type();
  const std::string body = form.finish();
  const auto parts = net::read_form(type, body);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ((*parts)[0].filename, "a %22b%22.png");
  EXPECT_EQ((*parts)[0].bytes, std::string("\r\n--x\0", 6));
  EXPECT_EQ((*parts)[1].name, "subfolder");
  EXPECT_EQ((*parts)[1].bytes, "");
  EXPECT_EQ((*parts)[2].bytes, "input");
}

}  // namespace
}  // namespace parley::comfyui
