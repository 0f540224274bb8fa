// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/media.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/openai_request.h"
#include "runtime/model/providers.h"

namespace parley::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Part image() {
  Part part;
  part.type = Part::Type::image_base64;
  part.media_type = "image/png";
  part.data = "aGVsbG8=";
  part.name = "cat.png";
  return part;
}

Part words(std::string text) {
  Part part;
  part.text = std::move(text);
  return part;
}

Part pdf() {
  Part part;
  part.type = Part::Type::file;
  part.media_type = "application/pdf";
  part.data = std::string(4096, 'A');
  part.name = "paper.pdf";
  return part;
}

MediaKinds only(MediaKind kind) { return MediaKinds().add(kind); }

TEST(Media, KindsHaveNames_AndOthersAreRefused) {
  EXPECT_EQ(media_from_names({"image", "file"})->names(), "image, file");
  EXPECT_EQ(media_from_names({"none"})->names(), "none");
  EXPECT_EQ(media_from_names({"image", "audio", "video", "file"}), MediaKinds::all());
  EXPECT_EQ(media_from_names({"pictures"}), std::nullopt);
}

TEST(Media, UnsupportedPart_IsReplacedByNote) {
  std::vector<Message> messages = {Message::user_with({words("Look"), image(), pdf()})};
  leave_out(messages, only(MediaKind::image), "acme/small");
  ASSERT_THAT(messages[0].parts, SizeIs(3));
  EXPECT_EQ(messages[0].parts[1], image());
  EXPECT_THAT(
      messages[0].parts[2].text,
      AllOf(HasSubstr("the file \"paper.pdf\" (application/pdf, 3 KiB)"), HasSubstr("acme/small")));
}

TEST(Media, TextOnlyModel_GetsNoPicture_WholeText) {
  std::vector<Message> messages = {Message::user("Before"),
                                   Message::user_with({words("Look"), image()})};
  leave_out(messages, {}, "acme/small");
  ModelRequest request;
  request.messages = messages;
  const std::string sent = openai_request("small", request, {});
  EXPECT_THAT(sent, AllOf(HasSubstr("Before"), HasSubstr("Look\\n[Not shown"),
                          HasSubstr(R"(cat.png\" (image/png, 5 bytes))"),
                          Not(HasSubstr("image_url")), Not(HasSubstr("aGVsbG8="))));
}

TEST(Media, TextOtherThanPart_Stays) {
  Message message = Message::user_with({image()});
  message.content = "Look";
  std::vector<Message> messages = {message};
  leave_out(messages, {}, "m");
  EXPECT_THAT(messages[0].content, AllOf(HasSubstr("Look"), HasSubstr("cat.png")));
}

TEST(Media, LeftOut_NamesUnsupportedMedia) {
  const Message message = Message::user_with({words("Look"), image(), pdf()});
  EXPECT_THAT(left_out(message, MediaKinds::all()), IsEmpty());
  const std::vector<LeftOut> gone = left_out(message, only(MediaKind::file));
  ASSERT_THAT(gone, SizeIs(1));
  EXPECT_EQ(described(gone[0]), "image \"cat.png\" (image/png, 5 bytes)");
}

TEST(Media, MediaOfProvider_FollowKindOrSetting) {
  ProviderSettings provider;
  provider.base_url = "https://api.openai.com/v1";
  EXPECT_EQ(media_of(provider, "m").names(), "image, file");
  provider.base_url = "http://127.0.0.1:11434/v1";
  EXPECT_EQ(media_of(provider, "m").names(), "image");
  provider.base_url = "https://api.openai.com.example.org/v1";
  EXPECT_EQ(media_of(provider, "m").names(), "image");
  provider.media = {"image", "audio"};
  EXPECT_EQ(media_of(provider, "m").names(), "image, audio");
  provider.text_models = {"small", "old-*"};
  EXPECT_EQ(media_of(provider, "small").names(), "none");
  EXPECT_EQ(media_of(provider, "old-7b").names(), "none");
  EXPECT_EQ(media_of(provider, "smaller").names(), "image, audio");
  provider.text_models.clear();
  provider.media = {"none"};
  EXPECT_EQ(media_of(provider, "m").names(), "none");
}

}  // namespace
}  // namespace parley::model
