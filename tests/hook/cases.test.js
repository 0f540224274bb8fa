// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Recorded events of coding agents, answered by a person: what is asked, and what the agent reads.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { atDesk } from './hooks.js';

const kCases = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8'));
const kClaude = { session_id: 's', transcript_path: '/t', cwd: '/p', permission_mode: 'default' };
const kBases = {
  bash: { ...kClaude, hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'make' } },
  plan: {
    ...kClaude,
    hook_event_name: 'PermissionRequest',
    tool_name: 'ExitPlanMode',
    tool_input: { plan: '# Plan\n\n1. build' },
  },
  stop: { ...kClaude, hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'All is built.' },
  codex: {
    ...kClaude,
    turn_id: 't',
    model: 'm',
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'make' },
  },
  copilot: { sessionId: 's', timestamp: 1, cwd: '/p', toolName: 'bash', toolArgs: { command: 'make' } },
  copilot_stop: {
    sessionId: 's',
    timestamp: 1,
    cwd: '/p',
    transcriptPath: '/t',
    stopReason: 'end_turn',
    stop_hook_active: false,
  },
  vscode: {
    hookEventName: 'PreToolUse',
    sessionId: 's',
    timestamp: '2026-11-26T10:00:00Z',
    cwd: '/p',
    tool_name: 'run_in_terminal',
    tool_input: { command: 'make' },
    tool_use_id: 'u',
  },
  cursor: {
    conversation_id: 's',
    generation_id: 'g',
    hook_event_name: 'beforeShellExecution',
    cursor_version: '2',
    workspace_roots: ['/root1', '/root2'],
    command: 'make',
    cwd: '/p',
  },
  crush: { event: 'PreToolUse', session_id: 's', cwd: '/p', tool_name: 'bash', tool_input: { command: 'make' } },
  gemini: {
    session_id: 's',
    transcript_path: '/t',
    cwd: '/p',
    hook_event_name: 'AfterAgent',
    timestamp: '2026-11-26T10:00:00Z',
    prompt: 'build',
    prompt_response: 'All is built.',
    stop_hook_active: false,
  },
  opencode: {
    event: 'permission.asked',
    directory: '/p',
    properties: {
      id: 'p',
      sessionID: 'o',
      permission: 'bash',
      patterns: ['make *'],
      metadata: { command: 'make' },
      always: ['make *'],
    },
  },
  questions: {
    ...kClaude,
    hook_event_name: 'PermissionRequest',
    tool_name: 'AskUserQuestion',
    tool_input: {
      questions: [
        {
          question: 'Which colour?',
          header: 'Colour',
          options: [
            { label: 'Red', description: 'warm' },
            { label: 'Blue', description: '' },
          ],
          multiSelect: false,
        },
        {
          question: 'Which fruits?',
          header: 'Fruits',
          options: [{ label: 'Apple' }, { label: 'Pear' }],
          multiSelect: true,
        },
      ],
    },
  },
};

function checkQuestion({ prompt }, { asker, describes, labels, shows = [] }) {
  const [question] = prompt.questions;
  if (asker) assert.equal(prompt.agent_name, asker);
  if (labels)
    assert.deepEqual(
      question.choices.map(({ label }) => label),
      labels,
    );
  if (describes)
    assert.deepEqual(
      question.choices.filter(({ label }) => label.startsWith('Always')).map(({ description }) => description),
      describes,
    );
  for (const part of shows)
    assert.ok(prompt.text.includes(part), `${JSON.stringify(part)} is in ${JSON.stringify(prompt.text)}`);
}

// Free text only for a command; else the choices, and an answer that was none of them, come first.
function checkSecond({ prompt }, first) {
  const [{ choices, custom }] = prompt.questions;
  assert.equal(custom, first.endsWith('Edit command'));
  if (custom) return;
  const [sentence] = prompt.text.split('\n');
  assert.ok(sentence.startsWith(`"${first.split('\nA: ').at(-1)}" is no decision`), sentence);
  for (const { label } of choices) assert.ok(sentence.includes(`"${label}"`), label);
}

test('recorded cases', async (t) => {
  await atDesk(async (desk) => {
    await desk.openScreen();
    for (const one of kCases) {
      await t.test(one.name, async () => {
        const before = await desk.latest();
        const hook = desk.hook(one.agent, { ...kBases[one.use], ...one.more }, { args: one.args });
        let question;
        for (const [round, reply] of one.replies.entries()) {
          question = await desk.question(question);
          if (round === 0) checkQuestion(question, one);
          else checkSecond(question, String(one.replies[0]));
          await desk.answer(question, reply);
        }
        // A question that nobody answers was asked nevertheless.
        if (one.replies.length === 0 && one.labels) checkQuestion(await desk.question(), one);
        const { code, err, out } = await hook.ended;
        assert.deepEqual({ code, err, out }, { code: 0, err: '', out: one.stdout === '' ? '' : `${one.stdout}\n` });
        assert.deepEqual(await desk.pending(), []);
        if (one.replies.length === 0 && !one.labels) assert.equal(await desk.latest(), before, 'nothing was asked');
      });
    }
  })();
});
