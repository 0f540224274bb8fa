// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// hook_script.mjs URL TOKEN
//
// The peer of hook_bench: a hook as a script. Reads the event on stdin and posts its command as a
// question, without any of the checks of `parley hook`.
import { readFileSync } from 'node:fs';

const [url, token] = process.argv.slice(2);
const event = JSON.parse(readFileSync(0, 'utf8'));
const response = await fetch(`${url}/v1/interactions`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ prompt: { text: event.tool_input.command } }),
});
process.exitCode = response.ok ? 0 : 1;
