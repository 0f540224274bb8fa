// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A hook as a process: silence as the fallback, who may call it, where it looks for the server, and how it withdraws.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { certificate } from '../e2e/lib/receivers.js';
import { holdLock } from '../lib/data_lock.mjs';
import { atDesk, Hook } from './hooks.js';

// Stops a process, and resolves when none of its threads runs any more.
async function stop({ pid }) {
  process.kill(pid, 'SIGSTOP');
  const stateOf = (thread) => /^.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))[1];
  while (readdirSync(`/proc/${pid}/task`).some((thread) => stateOf(thread) !== 'T')) await pause(1);
}

const kClaude = { session_id: 's', transcript_path: '/t', cwd: '/p', permission_mode: 'default' };
const kMake = { ...kClaude, hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'make' } };
const kGemini = { session_id: 'g', transcript_path: '/t', cwd: '/p', timestamp: '2026-11-26T10:00:00Z' };
const kGeminiPermission = { ...kGemini, hook_event_name: 'Notification', notification_type: 'ToolPermission', message: 'Tool Shell requires permission', details: { type: 'exec', command: 'make' } };
const kAllowed = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}\n';

async function isSilent(hook) {
  const { code, err, out, signal } = await hook.ended;
  assert.deepEqual({ code, err, out, signal }, { code: 0, err: '', out: '', signal: null });
}

function folder(use) {
  return async () => {
    const path = mkdtempSync(join(tmpdir(), 'parley-hook-'));
    try {
      await use(path);
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  };
}

// A server of another, which counts its connections.
async function withPlanted(use) {
  let connections = 0;
  const server = createServer((_, response) => response.end('{}'));
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
    assert.equal(connections, 0, 'no connection to the planted server');
  } finally {
    server.close();
  }
}

// The file of a running server. Its lock is held, so that only the place and the process tell it from a real one.
async function plant(path, url, pid = process.pid) {
  mkdirSync(join(path, 'parley'), { recursive: true });
  const lock = await holdLock(join(path, 'parley'));
  const file = join(path, 'parley', 'endpoint.json');
  writeFileSync(file, JSON.stringify({ url, token: 'planted-token-planted-token', pid }));
  chmodSync(file, 0o600);
  return lock;
}

test('no server: silence', folder(async (path) => {
  await isSilent(new Hook(['claude', '--data', path], kMake));
}));

test('a server that refuses or is silent: silence, at once', folder(async (path) => {
  const silent = createServer(() => undefined);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  for (const port of [1, silent.address().port]) {
    for (const [agent, input] of [['claude', kMake], ['codex', kMake], ['gemini', kGeminiPermission]]) {
      await isSilent(new Hook([agent, '--data', path, '--config', settingsFor(path, port), '--wait', '1'], input));
    }
  }
  silent.closeAllConnections();
  silent.close();
}));

// A server with these settings in a file.
function settingsFor(path, port) {
  const config = join(path, 'config.toml');
  writeFileSync(config, `agentassistant_server_port = ${port}\nagentassistant_server_token = "t"\n`);
  return config;
}

// Calls `use(port, calls)` with a server that answers by `answer`; `calls` has the paths asked for.
async function withServer(answer, use) {
  const calls = [];
  const server = createServer((request, response) => {
    calls.push(request.url);
    request.resume();
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(server.address().port, calls);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a server that is never ready: asked again, then silence', folder((path) => withServer((_, response) => response.writeHead(503).end('{}'), async (port, calls) => {
  await isSilent(new Hook(['claude', '--data', path, '--config', settingsFor(path, port), '--wait', '1'], kMake));
  assert.ok(calls.length > 1, `${calls.length} attempts`);
})));

test('a server that is late to say who is there is asked', folder((path) => withServer((request, response) => {
  const counts = request.url.startsWith('/v1/me');
  if (counts) setTimeout(() => response.end('{"screens":1}'), 1000);
  else response.writeHead(401).end('{}');
}, async (port, calls) => {
  await isSilent(new Hook(['codex', '--data', path, '--config', settingsFor(path, port), '--wait', '5'], kMake));
  assert.match(calls.at(-1), /AskQuestion$/);
})));

test('a connection that is closed within the answer: silence', folder((path) => withServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/proto', 'Content-Length': 100 });
  response.write('half', () => request.socket.destroy());
}, async (port, calls) => {
  await isSilent(new Hook(['claude', '--data', path, '--config', settingsFor(path, port), '--wait', '1'], kMake));
  assert.ok(calls.length > 0, 'it was asked');
})));

test('a token that is refused: silence', atDesk(async (desk) => {
  const config = settingsFor(desk.server.home, desk.server.port);
  for (const agent of ['claude', 'codex']) await isSilent(desk.hook(agent, kMake, { args: ['--config', config] }));
}));

test('bad input: silence, and no question', atDesk(async (desk) => {
  const deep = '{"a":'.repeat(66) + '1' + '}'.repeat(66);
  const inputs = ['', '[]', '{', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), deep, Buffer.alloc(17 << 20, 0x20), { ...kMake, tool_input: 'make' }, { ...kMake, hook_event_name: 'Odd' }];
  for (const input of inputs) await isSilent(desk.hook('claude', input));
  const open = desk.hook('claude', '{"a":1', { keepOpen: true });
  const { ms } = await open.ended;
  assert.ok(ms < 60_000, 'stdin that does not end is not waited for');
  assert.deepEqual(await desk.pending(), []);
}));

test('wrong usage: silence', atDesk(async (desk) => {
  for (const args of [[], ['nobody'], ['clade'], ['claude', 'codex'], ['claude', '--odd', 'x'], ['claude', '--wait', '0'], ['claude', '--data'], ['claude', '--data', 'relative'], ['crush', '--gate', ','], ['claude', '--when-nobody', 'wait']]) {
    await isSilent(new Hook(args, kMake));
  }
  assert.deepEqual(await desk.pending(), []);
}));

test('other programs that read the settings of Claude Code are not answered', atDesk(async (desk) => {
  for (const more of [{ cursor_version: '1' }, { hookEventName: 'PreToolUse' }, { sessionId: 's' }, { timestamp: 1 }]) {
    await isSilent(desk.hook('claude', { ...kMake, ...more }));
  }
  await isSilent(desk.hook('claude', kMake, { env: { CURSOR_VERSION: '1' } }));
  assert.deepEqual(await desk.pending(), []);
}));

test('a repository cannot name the server', folder(async (path) => withPlanted(async (url) => {
  const locks = [await plant(path, url), await plant(join(path, '.local/share'), url)];
  writeFileSync(join(path, 'agentassistant-mcp.toml'), `agentassistant_server_base_url = "${url}"\nagentassistant_server_token = "t"\n`);
  const data = join(path, 'data');
  mkdirSync(data);
  const env = { HOME: path, XDG_DATA_HOME: path, XDG_CONFIG_HOME: path, PARLEY_DATA: join(path, 'parley') };
  await isSilent(new Hook(['claude', '--data', data], kMake, { cwd: path, env }));
  for (const lock of locks) await lock.release();
})));

// An address of a documentation network, so that only a proxy could reach it.
const kFarAway = 'http://192.0.2.1:8080';
const kProxyVariables = ['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];

function farAway(path, url, more = '') {
  const config = join(path, 'config.toml');
  writeFileSync(config, `agentassistant_server_base_url = "${url}"\nagentassistant_server_token = "t"\n${more}`);
  return ['--data', path, '--config', config, '--wait', '1'];
}

test('a proxy of the environment gets nothing, whatever the hook sends', folder(async (path) => withPlanted(async (proxy) => {
  const env = Object.fromEntries(kProxyVariables.map((name) => [name, proxy]));
  for (const url of [kFarAway, kFarAway.replace('http:', 'https:')]) {
    const args = farAway(path, url);
    await isSilent(new Hook(['claude', ...args], kMake, { env }));
    await isSilent(new Hook(['codex', ...args], kMake, { env }));
    await isSilent(new Hook(['gemini', ...args], kGeminiPermission, { env }));
  }
})));

test('a proxy of the settings file is used, also against no_proxy', folder((path) => withServer((_, response) => response.writeHead(503).end(), async (port, calls) => {
  const args = farAway(path, kFarAway, `agentassistant_server_proxy = "http://127.0.0.1:${port}"\n`);
  await isSilent(new Hook(['claude', ...args], kMake, { env: { no_proxy: '*' } }));
  assert.match(calls[0] ?? '', /^http:\/\/192\.0\.2\.1:8080\//);
})));

test('no file of the environment gets TLS secrets', folder(async (path) => {
  const pair = certificate();
  const server = createTlsServer(pair);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const secrets = join(path, 'keys.log');
    const handshake = once(server, 'secureConnection');
    const args = farAway(path, `https://127.0.0.1:${server.address().port}`, `agentassistant_server_ca_file = "${pair.file}"\n`);
    await isSilent(new Hook(['claude', ...args], kMake, { env: { SSLKEYLOGFILE: secrets } }));
    await handshake;
    assert.equal(existsSync(secrets), false);
  } finally {
    server.close();
    rmSync(pair.folder, { recursive: true });
  }
}));

// The process id of a killed server can be that of another program by now, and its port too.
test('the file of a killed server is not followed', folder(async (path) => {
  const data = join(path, 'parley');
  await withServer((_, response) => response.writeHead(503).end(), async (port, calls) => {
    const lock = await plant(path, `http://127.0.0.1:${port}`);
    await isSilent(new Hook(['claude', '--data', data, '--wait', '1'], kMake));
    assert.ok(calls.length > 0, 'a server with its lock is called');
    await lock.release();
    calls.length = 0;
    await isSilent(new Hook(['claude', '--data', data, '--wait', '1'], kMake));
    assert.deepEqual(calls, []);
  });
}));

const kOtherUser = 65534;
const kNeedsRoot = process.getuid() === 0 ? false : 'only root can start a process of another user';

test('the server of another user is not called', { skip: kNeedsRoot }, folder(async (path) => withPlanted(async (url) => {
  const other = spawn('sleep', ['100'], { stdio: 'ignore', uid: kOtherUser, gid: kOtherUser });
  try {
    await once(other, 'spawn');
    const lock = await plant(path, url, other.pid);
    await isSilent(new Hook(['claude', '--data', join(path, 'parley')], kMake));
    await lock.release();
  } finally {
    other.kill('SIGKILL');
  }
})));

test('one call is asked about once, and again when it comes again', atDesk(async (desk) => {
  const first = desk.hook('claude', kMake);
  const question = await desk.question();
  await isSilent(desk.hook('claude', kMake));
  await desk.answer(question, 'Allow once');
  assert.equal((await first.ended).out, kAllowed);
  const again = desk.hook('claude', kMake);
  await desk.answer(await desk.question(question), 'Deny');
  assert.match((await again.ended).out, /"deny"/);
}));

test('a tool that has run withdraws its question', atDesk(async (desk) => {
  const hook = desk.hook('claude', kMake);
  const { key } = await desk.question();
  await isSilent(desk.hook('claude', { ...kMake, hook_event_name: 'PostToolUse', tool_input: { command: 'ls' } }));
  assert.equal((await desk.untilPending(1))[0].key, key, 'another input leaves it');
  await isSilent(desk.hook('claude', { ...kMake, hook_event_name: 'PostToolUse' }));
  await isSilent(hook);
  await desk.untilPending(0);
  const { outcome, state } = await desk.api('GET', `/v1/interactions/${key}`);
  assert.deepEqual([state, outcome.reason], ['cancelled', 'Answered in the terminal.']);
}));

test('a prompt names its action, and a command that a rule lets through is counted', atDesk(async (desk) => {
  const hook = desk.hook('claude', kMake);
  const question = await desk.question();
  const { prompt } = await desk.api('GET', `/v1/interactions/${question.key}`);
  assert.deepEqual(prompt.action, { agent: 'claude', tool: 'Bash', kind: 'command', subject: kMake.tool_input.command });
  await desk.answer(question, 'Deny');
  await hook.ended;

  const rules = join(desk.server.data, 'rules');
  mkdirSync(rules, { mode: 0o700 });
  writeFileSync(join(rules, 'rules.json'), JSON.stringify([{ id: 'r1', agent: 'claude', command: 'make', text: 'Bash(make)', file: '/f', made_at: 1, by: 'x' }]), { mode: 0o600 });
  for (const [name, command] of [['PostToolUse', 'make'], ['PostToolUseFailure', 'make'], ['PostToolUse', 'make x'], ['PostToolUse', 'ls']]) {
    await isSilent(desk.hook('claude', { ...kMake, hook_event_name: name, tool_input: { command } }));
  }
  const uses = JSON.parse(readFileSync(join(rules, 'uses-r1'), 'utf8'));
  assert.deepEqual([uses.count, uses.last.map(({ directory }) => directory)], [2, [kMake.cwd, kMake.cwd]]);
}));

test('the end of a turn withdraws what the main agent asked, that of a subagent what it asked', atDesk(async (desk) => {
  const subagent = desk.hook('claude', { ...kMake, agent_id: 'a1', agent_type: 'tester' });
  const question = await desk.question();
  assert.equal(question.prompt.agent_name, 'Claude Code (tester)');
  await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'Stop' }, { args: ['--stop', 'off'] }));
  assert.equal((await desk.untilPending(1)).length, 1);
  await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'SubagentStop', agent_id: 'a1' }));
  await isSilent(subagent);
  await desk.untilPending(0);
}));

test('signals withdraw the question', atDesk(async (desk) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    const hook = desk.hook('claude', kMake);
    await desk.untilPending(1);
    hook.child.kill(signal);
    await isSilent(hook);
    await desk.untilPending(0);
  }
}));

test('a closed stdout withdraws the question', atDesk(async (desk) => {
  const hook = desk.hook('claude', kMake);
  await desk.untilPending(1);
  hook.child.stdout.destroy();
  await hook.ended;
  await desk.untilPending(0);
}));

test('an answer that comes too late is told', atDesk(async (desk) => {
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
}));

test('the end of the agent withdraws the question', atDesk(async (desk) => {
  const agent = spawn('sleep', ['100'], { stdio: 'ignore' });
  const hook = desk.hook('claude', kMake, { env: { CLAUDE_PID: String(agent.pid) } });
  await desk.untilPending(1);
  agent.kill('SIGKILL');
  await once(agent, 'exit');
  await isSilent(hook);
  await desk.untilPending(0);
}));

test('an answer after a kill of the server arrives', atDesk(async (desk) => {
  const hook = desk.hook('claude', kMake);
  await desk.untilPending(1);
  await desk.server.kill();
  await pause(300);
  await desk.server.start();
  await desk.answer((await desk.untilPending(1))[0], 'Allow once');
  assert.equal((await hook.ended).out, kAllowed);
}));

test('a cut request cannot be allowed', atDesk(async (desk) => {
  const hook = desk.hook('claude', { ...kMake, tool_name: 'Write', tool_input: { file_path: '/p/a', content: 'x'.repeat(2 << 20) } });
  const { prompt } = await desk.question();
  assert.deepEqual(prompt.questions[0].choices.map(({ label }) => label), ['Deny', 'Deny and stop', 'Answer in the terminal']);
  assert.match(prompt.text, /\*\*\d+ bytes are left out here\.\*\*/);
  hook.child.kill('SIGTERM');
  await isSilent(hook);
}));

test('the ninth question of a session is silent', atDesk(async (desk) => {
  const hooks = Array.from({ length: 8 }, (_, at) => desk.hook('claude', { ...kMake, tool_input: { command: `make ${at}` } }));
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
}));

test('notices: the end of a turn, what waits, what failed; a later one takes the place', atDesk(async (desk) => {
  await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'Notification', notification_type: 'idle_prompt', message: 'Claude is waiting for your input' }));
  assert.match((await desk.untilPending(1))[0].key, /^notice:idle:/);
  await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'Notification', notification_type: 'permission_prompt', message: 'x' }));
  await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'Stop', last_assistant_message: 'All is built.\n\n- twice' }));
  let [notice] = await desk.untilPending(1);
  assert.match(notice.key, /^notice:done:/);
  assert.equal(notice.prompt.text, 'All is built.\n\n\n- twice');
  await isSilent(desk.hook('claude', { ...kClaude, hook_event_name: 'StopFailure', error: 'rate_limit' }));
  [notice] = await desk.untilPending(1);
  assert.match(notice.key, /^notice:failed:/);
  await isSilent(desk.hook('claude', { ...kClaude, session_id: 'b', hook_event_name: 'Stop', last_assistant_message: 'x', background_tasks: [{}] }));
  await isSilent(desk.hook('opencode', { event: 'session.idle', directory: '/p', properties: { sessionID: 'o' } }));
  await desk.untilPending(2);
}));

test('agents that only tell: notices, and no output', atDesk(async (desk) => {
  const expected = [
    ['gemini', kGeminiPermission, /^notice:waiting:/, 'Tool Shell requires permission\n\n```json\n{"type":"exec","command":"make"}\n```'],
    ['gemini', { ...kGemini, hook_event_name: 'AfterAgent', prompt_response: 'All is built.' }, /^notice:done:/, 'All is built.'],
    ['goose', { event: 'Stop', session_id: 'o', working_dir: '/p' }, /^notice:done:/, 'The turn has ended'],
    ['cline', { hookName: 'TaskComplete', taskId: 'c', workspaceRoots: ['/p'], taskComplete: { taskMetadata: { taskId: 'c' } } }, /^notice:done:/, 'The turn has ended'],
    ['cline', { hookName: 'Notification', taskId: 'c', workspaceRoots: ['/p'], notification: { message: 'May I?' } }, /^notice:waiting:/, 'May I?'],
    ['copilot', { sessionId: 'p', timestamp: 1, cwd: '/p', hook_event_name: 'Notification', message: 'Permission needed', notification_type: 'permission_prompt' }, /^notice:waiting:/, 'Permission needed'],
    ['copilot', { sessionId: 'p', timestamp: 1, cwd: '/p', transcriptPath: '/t', stopReason: 'end_turn' }, /^notice:done:/, 'The turn has ended'],
    ['vscode', { hookEventName: 'Stop', sessionId: 'v', cwd: '/p' }, /^notice:done:/, 'The turn has ended'],
    ['cursor', { hook_event_name: 'stop', conversation_id: 'u', workspace_roots: ['/p'], status: 'error' }, /^notice:failed:/, 'The turn has failed'],
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
  const silent = [['gemini', { ...kGeminiPermission, notification_type: 'Other' }], ['copilot', { sessionId: 'p', cwd: '/p', hook_event_name: 'Notification', message: 'x', notification_type: 'shell_completed' }], ['goose', { event: 'PreToolUse', session_id: 'o', tool_name: 'shell', tool_input: {} }], ['cline', { hookName: 'PreToolUse', taskId: 'c' }]];
  const before = await desk.latest();
  for (const [agent, input] of silent) await isSilent(desk.hook(agent, input));
  assert.equal(await desk.latest(), before);
}));

test('without a connected page serial agents ask by themselves at once', atDesk(async (desk) => {
  const gated = { event: 'PreToolUse', session_id: 's', cwd: '/p', tool_name: 'bash', tool_input: { command: 'make' } };
  await isSilent(desk.hook('codex', kMake));
  await isSilent(desk.hook('crush', gated, { args: ['--gate', 'bash'] }));
  await isSilent(desk.hook('claude', kMake, { args: ['--when-nobody', 'pass'] }));
  await isSilent(desk.hook('gemini', { session_id: 'g', cwd: '/p', hook_event_name: 'AfterAgent', prompt_response: 'x' }, { args: ['--stop', 'ask'] }));
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
  assert.match(readFileSync(join(desk.server.data, 'hook.log'), 'utf8'), /codex PermissionRequest: no page is connected, and no notification reaches anybody\n$/);
}));

test('a server that does not count pages is asked', folder((path) => withServer((_, response) => response.end('{"name":"old"}'), async (port, calls) => {
  await isSilent(new Hook(['codex', '--data', path, '--config', settingsFor(path, port), '--wait', '1'], kMake));
  assert.deepEqual([calls[0], calls.length > 1], ['/v1/me?notified=true', true]);
})));

test('a notification that would tell of it is somebody', folder((path) => withServer((_, response) => response.end('{"screens":0,"notified":1}'), async (port, calls) => {
  await isSilent(new Hook(['codex', '--data', path, '--config', settingsFor(path, port), '--wait', '1'], kMake));
  assert.ok(calls.length > 1, 'it was asked');
})));

test('with --somebody page it is nobody', folder((path) => withServer((_, response) => response.end('{"screens":0,"notified":1}'), async (port, calls) => {
  await isSilent(new Hook(['codex', '--data', path, '--config', settingsFor(path, port), '--wait', '1', '--somebody', 'page'], kMake));
  assert.deepEqual(calls, ['/v1/me'], 'it was not asked');
})));

test('the log has outcomes, and no input and no token', atDesk(async (desk) => {
  const hook = desk.hook('claude', { ...kMake, tool_input: { command: 'secret-command' } });
  await desk.answer(await desk.question(), 'secret-reason');
  await hook.ended;
  await isSilent(desk.hook('claude', '{"secret-input"'));
  const file = join(desk.server.data, 'hook.log');
  const text = readFileSync(file, 'utf8');
  assert.match(text, /claude PermissionRequest: answered\n.*the input is not JSON\n/);
  assert.doesNotMatch(text, /secret/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
}));

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
