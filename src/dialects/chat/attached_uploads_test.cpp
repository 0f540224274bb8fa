// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/attached_uploads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/base64.h"
#include "tests/support/chat/chat_world.h"

namespace parley::chat {
namespace {

using agent::testing::FakeReply;
using testing::HasSubstr;

class AttachedUploads : public ::testing::Test {
 protected:
  std::string upload(const std::string& owner, const std::string& bytes) {
    std::string name;
    world_.front_end->run<std::string>(
        world_.runs.scheduler, 0,
        [&](const front_end::FrontEndStore::Tables& tables) -> core::Result<std::string> {
          const front_end::NewUpload file{"a.mp4", "video/mp4", bytes};
          return tables.uploads.add(owner, {}, {&file, 1}).value().front().stored_name;
        },
        [&](const core::Result<std::string>& stored) { name = stored.value(); });
    world_.wait([&] { return !name.empty(); });
    return name;
  }
  // Sends a message with a video at this address; returns the request to the model.
  const model::Message& ask(const std::string& url) {
    world_.runs.models.model->replies = {FakeReply::text("Seen.")};
    ChatPeer peer(world_, Generation::second);
    peer.message("1", "Look",
                 R"({"multimodalContents":[{"type":"video","uploadFileName":"a.mp4","url":")" +
                     url + R"("}]})");
    world_.wait([&] { return peer.has_frame("Seen."); });
    return world_.runs.models.model->requests.back().messages.back();
  }

  ChatWorld world_;
};

// The page of the second generation names its own address.
TEST_F(AttachedUploads, OwnUpload_IsSentToModel) {
  const std::string name = upload("alice", "moving pictures");
  const model::Message& sent = ask("http://localhost:8080/api/v1/files/download/" + name);
  ASSERT_EQ(sent.parts.size(), 2U);
  EXPECT_EQ(sent.parts[1].data, core::base64_encode("moving pictures"));
  EXPECT_EQ(sent.parts[1].media_type, "video/mp4");
}

TEST_F(AttachedUploads, UploadOfAnother_IsOnlyNamed) {
  const std::string name = upload("bob", "secret");
  const model::Message& sent = ask("/api/v1/files/download/" + name);
  EXPECT_TRUE(sent.parts.empty());
  EXPECT_THAT(sent.content, HasSubstr("[video: a.mp4, /api/v1/files/download/" + name));
}

TEST_F(AttachedUploads, TooLargeUpload_IsOnlyNamed) {
  const std::string name = upload("alice", std::string(kMaxAttachedUploadBytes + 1, 'x'));
  const model::Message& sent = ask("/api/v1/files/download/" + name);
  EXPECT_TRUE(sent.parts.empty());
  EXPECT_THAT(sent.content, HasSubstr("16777217 bytes, too many for the model"));
}

}  // namespace
}  // namespace parley::chat
