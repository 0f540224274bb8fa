// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/sse.h"

#include <gtest/gtest.h>

#include "tests/support/core/fake_scheduler.h"

namespace parley::net {
namespace {

class RecordingBody final : public BodyWriter {
 public:
  void write(std::string_view bytes) override { text.append(bytes); }
  void end() override { open_ = false; }
  bool open() const override { return open_; }
  std::size_t queued() const override { return 0; }
  void on_disconnect(core::Task) override {}

  std::string text;

 private:
  bool open_ = true;
};

TEST(SseText, Event_HasIdNameAndEachDataLine) {
  EXPECT_EQ(sse_text({"7", "message.delta", "a\nb\r\nc\rd"}),
            "id: 7\nevent: message.delta\ndata: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(sse_text({"", "", ""}), "data: \n\n");
  EXPECT_EQ(sse_text({"", "", "end\n"}), "data: end\ndata: \n\n");
}

TEST(SseText, IdOrName_CannotForgeField) {
  EXPECT_EQ(sse_text({"1\ndata: forged", "a\rb", "x"}), "data: x\n\n");
  EXPECT_EQ(sse_text({std::string_view("1\0", 2), "", "x"}), "data: x\n\n");
}

TEST(SseWriter, OnlyQuietStream_GetsKeepAlive) {
  core::FakeClock clock;
  core::FakeScheduler scheduler(clock);
  const auto body = std::make_shared<RecordingBody>();
  SseWriter writer(body, scheduler);
  scheduler.advance(core::Millis(10'000));
  writer.send({"1", "", "x"});
  scheduler.advance(core::Millis(14'999));
  EXPECT_EQ(body->text, "id: 1\ndata: x\n\n");
  scheduler.advance(core::Millis(1));
  EXPECT_EQ(body->text, "id: 1\ndata: x\n\n: keep-alive\n\n");
  scheduler.advance(core::Millis(15'000));
  EXPECT_EQ(body->text, "id: 1\ndata: x\n\n: keep-alive\n\n: keep-alive\n\n");
}

TEST(SseWriter, Retry_IsInMilliseconds_EndStopsTimer) {
  core::FakeClock clock;
  core::FakeScheduler scheduler(clock);
  const auto body = std::make_shared<RecordingBody>();
  {
    SseWriter writer(body, scheduler);
    writer.send_retry(core::Millis(2'500));
    writer.end();
    EXPECT_FALSE(writer.open());
    EXPECT_EQ(scheduler.timers(), 0U);
  }
  EXPECT_EQ(body->text, "retry: 2500\n\n");
  {
    SseWriter writer(std::make_shared<RecordingBody>(), scheduler);
    EXPECT_EQ(scheduler.timers(), 1U);
  }
  EXPECT_EQ(scheduler.timers(), 0U);
}

}  // namespace
}  // namespace parley::net
