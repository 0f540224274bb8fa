// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// agentassistant-input types into a real browser window, on an X server of the test.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { kFlags, kWhole } from './lib/browser.js';
import { until } from './lib/person.js';

const folder = mkdtempSync(join(tmpdir(), 'parley-e2e-typing-'));
let screen;
let env;
let browser;
let page;

function run(args, { input = '', display = env.DISPLAY } = {}) {
  const program = join(process.env.PARLEY_BIN_DIR, 'agentassistant-input');
  return spawnSync(program, args, { env: { ...env, DISPLAY: display }, input, encoding: 'utf8', timeout: 60_000 });
}

const windows = () => JSON.parse(run(['--list-windows']).stdout);
const base64 = (text) => Buffer.from(text).toString('base64');

async function field() {
  const box = page.locator('textarea');
  await box.fill('');
  await box.focus();
  return box;
}

before(async () => {
  screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1000x700x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [number] = await once(createInterface({ input: screen.stdout }), 'line');
  env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', DISPLAY: `:${number}` };
  browser = await chromium.launchPersistentContext(join(folder, 'browser'), {
    executablePath: kWhole,
    headless: false,
    args: kFlags.filter((flag) => flag !== '--headless'),
    env,
    viewport: null,
  });
  page = await browser.newPage();
  await page.setContent('<title>Notes</title><textarea rows="20" cols="80"></textarea>');
  // Tab would leave the field.
  await page.evaluate(() =>
    document.querySelector('textarea').addEventListener('keydown', (event) => {
      if (event.key !== 'Tab') return;
      event.preventDefault();
      document.execCommand('insertText', false, '\t');
    }),
  );
  await until(() => windows().some((each) => each.title.startsWith('Notes')), 'the window has its title');
});

after(async () => {
  await browser?.close();
  screen?.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

for (const [what, text] of Object.entries({
  'what the layout has keys for': 'Hello, World! ~@#$%^&*()_+{}|:"<>?`-=[]\\;\',./',
  'line ends and tabs': 'one\ntwo\tthree',
  'what the layout has no keys for': 'naïve façade — “quotes” €5 ½ ПРИВЕТ мир',
  Chinese: '你好，世界。\n这是一个测试：自动输入。',
  'characters beyond the first plane': 'aé你B😀z',
  'more new characters than there are free keys': Array.from({ length: 200 }, (_, at) =>
    String.fromCodePoint(0x4e00 + at),
  ).join(''),
})) {
  test(`types ${what}`, async () => {
    const box = await field();
    const { window_id: id } = windows().find((each) => each.title.startsWith('Notes'));
    const { status, stdout } = run(['--window-id', id, '-input64', base64(text)]);
    assert.equal(status, 0);
    assert.equal(stdout, 'using XTest\nSuccessfully typed the string.\n');
    await until(async () => (await box.inputValue()).length >= text.length, 'all has come').catch(() => undefined);
    assert.equal(await box.inputValue(), text);
  });
}

test('text from stdin is typed without carriage returns', async () => {
  const box = await field();
  assert.equal(run(['--stdin'], { input: 'one\r\ntwo' }).status, 0);
  await until(async () => (await box.inputValue()) === 'one\ntwo', 'the lines are typed');
});

test('a closed window gives exit code 3, and nothing is typed', async () => {
  const box = await field();
  const { status, stderr } = run(['--window-id', '123456', '--input', 'secret words']);
  assert.equal(status, 3);
  assert.match(stderr, /^ERR_WINDOW_NOT_FOUND /);
  assert.equal(await box.inputValue(), '');
});

test('a signal stops typing between two keys and restores the layout', async () => {
  const box = await field();
  const layout = () =>
    execFileSync('xkbcomp', [env.DISPLAY, '-'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const before = layout();
  const child = spawn(
    join(process.env.PARLEY_BIN_DIR, 'agentassistant-input'),
    ['--delay', '20', '--input', '大'.repeat(500)],
    { env, stdio: 'ignore' },
  );
  await until(async () => (await box.inputValue()).length > 5, 'it types');
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  assert.equal(code, 130);
  assert.ok((await box.inputValue()).length < 500);
  assert.equal(layout(), before);
});

// The program of a process, the signals that it handles as a mask, and its state: S sleeps.
function stateOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const handled = BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(status)[1]}`);
  return { program: readlinkSync(`/proc/${pid}/exe`), handled, state: /^State:\s*(\w)/m.exec(status)[1] };
}
const kInterrupt = 1n << 1n; // SIGINT is signal 2

for (const [when, isThen] of Object.entries({
  'before it has begun': ({ handled }) => (handled & kInterrupt) !== 0n,
  'during it': ({ handled, state }) => (handled & kInterrupt) !== 0n && state === 'S',
})) {
  test(`a signal ends the wait for stdin, ${when}`, async () => {
    const program = join(process.env.PARLEY_BIN_DIR, 'agentassistant-input');
    const child = spawn(program, ['--stdin'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.on('error', () => undefined); // it may end before it has read
    child.stdin.write('half of it');
    const isReady = (now) => now.program === realpathSync(program) && isThen(now);
    while (!isReady(stateOf(child.pid))) await nextTurn();
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    assert.equal(code, 130);
  });
}

// Presses keys as a person at the keyboard, independently of the program.
const press = (...args) => execFileSync('xdotool', args, { env });

test('Caps Lock is off during typing and restored afterwards', async () => {
  const box = await field();
  press('key', 'Caps_Lock');
  try {
    assert.equal(run(['--input', 'aB']).status, 0);
    press('key', 'c');
    await until(async () => (await box.inputValue()) === 'aBC', 'the person goes on in capitals');
  } finally {
    press('key', 'Caps_Lock');
  }
});

test('a held modifier turns no letter into a command', async () => {
  const box = await field();
  press('keydown', 'ctrl');
  try {
    assert.equal(run(['--input', 'abc']).status, 0);
    await until(async () => (await box.inputValue()) === 'abc', 'the letters are typed');
  } finally {
    press('keyup', 'ctrl');
  }
});

test('a missing screen is reported without the text to type', () => {
  const { status, stdout, stderr } = run(['--input', 'secret words'], { display: '' });
  assert.equal(status, 2);
  assert.match(stderr, /DISPLAY is not set/);
  assert.doesNotMatch(stdout + stderr, /secret/);
});
