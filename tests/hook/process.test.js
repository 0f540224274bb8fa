// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A hook as a process: silence as the fallback, who may call it, and how it withdraws.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  folder,
  isSilent,
  kAllowed,
  kClaude,
  kGemini,
  kGeminiPermission,
  kMake,
  settingsFor,
  withServer,
} from './hook_world.js';
import { atDesk, Hook } from './hooks.js';

// Stops a process, and resolves when none of its threads runs any more.
async function stop({ pid }) {
  process.kill(pid, 'SIGSTOP');
  const stateOf = (thread) => /^.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))[1];
  while (readdirSync(`/proc/${pid}/task`).some((thread) => stateOf(thread) !== 'T')) await pause(1);
}

test(
  'a token that is refused: silence',
  atDesk(async (desk) => {
    const config = settingsFor(desk.server.home, desk.server.port);
    for (const agent of ['claude', 'codex']) await isSilent(desk.hook(agent, kMake, { args: ['--config', config] }));
  }),
);

test(
  'bad input: silence, and no question',
  atDesk(async (desk) => {
    const deep = '{"a":'.repeat(66) + '1' + '}'.repeat(66);
    const inputs = [
      '',
      '[]',
      '{',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      deep,
      Buffer.alloc(17 << 20, 0x20),
      { ...kMake, tool_input: 'make' },
      { ...kMake, hook_event_name: 'Odd' },
    ];
    for (const input of inputs) await isSilent(desk.hook('claude', input));
    const open = desk.hook('claude', '{"a":1', { keepOpen: true });
    const { ms } = await open.ended;
    assert.ok(ms < 60_000, 'stdin that does not end is not waited for');
    assert.deepEqual(await desk.pending(), []);
  }),
);

test(
  'wrong usage: silence',
  atDesk(async (desk) => {
    for (const args of [
      [],
      ['nobody'],
      ['clade'],
      ['claude', 'codex'],
      ['claude', '--odd', 'x'],
      ['claude', '--wait', '0'],
      ['claude', '--data'],
      ['claude', '--data', 'relative'],
      ['crush', '--gate', ','],
      ['claude', '--when-nobody', 'wait'],
    ]) {
      await isSilent(new Hook(args, kMake));
    }
    assert.deepEqual(await desk.pending(), []);
  }),
);

test(
  'other programs that read the settings of Claude Code are not answered',
  atDesk(async (desk) => {
    for (const more of [
      { cursor_version: '1' },
      { hookEventName: 'PreToolUse' },
      { sessionId: 's' },
      { timestamp: 1 },
    ]) {
      await isSilent(desk.hook('claude', { ...kMake, ...more }));
    }
    await isSilent(desk.hook('claude', kMake, { env: { CURSOR_VERSION: '1' } }));
    assert.deepEqual(await desk.pending(), []);
  }),
);

test(
  'one call is asked about once, and again when it comes again',
  atDesk(async (desk) => {
    const first = desk.hook('claude', kMake);
    const question = await desk.question();
    await isSilent(desk.hook('claude', kMake));
    await desk.answer(question, 'Allow once');
    assert.equal((await first.ended).out, kAllowed);
    const again = desk.hook('claude', kMake);
    await desk.answer(await desk.question(question), 'Deny');
    assert.match((await again.ended).out, /"deny"/);
  }),
);

test(
  'a tool that has run withdraws its question',
  atDesk(async (desk) => {
    const hook = desk.hook('claude', kMake);
    const { key } = await desk.question();
    await isSilent(desk.hook('claude', { ...kMake, hook_event_name: 'PostToolUse', tool_input: { command: 'ls' } }));
    assert.equal((await desk.untilPending(1))[0].key, key, 'another input leaves it');
    await isSilent(desk.hook('claude', { ...kMake, hook_event_name: 'PostToolUse' }));
    await isSilent(hook);
    await desk.untilPending(0);
    const { outcome, state } = await desk.api('GET', `/v1/interactions/${key}`);
    assert.deepEqual([state, outcome.reason], ['cancelled', 'Answered in the terminal.']);
  }),
);

test(
  'a prompt names its action, and a command that a rule lets through is counted',
  atDesk(async (desk) => {
    const hook = desk.hook('claude', kMake);
    const question = await desk.question();
    const { prompt } = await desk.api('GET', `/v1/interactions/${question.key}`);
    assert.deepEqual(prompt.action, {
      agent: 'claude',
      tool: 'Bash',
      kind: 'command',
      subject: kMake.tool_input.command,
    });
    await desk.answer(question, 'Deny');
    await hook.ended;

    const rules = join(desk.server.data, 'rules');
    mkdirSync(rules, { mode: 0o700 });
    writeFileSync(
      join(rules, 'rules.json'),
      JSON.stringify([
        { id: 'r1', agent: 'claude', command: 'make', text: 'Bash(make)', file: '/f', made_at: 1, by: 'x' },
      ]),
      { mode: 0o600 },
    );
    for (const [name, command] of [
      ['PostToolUse', 'make'],
      ['PostToolUseFailure', 'make'],
      ['PostToolUse', 'make x'],
      ['PostToolUse', 'ls'],
    ]) {
      await isSilent(desk.hook('claude', { ...kMake, hook_event_name: name, tool_input: { command } }));
    }
    const uses = JSON.parse(readFileSync(join(rules, 'uses-r1'), 'utf8'));
    assert.deepEqual([uses.count, uses.last.map(({ directory }) => directory)], [2, [kMake.cwd, kMake.cwd]]);
  }),
);

test(
  'the end of a turn withdraws what the main agent asked, that of a subagent what it asked',
  atDesk(async (desk) => {
    const subagent = desk.hook('claude', { ...kMake, agent_id: 'a1', agent_type: 'tester' });
    const question = await desk.question();
    assert.equal(question.prompt.agent_name, 'Claude Code (tester)');
    await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'Stop' }, { args: ['--stop', 'off'] }));
    assert.equal((await desk.untilPending(1)).length, 1);
    await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'SubagentStop', agent_id: 'a1' }));
    await isSilent(subagent);
    await desk.untilPending(0);
  }),
);

test(
  'signals withdraw the question',
  atDesk(async (desk) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
      const hook = desk.hook('claude', kMake);
      await desk.untilPending(1);
      hook.child.kill(signal);
      await isSilent(hook);
      await desk.untilPending(0);
    }
  }),
);

test(
  'a closed stdout withdraws the question',
  atDesk(async (desk) => {
    const hook = desk.hook('claude', kMake);
    await desk.untilPending(1);
    hook.child.stdout.destroy();
    await hook.ended;
    await desk.untilPending(0);
  }),
);

test(
  'an answer that comes too late is told',
  atDesk(async (desk) => {
    const hook = desk.hook('claude', kMake);
    const question = await desk.question();
    // The program does not run between the answer and the end of its reader.
    await stop(hook.child);
    await desk.answer(question, 'Allow once');
    hook.child.stdout.destroy();
    await once(hook.child.stdout, 'close');
    hook.child.kill('SIGCONT');
    await hook.ended;
    const [notice] = await desk.untilPending(1);
    assert.match(notice.key, /^notice:failed:/);
    assert.equal(notice.prompt.text, 'Too late: the agent has gone.');
  }),
);

test(
  'the end of the agent withdraws the question',
  atDesk(async (desk) => {
    const agent = spawn('sleep', ['100'], { stdio: 'ignore' });
    const hook = desk.hook('claude', kMake, { env: { CLAUDE_PID: String(agent.pid) } });
    await desk.untilPending(1);
    agent.kill('SIGKILL');
    await once(agent, 'exit');
    await isSilent(hook);
    await desk.untilPending(0);
  }),
);

test(
  'an answer after a kill of the server arrives',
  atDesk(async (desk) => {
    const hook = desk.hook('claude', kMake);
    await desk.untilPending(1);
    await desk.server.kill();
    await pause(300);
    await desk.server.start();
    await desk.answer((await desk.untilPending(1))[0], 'Allow once');
    assert.equal((await hook.ended).out, kAllowed);
  }),
);

test(
  'a cut request cannot be allowed',
  atDesk(async (desk) => {
    const hook = desk.hook('claude', {
      ...kMake,
      tool_name: 'Write',
      tool_input: { file_path: '/p/a', content: 'x'.repeat(2 << 20) },
    });
    const { prompt } = await desk.question();
    assert.deepEqual(
      prompt.questions[0].choices.map(({ label }) => label),
      ['Deny', 'Deny and stop', 'Answer in the terminal'],
    );
    assert.match(prompt.text, /\*\*\d+ bytes are left out here\.\*\*/);
    hook.child.kill('SIGTERM');
    await isSilent(hook);
  }),
);

test(
  'the ninth question of a session is silent',
  atDesk(async (desk) => {
    const hooks = Array.from({ length: 8 }, (_, at) =>
      desk.hook('claude', { ...kMake, tool_input: { command: `make ${at}` } }),
    );
    await desk.untilPending(8);
    await isSilent(desk.hook('claude', kMake));
    const other = desk.hook('claude', { ...kMake, session_id: 'other' });
    await desk.untilPending(9);
    await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'SessionEnd' }));
    for (const hook of hooks) await isSilent(hook);
    assert.equal((await desk.untilPending(1))[0].prompt.project_directory, '/p');
    other.child.kill('SIGTERM');
    await isSilent(other);
    assert.deepEqual(readdirSync(join(desk.server.data, 'hooks')), [], 'no file is left');
  }),
);

test(
  'notices: the end of a turn, what waits, what failed; a later one takes the place',
  atDesk(async (desk) => {
    await isSilent(
      desk.hook('claude', {
        ...kClaude,
        hook_event_name: 'Notification',
        notification_type: 'idle_prompt',
        message: 'Claude is waiting for your input',
      }),
    );
    assert.match((await desk.untilPending(1))[0].key, /^notice:idle:/);
    await isSilent(
      desk.hook('claude', {
        ...kClaude,
        hook_event_name: 'Notification',
        notification_type: 'permission_prompt',
        message: 'x',
      }),
    );
    await isSilent(
      desk.hook('claude', { ...kClaude, hook_event_name: 'Stop', last_assistant_message: 'All is built.\n\n- twice' }),
    );
    let [notice] = await desk.untilPending(1);
    assert.match(notice.key, /^notice:done:/);
    assert.equal(notice.prompt.text, 'All is built.\n\n\n- twice');
    await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'StopFailure', error: 'rate_limit' }));
    [notice] = await desk.untilPending(1);
    assert.match(notice.key, /^notice:failed:/);
    await isSilent(
      desk.hook('claude', {
        ...kClaude,
        session_id: 'b',
        hook_event_name: 'Stop',
        last_assistant_message: 'x',
        background_tasks: [{}],
      }),
    );
    await isSilent(desk.hook('opencode', { event: 'session.idle', directory: '/p', properties: { sessionID: 'o' } }));
    await desk.untilPending(2);
  }),
);

test(
  'agents that only tell: notices, and no output',
  atDesk(async (desk) => {
    const expected = [
      [
        'gemini',
        kGeminiPermission,
        /^notice:waiting:/,
        'Tool Shell requires permission\n\n```json\n{"type":"exec","command":"make"}\n```',
      ],
      [
        'gemini',
        { ...kGemini, hook_event_name: 'AfterAgent', prompt_response: 'All is built.' },
        /^notice:done:/,
        'All is built.',
      ],
      ['goose', { event: 'Stop', session_id: 'o', working_dir: '/p' }, /^notice:done:/, 'The turn has ended'],
      [
        'cline',
        {
          hookName: 'TaskComplete',
          taskId: 'c',
          workspaceRoots: ['/p'],
          taskComplete: { taskMetadata: { taskId: 'c' } },
        },
        /^notice:done:/,
        'The turn has ended',
      ],
      [
        'cline',
        { hookName: 'Notification', taskId: 'c', workspaceRoots: ['/p'], notification: { message: 'May I?' } },
        /^notice:waiting:/,
        'May I?',
      ],
      [
        'copilot',
        {
          sessionId: 'p',
          timestamp: 1,
          cwd: '/p',
          hook_event_name: 'Notification',
          message: 'Permission needed',
          notification_type: 'permission_prompt',
        },
        /^notice:waiting:/,
        'Permission needed',
      ],
      [
        'copilot',
        { sessionId: 'p', timestamp: 1, cwd: '/p', transcriptPath: '/t', stopReason: 'end_turn' },
        /^notice:done:/,
        'The turn has ended',
      ],
      ['vscode', { hookEventName: 'Stop', sessionId: 'v', cwd: '/p' }, /^notice:done:/, 'The turn has ended'],
      [
        'cursor',
        { hook_event_name: 'stop', conversation_id: 'u', workspace_roots: ['/p'], status: 'error' },
        /^notice:failed:/,
        'The turn has failed',
      ],
    ];
    for (const [agent, input, key, text] of expected) {
      const before = new Set((await desk.pending()).map((one) => one.key));
      // Agents that cannot go on with an answer get a notice in place of a question.
      const args = ['goose', 'cline', 'vscode'].includes(agent) ? ['--stop', 'ask'] : [];
      await isSilent(desk.hook(agent, input, { args }));
      const fresh = (await desk.pending()).find((one) => !before.has(one.key));
      assert.match(fresh?.key ?? '', key, `${agent} ${JSON.stringify(input)}`);
      assert.equal(fresh.prompt.text, text);
      assert.equal(fresh.prompt.project_directory, '/p');
    }
    const silent = [
      ['gemini', { ...kGeminiPermission, notification_type: 'Other' }],
      [
        'copilot',
        {
          sessionId: 'p',
          cwd: '/p',
          hook_event_name: 'Notification',
          message: 'x',
          notification_type: 'shell_completed',
        },
      ],
      ['goose', { event: 'PreToolUse', session_id: 'o', tool_name: 'shell', tool_input: {} }],
      ['cline', { hookName: 'PreToolUse', taskId: 'c' }],
    ];
    const before = await desk.latest();
    for (const [agent, input] of silent) await isSilent(desk.hook(agent, input));
    assert.equal(await desk.latest(), before);
  }),
);

test(
  'without a connected page serial agents ask by themselves at once',
  atDesk(async (desk) => {
    const gated = {
      event: 'PreToolUse',
      session_id: 's',
      cwd: '/p',
      tool_name: 'bash',
      tool_input: { command: 'make' },
    };
    await isSilent(desk.hook('codex', kMake));
    await isSilent(desk.hook('crush', gated, { args: ['--gate', 'bash'] }));
    await isSilent(desk.hook('claude', kMake, { args: ['--when-nobody', 'pass'] }));
    await isSilent(
      desk.hook(
        'gemini',
        { session_id: 'g', cwd: '/p', hook_event_name: 'AfterAgent', prompt_response: 'x' },
        { args: ['--stop', 'ask'] },
      ),
    );
    assert.equal(await desk.latest(), undefined, 'nothing was asked');
    const asked = desk.hook('codex', kMake, { args: ['--when-nobody', 'ask'] });
    await desk.untilPending(1);
    asked.child.kill('SIGTERM');
    await isSilent(asked);
    const screen = await desk.openScreen();
    const seen = desk.hook('codex', kMake);
    await desk.answer((await desk.untilPending(1))[0], 'Allow once');
    assert.equal((await seen.ended).out, kAllowed);
    const latest = await desk.latest();
    screen.end();
    await desk.untilScreens(0);
    await isSilent(desk.hook('codex', kMake));
    assert.equal(await desk.latest(), latest);
    assert.match(
      readFileSync(join(desk.server.data, 'hook.log'), 'utf8'),
      /codex PermissionRequest: no page is connected, and no notification reaches anybody\n$/,
    );
  }),
);

test(
  'a server that does not count pages is asked',
  folder((path) =>
    withServer(
      (_, response) => response.end('{"name":"old"}'),
      async (port, calls) => {
        await isSilent(new Hook(['codex', '--data', path, '--config', settingsFor(path, port), '--wait', '1'], kMake));
        assert.deepEqual([calls[0], calls.length > 1], ['/v1/me?notified=true', true]);
      },
    ),
  ),
);

test(
  'a notification that would tell of it is somebody',
  folder((path) =>
    withServer(
      (_, response) => response.end('{"screens":0,"notified":1}'),
      async (port, calls) => {
        await isSilent(new Hook(['codex', '--data', path, '--config', settingsFor(path, port), '--wait', '1'], kMake));
        assert.ok(calls.length > 1, 'it was asked');
      },
    ),
  ),
);

test(
  'with --somebody page it is nobody',
  folder((path) =>
    withServer(
      (_, response) => response.end('{"screens":0,"notified":1}'),
      async (port, calls) => {
        await isSilent(
          new Hook(
            ['codex', '--data', path, '--config', settingsFor(path, port), '--wait', '1', '--somebody', 'page'],
            kMake,
          ),
        );
        assert.deepEqual(calls, ['/v1/me'], 'it was not asked');
      },
    ),
  ),
);

test(
  'the log has outcomes, and no input and no token',
  atDesk(async (desk) => {
    const hook = desk.hook('claude', { ...kMake, tool_input: { command: 'secret-command' } });
    await desk.answer(await desk.question(), 'secret-reason');
    await hook.ended;
    await isSilent(desk.hook('claude', '{"secret-input"'));
    const file = join(desk.server.data, 'hook.log');
    const text = readFileSync(file, 'utf8');
    assert.match(text, /claude PermissionRequest: answered\n.*the input is not JSON\n/);
    assert.doesNotMatch(text, /secret/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  }),
);

test('--explain shows a person what would be asked', async () => {
  const shown = await new Hook(['--explain', 'claude'], kMake).ended;
  assert.equal(shown.code, 0);
  assert.match(shown.out, /Wants to run a command\.[^]*make[^]*- Allow once/);
  assert.equal((await new Hook(['--explain', 'claude'], '{}').ended).code, 2);
  const crush = { event: 'PreToolUse', tool_name: 'bash', tool_input: { command: 'make' } };
  assert.match((await new Hook(['--explain', 'crush', '--gate', 'bash'], crush).ended).out, /Wants to run a command/);
  assert.equal((await new Hook(['--explain', 'crush'], crush).ended).out, 'not asked: --gate does not name bash\n');
  assert.match((await new Hook(['--help'], '').ended).out, /parley hook AGENT/);
});
