// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { kNotifierKinds } from './http_notify';

export type ExampleKind = (typeof kNotifierKinds)[number];

// Settings to copy into parley.toml. The same examples are in docs/notifications.md; a test compares them.
export const kExamples: Readonly<Record<ExampleKind, string>> = {
  ntfy: `[[notify.ntfy]]
name = "phone"
url = "https://ntfy.sh/choose-a-long-random-topic"`,
  webhook: `[[notify.webhook]]
name = "hook"
url = "https://hooks.example.org/parley"
secret = "at-least-16-random-characters"`,
  email: `[[notify.email]]
name = "mail"
server = "smtp://mail.example.org:587"
user = "parley"
password = "the password"
from = "parley@example.org"
to = ["ann@example.org"]
when = "unseen"
after = "5m"`,
};
