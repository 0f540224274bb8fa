// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Inputs that coding agents gave their hooks (inputs/), through the program to a person and back, as the agent reads it.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { effectOf } from './agents.js';
import { atDesk, Hook } from './hooks.js';

const kInputs = new URL('inputs/', import.meta.url);
const input = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, kInputs), 'utf8'));
const agentOf = (name) => name.slice(0, name.indexOf('-'));

const kAlways = ['Always 1', 'Always 2'];
const kBash = { command: 'touch made-by-agent', description: 'Create an empty file' };
const kQuestionInput = input('claude-2.1.332-PermissionRequest-AskUserQuestion').tool_input;
const refuses = (reason, stops = false) => ({ does: 'refuses', reason, stops });
const kDenied = refuses('The person denied this.');

// An input, the answers of the person in turn, and the effect. `labels`: of the first question; `shows`, `hides`: parts of its text.
const kCases = [
  // Claude Code
  {
    name: 'claude-2.1.332-PermissionRequest-Bash',
    replies: ['Allow once'],
    labels: ['Allow once', ...kAlways, 'Edit command', 'Deny', 'Deny and stop', 'Answer in the terminal'],
    effect: { does: 'runs', input: kBash, rules: [] },
  },
  {
    name: 'claude-2.1.332-PermissionRequest-Bash',
    replies: ['Always 2'],
    effect: { does: 'runs', input: kBash, rules: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] },
  },
  {
    name: 'claude-2.1.332-PermissionRequest-Bash',
    replies: ['Edit command', 'ls'],
    effect: { does: 'runs', input: { ...kBash, command: 'ls' }, rules: [] },
  },
  {
    name: 'claude-2.1.332-PermissionRequest-Bash-subagent',
    replies: ['Deny and stop'],
    asker: 'Claude Code (general-purpose)',
    effect: refuses('The person denied this.', true),
  },
  {
    name: 'claude-2.1.332-PermissionRequest-Edit',
    replies: ['Deny, not this file'],
    shows: ['-beta\n+gamma'],
    effect: refuses('not this file'),
  },
  {
    name: 'claude-2.1.332-PermissionRequest-Write',
    replies: ['Answer in the terminal'],
    shows: ['line one\nline two'],
    effect: { does: 'asks' },
  },
  {
    name: 'claude-2.1.332-PermissionRequest-mcp-ask_question',
    replies: ['Always 1'],
    labels: ['Always 1', 'Allow once', 'Deny', 'Deny and stop', 'Answer in the terminal'],
    shows: ['May it ask you through Parley? The question itself comes next', 'tabs or spaces?'],
    effect: {
      does: 'runs',
      input: input('claude-2.1.332-PermissionRequest-mcp-ask_question').tool_input,
      rules: input('claude-2.1.332-PermissionRequest-mcp-ask_question').permission_suggestions,
    },
  },
  {
    name: 'claude-2.1.332-PermissionRequest-AskUserQuestion',
    replies: ['Q: Database\nA: Postgres\nQ: Features\nA: Search, Export'],
    effect: {
      does: 'runs',
      input: { ...kQuestionInput, answers: { 'Which database?': 'Postgres', 'Which features?': 'Search, Export' } },
      rules: [],
    },
  },
  {
    name: 'claude-2.1.332-PermissionRequest-ExitPlanMode-plan',
    replies: ['Keep planning, with tests'],
    labels: ['Keep planning', 'Answer in the terminal'],
    shows: ['The plan cannot be shown here.'],
    effect: refuses('with tests'),
  },
  {
    name: 'claude-2.1.332-PermissionRequest-ExitPlanMode-plan',
    replies: ['Approve', 'Approve'],
    effect: { does: 'asks' },
  },
  {
    name: 'claude-2.1.332-Stop',
    args: ['--stop', 'ask'],
    replies: ['Done'],
    shows: ['All done.'],
    effect: { does: 'nothing' },
  },
  {
    name: 'claude-2.1.332-Stop',
    args: ['--stop', 'ask'],
    replies: ['now the tests'],
    effect: { does: 'goes on', reason: 'now the tests' },
  },
  // Codex
  {
    name: 'codex-0.171.0-PermissionRequest-Bash',
    replies: ['Allow once'],
    labels: ['Allow once', 'Deny', 'Answer in the terminal'],
    effect: { does: 'runs', input: input('codex-0.171.0-PermissionRequest-Bash').tool_input, rules: [] },
  },
  { name: 'codex-0.171.0-PermissionRequest-Bash', replies: ['Deny'], effect: kDenied },
  {
    name: 'codex-0.171.0-PreToolUse-request_user_input',
    args: ['--questions', 'on'],
    replies: ['Q: Database\nA: SQLite'],
    effect: refuses('The person answered: SQLite (Recommended)'),
  },
  {
    name: 'codex-0.171.0-Stop',
    args: ['--stop', 'ask'],
    replies: ['now the tests'],
    effect: { does: 'goes on', reason: 'now the tests' },
  },
  // Qwen Code
  {
    name: 'qwen-0.24.4-PermissionRequest-run_shell_command',
    replies: ['Allow once'],
    effect: { does: 'runs', input: input('qwen-0.24.4-PermissionRequest-run_shell_command').tool_input, rules: [] },
  },
  { name: 'qwen-0.24.4-PermissionRequest-edit', replies: ['Deny'], shows: ['-beta\n+gamma'], effect: kDenied },
  {
    name: 'qwen-0.24.4-PermissionRequest-mcp-ask_question',
    replies: ['Allow once'],
    shows: ['May it ask you through Parley?'],
    effect: { does: 'runs', input: input('qwen-0.24.4-PermissionRequest-mcp-ask_question').tool_input, rules: [] },
  },
  {
    name: 'qwen-0.24.4-PermissionRequest-exit_plan_mode-plan',
    replies: ['Keep planning'],
    labels: ['Keep planning', 'Answer in the terminal'],
    shows: ['# The plan\n\n1. Do a'],
    effect: refuses('The person wants you to keep planning.'),
  },
  {
    name: 'qwen-0.24.4-PermissionRequest-ask_user_question',
    replies: ['Postgres, with search'],
    labels: ['Deny', 'Deny and stop', 'Answer in the terminal'],
    shows: ['Which database?\n- SQLite: one file\n- Postgres: a server\n\nWhich features?'],
    hides: ['"questions"'],
    effect: refuses('Postgres, with search'),
  },
  {
    name: 'qwen-0.24.4-PermissionRequest-ask_user_question',
    args: ['--questions', 'on'],
    replies: ['Q: Database\nA: Postgres\nQ: Features\nA: Search, Export'],
    effect: refuses('The person answered: Postgres; Search, Export'),
  },
  {
    name: 'qwen-0.24.4-Stop',
    args: ['--stop', 'ask'],
    replies: ['now the tests'],
    effect: { does: 'goes on', reason: 'now the tests' },
  },
  // OpenCode
  {
    name: 'opencode-1.18.33-permission-asked-bash',
    replies: ['Always'],
    shows: ['```sh\ntouch made-by-agent\n```'],
    hides: ['per_x1', 'ses_x1', 'msg_x1', 'call_x1'],
    effect: { does: 'runs', input: { command: 'touch made-by-agent' }, rules: ['touch *'] },
  },
  {
    name: 'opencode-1.18.33-permission-asked-edit',
    replies: ['Deny, not this file'],
    shows: ['Wants to change a file.', '/home/USER/project/e.txt\n```', '@@ -1,2 +1,2 @@\n alpha\n-beta\n+gamma\n```'],
    hides: ['\\n', 'call_x1'],
    effect: refuses('not this file'),
  },
  {
    name: 'opencode-1.18.33-question-asked',
    replies: ['Q: Database\nA: Postgres\nQ: Features\nA: Search, Export'],
    effect: { does: 'runs', input: [['Postgres'], ['Search', 'Export']], rules: [] },
  },
  // Copilot CLI
  {
    name: 'copilot-1.0.102-permissionRequest-bash',
    args: ['--gate', 'bash,edit'],
    replies: ['Allow once'],
    labels: ['Allow once', 'Deny', 'Deny and stop', 'Answer in the terminal'],
    shows: ['Wants to run a command.\n\n```sh\ntouch made-by-agent\n```'],
    effect: { does: 'runs', input: { command: 'touch made-by-agent' }, rules: [] },
  },
  {
    name: 'copilot-1.0.102-permissionRequest-bash',
    args: ['--gate', 'bash,edit'],
    replies: ['Deny and stop'],
    effect: refuses('The person denied this.', true),
  },
  {
    name: 'copilot-1.0.102-permissionRequest-edit',
    args: ['--gate', 'bash,edit'],
    replies: ['Deny, use git'],
    shows: ['Wants to change a file.', '/home/USER/project/w.txt\n```', '+line one\n+\n'],
    hides: ['\\n'],
    effect: refuses('use git'),
  },
  {
    name: 'copilot-1.0.102-agentStop',
    args: ['--stop', 'ask'],
    replies: ['now the tests'],
    effect: { does: 'goes on', reason: 'now the tests' },
  },
  // Gemini CLI
  {
    name: 'gemini-0.61.0-AfterAgent',
    args: ['--stop', 'ask'],
    replies: ['now the tests'],
    effect: { does: 'goes on', reason: 'now the tests' },
  },
];

function checkQuestion({ prompt }, { asker, hides = [], labels, shows = [] }) {
  if (asker) assert.equal(prompt.agent_name, asker);
  if (labels)
    assert.deepEqual(
      prompt.questions[0].choices.map(({ label }) => label),
      labels,
    );
  for (const part of shows)
    assert.ok(prompt.text.includes(part), `${JSON.stringify(part)} is in ${JSON.stringify(prompt.text)}`);
  for (const part of hides)
    assert.ok(!prompt.text.includes(part), `${JSON.stringify(part)} is not in ${JSON.stringify(prompt.text)}`);
}

test('the effect of an answer in the agent', async (t) => {
  await atDesk(async (desk) => {
    await desk.openScreen();
    for (const one of kCases) {
      await t.test(`${one.name} ${one.args ?? ''}: ${one.replies}`, async () => {
        const said = input(one.name);
        const agent = agentOf(one.name);
        const hook = desk.hook(agent, said, { args: one.args });
        let question;
        for (const reply of one.replies) {
          question = await desk.question(question);
          if (reply === one.replies[0]) checkQuestion(question, one);
          await desk.answer(question, reply);
        }
        assert.deepEqual(effectOf(agent, said, await hook.ended), one.effect);
        assert.deepEqual(await desk.pending(), []);
      });
    }
  })();
});

// A folder of Claude Code with a plan, which its events name.
function withPlan(desk, plan) {
  const folder = join(desk.server.home, '.claude');
  const file = join(folder, 'plans', 'foamy-bouncing-fern.md');
  mkdirSync(join(folder, 'plans'), { recursive: true });
  writeFileSync(file, plan);
  const write = input('claude-2.1.332-PostToolUse-Write-plan');
  write.tool_input.file_path = file;
  return { args: ['--agent-folder', folder], file, write };
}

const kExit = input('claude-2.1.332-PermissionRequest-ExitPlanMode-plan');

for (const [label, rules] of [
  ['Approve', []],
  ['Approve, accept edits', [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]],
]) {
  test(
    `Claude Code begins with a plan that was shown: ${label}`,
    atDesk(async (desk) => {
      const { args, write } = withPlan(desk, '# The plan\n\n1. Do a\n2. Do b\n');
      await desk.hook('claude', write, { args }).ended;
      const hook = desk.hook('claude', kExit, { args });
      const question = await desk.question();
      checkQuestion(question, {
        labels: ['Approve', 'Approve, accept edits', 'Keep planning', 'Answer in the terminal'],
        shows: ['The plan:\n\n# The plan\n\n1. Do a\n2. Do b'],
      });
      await desk.answer(question, label);
      assert.deepEqual(effectOf('claude', kExit, await hook.ended), { does: 'runs', input: {}, rules });
    }),
  );
}

test(
  '--explain shows the plan too',
  atDesk(async (desk) => {
    const { args, write } = withPlan(desk, '# The plan\n\n1. Do a\n');
    await desk.hook('claude', write, { args }).ended;
    assert.match(
      (await desk.hook('claude', kExit, { args: [...args, '--explain'] }).ended).out,
      /1\. Do a[^]*- Approve\n/,
    );
  }),
);

test(
  'a plan that changes while it is shown is not approved',
  atDesk(async (desk) => {
    const { args, file, write } = withPlan(desk, '# The plan\n');
    await desk.hook('claude', write, { args }).ended;
    const hook = desk.hook('claude', kExit, { args });
    const question = await desk.question();
    writeFileSync(file, '# Another plan\n');
    await desk.answer(question, 'Approve');
    assert.deepEqual(effectOf('claude', kExit, await hook.ended), { does: 'asks' });
  }),
);

test(
  'a plan above the limit is cut and cannot be approved',
  atDesk(async (desk) => {
    const { args, write } = withPlan(desk, 'x'.repeat(2 << 20));
    await desk.hook('claude', write, { args }).ended;
    const hook = desk.hook('claude', kExit, { args });
    const question = await desk.question();
    checkQuestion(question, { labels: ['Keep planning', 'Answer in the terminal'] });
    await desk.answer(question, 'Answer in the terminal');
    assert.deepEqual(effectOf('claude', kExit, await hook.ended), { does: 'asks' });
  }),
);

test(
  'Claude Code without a person is not held up by a hook that nobody sees',
  atDesk(async (desk) => {
    const env = { CLAUDE_CODE_SESSION_ATTENDED: '0' };
    const said = input('claude-2.1.332-PermissionRequest-Bash');
    assert.deepEqual(effectOf('claude', said, await desk.hook('claude', said, { env }).ended), { does: 'asks' });
    assert.equal(await desk.latest(), undefined, 'nothing was asked');
    await desk.openScreen();
    const hook = desk.hook('claude', said, { env });
    await desk.answer(await desk.question(), 'Allow once');
    assert.equal(effectOf('claude', said, await hook.ended).does, 'runs');
  }),
);

// Notices: the input, the kind of the notice and its text; null: none.
const kNotices = [
  ['claude-2.1.332-Notification-idle_prompt', 'idle', 'Claude is waiting for your input'],
  ['claude-2.1.332-Stop', 'done', 'All done.'],
  ['codex-0.171.0-Stop', 'done', 'All done.'],
  ['qwen-0.24.4-Stop', 'done', 'I only talk.'],
  ['opencode-1.18.33-session-idle', 'done', 'The turn has ended'],
  ['opencode-1.18.33-session-error', null],
  ['copilot-1.0.102-Notification-permission_prompt', 'waiting', 'Run command: touch made-by-agent'],
  ['copilot-1.0.102-agentStop', 'done', 'The turn has ended'],
  ['gemini-0.61.0-AfterAgent', 'done', 'I only talk.'],
  ['gemini-0.61.0-Notification-ToolPermission', 'waiting', 'Tool Confirm Shell Command requires execution'],
  ['cline-3.0.65-agent_end', 'done', 'I only talk.'],
];

test('notices', async (t) => {
  for (const [name, kind, text] of kNotices) {
    await t.test(
      name,
      atDesk(async (desk) => {
        const said = input(name);
        const agent = agentOf(name);
        assert.deepEqual(effectOf(agent, said, await desk.hook(agent, said).ended), { does: 'nothing' });
        const [notice] = await desk.pending();
        if (kind === null) return assert.equal(notice, undefined);
        assert.match(notice.key, new RegExp(`^notice:${kind}:`));
        assert.equal(notice.prompt.text.split('\n')[0], text);
        assert.equal(notice.prompt.project_directory, '/home/USER/project');
      }),
    );
  }
});

test(
  'the last words of a turn stay when Claude Code then waits',
  atDesk(async (desk) => {
    const idle = input('claude-2.1.332-Notification-idle_prompt');
    await desk.hook('claude', input('claude-2.1.332-Stop')).ended;
    await desk.hook('claude', idle).ended;
    assert.deepEqual(
      (await desk.pending()).map(({ prompt }) => prompt.text),
      ['All done.'],
    );
    await desk.hook('claude', input('claude-2.1.332-UserPromptSubmit')).ended;
    await desk.hook('claude', idle).ended;
    assert.deepEqual(
      (await desk.untilPending(1)).map(({ prompt }) => prompt.text),
      ['Claude is waiting for your input'],
    );
  }),
);

test(
  'the end of a turn of a subagent of Cline is not told',
  atDesk(async (desk) => {
    await desk.hook('cline', { ...input('cline-3.0.65-agent_end'), parent_agent_id: 'agent_x0' }).ended;
    await desk.hook('cline', { ...input('cline-3.0.65-agent_end'), turn: { outputText: '', status: 'aborted' } }).ended;
    assert.deepEqual(await desk.pending(), []);
  }),
);

test(
  'a question whose agent was killed says so',
  atDesk(async (desk) => {
    const hook = desk.hook('claude', input('claude-2.1.332-PermissionRequest-Bash'));
    const { key } = await desk.question();
    hook.child.stdout.destroy();
    await hook.ended;
    await desk.untilPending(0);
    assert.equal((await desk.api('GET', `/v1/interactions/${key}`)).outcome.reason, 'The agent has ended.');
  }),
);

// Events that say nothing to a person; the program ends without a word.
const kProgress = /PostToolUse|UserPromptSubmit|SessionEnd/;

test('each recorded input is understood', async (t) => {
  for (const file of readdirSync(kInputs)) {
    await t.test(file, async () => {
      const name = file.replace('.json', '');
      const args = [
        '--explain',
        agentOf(name),
        '--questions',
        'on',
        '--gate',
        'bash,edit,Bash,Edit,Write,AskUserQuestion,ExitPlanMode,ask_user_question,exit_plan_mode,run_shell_command,request_user_input,question,mcp__agent-assistant__ask_question',
      ];
      const { code, out } = await new Hook(args, input(name)).ended;
      assert.equal(code, 0, out);
      if (!kProgress.test(name)) assert.doesNotMatch(out, /not asked/);
    });
  }
});
