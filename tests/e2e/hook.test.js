// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A permission prompt of a coding agent, decided on a page of phone size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hook } from '../hook/hooks.js';
import { staged } from './lib/stage.js';

const kPhone = { width: 375, height: 812 };
const kRequest = {
  session_id: 's',
  transcript_path: '/t',
  cwd: '/src/shop',
  permission_mode: 'default',
  hook_event_name: 'PermissionRequest',
};

const hook = (stage, more) => new Hook(['claude', '--data', stage.server.data], { ...kRequest, ...more });
const bash = (command, more = {}) => ({
  tool_name: 'Bash',
  tool_input: { command, description: 'Builds the shop' },
  ...more,
});

test(
  'a permission prompt is decided on a phone',
  staged(async (stage) => {
    const person = await stage.person(undefined, kPhone);
    const allowed = hook(stage, bash('make -j2 && make check'));
    const card = person.card('Wants to run a command.');
    await card.getByText('make -j2 && make check').waitFor();
    await card.getByText('Claude Code asks').waitFor();
    await card.getByRole('button', { name: 'Allow once' }).click();
    assert.deepEqual(JSON.parse((await allowed.ended).out).hookSpecificOutput.decision, { behavior: 'allow' });
    await person.closedCard('Wants to run a command.').waitFor();

    const edit = hook(stage, {
      tool_name: 'Edit',
      tool_input: { file_path: '/src/shop/till.py', old_string: 'tax = 0.19\n', new_string: 'tax = 0.07\n' },
    });
    const change = person.card('Wants to change a file.');
    await change.locator('[data-test=patch-file]').waitFor();
    await change.locator('[data-test=reason]').click();
    await change.locator('[data-test=answer-field]').fill('Read the rate from the settings');
    await change.getByText('Deny', { exact: true }).click();
    await change.locator('[data-test=confirm]').click();
    assert.deepEqual(JSON.parse((await edit.ended).out).hookSpecificOutput.decision, {
      behavior: 'deny',
      message: 'Read the rate from the settings',
    });
  }),
);

test(
  'a prompt that is answered in the terminal leaves the inbox',
  staged(async (stage) => {
    const person = await stage.person();
    const waiting = hook(stage, bash('make'));
    await person.card('Wants to run a command.').waitFor();
    await hook(stage, bash('make', { hook_event_name: 'PostToolUse' })).ended;
    assert.equal((await waiting.ended).out, '');
    await person.card('Wants to run a command.').waitFor({ state: 'detached' });
    await person.closedCard('Wants to run a command.', 'cancelled').waitFor();
  }),
);

test(
  'a prefix of the person does not turn a choice into words',
  staged(async (stage) => {
    const person = await stage.person();
    await person.page.evaluate(() =>
      localStorage.setItem('parley.answering', JSON.stringify({ affixed: true, prefix: 'Hello.', suffix: '' })),
    );
    await person.page.reload();
    await person.untilOnline();
    const waiting = hook(stage, bash('make'));
    await person.card('Wants to run a command.').getByRole('button', { name: 'Allow once' }).click();
    assert.deepEqual(JSON.parse((await waiting.ended).out).hookSpecificOutput.decision, { behavior: 'allow' });
    await person.closedCard('Wants to run a command.').getByText('Hello.').waitFor();
  }),
);

test(
  'a prompt in Chinese is decided by its labels',
  staged(async (stage) => {
    const person = await stage.person();
    const waiting = new Hook(['claude', '--language', 'zh', '--data', stage.server.data], {
      ...kRequest,
      ...bash('sudo make install'),
    });
    const card = person.card('想要运行一条命令。');
    await card.getByText('以管理员权限运行').waitFor();
    await card.getByRole('button', { name: '允许一次' }).click();
    await card.locator('[data-test=confirm]').click(); // a danger is named
    assert.deepEqual(JSON.parse((await waiting.ended).out).hookSpecificOutput.decision, { behavior: 'allow' });
  }),
);
