// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/core/base64.h"
#include "services/notify/email_message.h"
#include "services/notify/email_notifier.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::notify {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Notice mail_notice() {
  Notice notice;
  notice.title = "审阅者 asks <b>\"now\"</b>";
  notice.body = "Deploy <script>alert(1)</script>?";
  notice.base = "https://p.example.org";
  notice.page_path = "/#/inbox/item/k";
  notice.write_path = "/a/WRITE";
  notice.options = {{"Yes & go", "/a/SECRET"}};
  return notice;
}

// The decoded text of the part with this type.
std::string part_of(const std::string& message, const std::string& type) {
  const std::size_t at = message.find("Content-Type: " + type);
  const std::size_t begin = message.find("\r\n\r\n", at) + 4;
  return core::base64_decode(message.substr(begin, message.find("--b", begin) - begin))
      .value_or("");
}

TEST(EncodedWords, Text_IsEncodedInWholeCharacters) {
  EXPECT_EQ(encoded_words("Plain text"), "Plain text");
  EXPECT_EQ(encoded_words("é"), "=?utf-8?B?w6k=?=");
  std::string text;
  for (int i = 0; i < 60; ++i) text += "审";
  const std::string words = encoded_words(text);
  std::string decoded;
  std::size_t at = 0;
  while (at < words.size()) {
    const std::size_t end = words.find("\r\n ", at);
    const std::string word = words.substr(at, end == std::string::npos ? end : end - at);
    EXPECT_LE(word.size(), 75U);
    const std::string piece = *core::base64_decode(word.substr(10, word.size() - 12));
    EXPECT_EQ(piece.size() % 3, 0U) << "no character is cut";
    decoded += piece;
    if (end == std::string::npos) break;
    at = end + 3;
  }
  EXPECT_EQ(decoded, text);
}

TEST(EmailMessage, HasBothParts_Escaped) {
  const EmailEnvelope envelope{"p@example.org",
                               {"a@example.org", "b@example.org"},
                               "id@example.org",
                               "boundary",
                               core::from_unix_ms(784'111'777'000)};
  const std::string message = email_message(envelope, mail_notice(), Language::english);
  EXPECT_THAT(message, HasSubstr("Date: Sun, 06 Nov 1994 08:49:37 +0000\r\n"));
  EXPECT_THAT(message, HasSubstr("Message-ID: <id@example.org>\r\n"));
  EXPECT_THAT(message, HasSubstr("To: a@example.org,\r\n b@example.org\r\n"));
  EXPECT_THAT(message, HasSubstr("Subject: =?utf-8?B?"));
  const std::string plain = part_of(message, "text/plain");
  EXPECT_THAT(plain, HasSubstr("Deploy <script>alert(1)</script>?"));
  EXPECT_THAT(plain, HasSubstr("https://p.example.org/a/SECRET"));
  const std::string html = part_of(message, "text/html");
  EXPECT_THAT(html, HasSubstr("Deploy &lt;script&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, HasSubstr("href=\"https://p.example.org/a/SECRET\""));
  EXPECT_THAT(html, HasSubstr("Yes &amp; go"));
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 2) {
    end = message.find("\r\n", at);
    EXPECT_LE((end == std::string::npos ? message.size() : end) - at, 78U);
  }
}

TEST(MailAddress, OnlyPlainAddress_IsAccepted) {
  EXPECT_TRUE(is_mail_address("ann@example.org"));
  for (const char* wrong : {"ann", "@x", "a@", "a@b@c", "Ann <a@b>", "a@b\r\nBcc: c@d", "a b@c"}) {
    EXPECT_FALSE(is_mail_address(wrong)) << wrong;
  }
}

TEST(EmailNotifier, Settings_AreChecked) {
  core::FakeClock clock;
  core::FakeScheduler scheduler(clock);
  core::SeededEntropy entropy(1);
  const auto field_of = [&](EmailSettings settings) {
    const auto created =
        make_email_notifier(std::move(settings), Language::english, entropy, scheduler);
    return created ? std::string("none") : created.error().field;
  };
  EmailSettings good{"mail", {"smtp://mail.example.org:587", "u", "p"}, "p@x.org", {"a@x.org"}};
  EXPECT_EQ(field_of(good), "none");
  EmailSettings one = good;
  one.server.url = "https://mail.example.org";
  EXPECT_EQ(field_of(one), "server");
  one = good;
  one.from = "Parley <p@x.org>";
  EXPECT_EQ(field_of(one), "from");
  one = good;
  one.to = {};
  EXPECT_EQ(field_of(one), "to");
  one = good;
  one.server.starttls = false;
  EXPECT_EQ(field_of(one), "starttls");
  one.server.url = "smtp://127.0.0.1:25";
  EXPECT_EQ(field_of(one), "none");
}

}  // namespace
}  // namespace parley::notify
