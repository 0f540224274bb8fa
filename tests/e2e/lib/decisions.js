// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Permission prompts of agents, and what was decided.
import assert from 'node:assert/strict';
import { Hook } from '../../hook/hooks.js';
import { ask } from './runs.js';

const kLabels = ['Allow once', 'Always 1', 'Deny', 'Answer in the terminal'];
const kRule = 'Bash(git push:*), for this project, on this computer';
const kMaxNamed = 2048; // bytes of an action's subject
const kRequest = {
  session_id: 's',
  transcript_path: '/t',
  cwd: '/src/shop',
  permission_mode: 'default',
  hook_event_name: 'PermissionRequest',
};

// A permission prompt in the form of `parley hook`.
export async function prompted(stage, key, command, folder = 'shop') {
  const text = `Run this command?\n\n\`\`\`sh\n${command}\n\`\`\`\n\nDirectory: \`/src/${folder}\``;
  const choices = kLabels.map((label) => ({ label, description: label === 'Always 1' ? kRule : '' }));
  const action =
    command.length > kMaxNamed ? undefined : { agent: 'claude', tool: 'Bash', kind: 'command', subject: command };
  const answer = await ask(stage.server, 'POST', '/v1/interactions', {
    key,
    prompt: { text, questions: [{ text, header: 'Bash', choices, custom: true }], action },
  });
  assert.equal(answer.status, 201, await answer.text());
}

// The text of an answer, as the agent reads it.
export async function answerOf(stage, key) {
  const { outcome } = await (await ask(stage.server, 'GET', `/v1/interactions/${encodeURIComponent(key)}`)).json();
  return outcome.answer.contents.map(({ text }) => text).join('\n');
}

export const stateOf = async (stage, key) =>
  (await (await ask(stage.server, 'GET', `/v1/interactions/${key}`)).json()).state;

// The hook of Claude Code before it uses a tool.
export const permission = (stage, tool_name, tool_input, more = {}) =>
  new Hook(['claude', '--data', stage.server.data], { ...kRequest, tool_name, tool_input, ...more });

// What the agent is told.
export const decided = async (hook) => JSON.parse((await hook.ended).out).hookSpecificOutput.decision;
