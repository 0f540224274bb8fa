// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The desktop program with real servers, real agents and real windows.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../e2e/lib/person.js';
import { Server } from '../e2e/lib/server.js';
import { Stage } from '../e2e/lib/stage.js';
import { Desk, entry } from './lib/desktop.js';

const kWindow = '^(home|Waiting|Parley)$';

// A test with a desk and a started server.
const atDesk = (play) => async () => {
  const stage = new Stage();
  const desk = await Desk.open();
  try {
    await stage.server.start();
    await play(desk, stage);
  } finally {
    await desk.close();
    await stage.end();
  }
};

// A page that stands in for the console, to see what its window allows it. `hits`: requested paths.
async function standIn(body) {
  const hits = [];
  const server = createServer((request, response) => {
    hits.push(request.url);
    if (request.url === '/notes.bin') {
      response.writeHead(200, {
        'Content-Type': 'text/plain',
        'Content-Disposition': 'attachment; filename="notes.bin"',
      });
      response.end('saved words');
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(
      `<!doctype html><body style="margin:0"><script>history.replaceState(null, '', '/#/inbox')</script>${body}`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { hits, token: 'stand-in', url: `http://127.0.0.1:${server.address().port}`, end: () => server.close() };
}

test(
  'the first start takes the server of this computer, and keeps its token to itself',
  atDesk(async (desk, { server }) => {
    mkdirSync(join(desk.home, '.local', 'share'), { recursive: true });
    execFileSync('ln', ['-s', server.data, join(desk.home, '.local', 'share', 'parley')]);
    const desktop = desk.start();
    await desktop.untilSignedIn();
    assert.deepEqual(desktop.state.page, `${server.url}/#/inbox`);
    assert.equal(desktop.state.tray, 'connected');
    assert.equal(desktop.state.typing, false);
    assert.equal(statSync(desk.settingsFile).mode & 0o777, 0o600);
    const settings = readFileSync(desk.settingsFile, 'utf8');
    const token = /token = ['"]([^'"]+)['"]/.exec(settings)[1];
    assert.equal(await desk.icon('IconName'), 'parley-connected');
    assert.equal(await desktop.end(), 0);
    assert.equal(desktop.said.includes(token), false, desktop.said);
  }),
);

test(
  'without a server the first start asks for one, and says what is wrong with it',
  atDesk(async (desk, { server }) => {
    const desktop = desk.start();
    await desk.activate('^Connect to a server$');
    desk.type('ftp://nowhere');
    desk.xdo('key', 'Return');
    desk.xdo('key', 'ctrl+a'); // refused: the dialog and what was typed are still there
    desk.type(`${server.url}/?token=${server.token}`);
    desk.xdo('key', 'Return');
    await desktop.untilSignedIn();
    assert.equal(desktop.state.page, `${server.url}/#/inbox`);
    assert.match(readFileSync(desk.settingsFile, 'utf8'), /^alias = ['"]127\.0\.0\.1['"]$/m);
    assert.equal(desktop.said.includes(server.token), false);
  }),
);

test(
  'a question brings up the hidden window, and the answer typed there reaches the agent',
  atDesk(async (desk, stage) => {
    const desktop = desk.start(['--hidden'], entry('a', 'home', stage.server));
    await desktop.until(({ tray, visible }) => tray === 'connected' && !visible, 'it waits in the tray');
    const agent = await stage.agent();
    const answer = agent.ask('Which branch?', { timeout: 30 });
    await desktop.until(
      (state) => state.visible && state.on_top && state.tray === 'asking' && state.servers[0].waiting === 1,
      'the window comes up',
    );
    assert.equal(await desk.icon('Status'), 'NeedsAttention');
    for (const name of ['parley-connected', 'parley-asking']) {
      await until(async () => (await desk.icon('AttentionIconName')) === name, 'the icon blinks');
    }
    assert.deepEqual(desk.notifications, ['e2e-agent asks']);
    await desktop.untilSignedIn();
    await desk.activate(kWindow);
    await until(() => /\/seen -> 2/.test(stage.server.log), 'the page shows the question');
    desk.xdo('key', 'Return'); // puts the focus into the answer field
    desk.type('The main one');
    desk.xdo('key', 'ctrl+Return');
    assert.equal(await answer, 'The main one');
    await desktop.until(
      (state) => state.tray === 'connected' && !state.on_top && state.servers[0].waiting === 0,
      'nothing waits',
    );
    assert.equal(await desk.icon('Status'), 'Active');
  }),
);

test(
  'reports and questions have settings of their own, and a pause silences both',
  atDesk(async (desk, stage) => {
    const desktop = desk.start(
      ['--hidden'],
      `on_question = "popup"\non_report = "none"\n${entry('a', 'home', stage.server)}`,
    );
    await desktop.until(({ tray }) => tray === 'connected', 'it is connected');
    const agent = await stage.agent();
    agent.finish('All done').catch(() => undefined);
    await desktop.until((state) => state.servers[0].waiting === 1, 'the report is counted');
    assert.equal(desktop.state.visible, false);
    await desk.clickMenu('Pause notifications');
    await desktop.until((state) => state.paused, 'it pauses');
    agent.ask('Silent?').catch(() => undefined);
    await desktop.until((state) => state.servers[0].waiting === 2, 'the question is counted');
    assert.equal(desktop.state.visible, false);
    assert.deepEqual(desk.notifications, []);
    await desk.clickMenu('Pause notifications');
    await desktop.until((state) => !state.paused, 'it goes on');
    agent.ask('Heard?').catch(() => undefined);
    await desktop.until((state) => state.visible && !state.on_top, 'the window comes up');
  }),
);

test(
  'two servers share one list, and a card opens the page of its server',
  atDesk(async (desk, stage) => {
    const other = new Server();
    other.token = 'the-token-of-the-other';
    await other.start();
    try {
      const desktop = desk.start(
        [],
        `on_question = "tray"\n${entry('a', 'home', stage.server)}${entry('b', 'office', other)}`,
      );
      await desktop.until(({ servers }) => servers.every((each) => each.state === 'online'), 'both are connected');
      assert.equal(desktop.state.shown, 'waiting');
      const post = (server, text) =>
        fetch(`${server.url}/v1/interactions`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ key: `key of ${text}`, prompt: { text } }),
        });
      await post(other, 'asked at the office');
      await desktop.until(({ servers }) => servers[1].waiting === 1, 'the first is counted');
      await post(stage.server, 'asked at home');
      await desktop.until(({ servers }) => servers[0].waiting === 1, 'the second is counted');
      const id = await desk.activate(kWindow);
      desk.click(id, 600, 110); // the first card: the oldest question
      await desktop.until(
        ({ shown, page }) => shown === 'office' && page.startsWith(`${other.url}/#/inbox`),
        'its page is shown',
      );
      await fetch(`${other.url}/v1/interactions/${encodeURIComponent('key of asked at the office')}/answer`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${other.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ text: 'yes' }),
      });
      await desktop.until(({ servers }) => servers[1].waiting === 0 && servers[0].waiting === 1, 'one waits');
      assert.deepEqual(await stage.server.pending(), ['asked at home']);
    } finally {
      await other.end();
    }
  }),
);

test(
  'a server that goes and comes back is connected again, with what waits',
  atDesk(async (desk, stage) => {
    const desktop = desk.start([], entry('a', 'home', stage.server));
    await desktop.untilSignedIn();
    const agent = await stage.agent();
    const answer = agent.ask('Still there?').catch(() => undefined);
    await desktop.until((state) => state.servers[0].waiting === 1, 'it waits');
    await stage.server.kill();
    await desktop.until((state) => state.tray === 'offline', 'the icon shows it');
    assert.equal(await desk.icon('IconName'), 'parley-offline');
    await stage.server.start();
    await desktop.until((state) => state.tray === 'asking' && state.servers[0].waiting === 1, 'it is back');
    await agent.end();
    await answer;
  }),
);

test(
  'a server that was not there at the start is shown once it is',
  atDesk(async (desk, stage) => {
    await stage.server.kill();
    const desktop = desk.start([], entry('a', 'home', stage.server));
    await desktop.until(({ servers }) => servers[0].state === 'waiting', 'it is not there');
    await stage.server.start();
    await desktop.untilSignedIn();
  }),
);

test(
  'a page whose process has ended is loaded again',
  atDesk(async (desk, stage) => {
    const desktop = desk.start([], entry('a', 'home', stage.server));
    await desktop.untilSignedIn();
    desktop.killPages();
    await desktop.until(({ page }) => page === '', 'the page has ended');
    await desktop.untilSignedIn();
  }),
);

test(
  'a thousand questions are counted, and a few are notified',
  atDesk(async (desk, stage) => {
    const desktop = desk.start(['--hidden'], entry('a', 'home', stage.server));
    await desktop.until(({ tray }) => tray === 'connected', 'it is connected');
    const asked = Array.from({ length: 1000 }, (_, at) =>
      fetch(`${stage.server.url}/v1/interactions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${stage.server.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ key: `k${at}`, prompt: { text: `Question ${at}` } }),
      }),
    );
    assert.ok((await Promise.all(asked)).every(({ ok }) => ok));
    await desktop.until((state) => state.servers[0].waiting === 1000 && state.visible, 'all are counted');
    assert.equal(desk.notifications.length, 5);
    await desktop.untilSignedIn();
    assert.equal(desktop.state.shown, 'home');
    await desk.activate(kWindow);
    await desktop.until(({ shown }) => {
      if (shown !== 'waiting') desk.xdo('key', 'alt+0');
      return shown === 'waiting';
    }, 'it follows the keys');
  }),
);

test(
  'a refused token is shown and not tried again',
  atDesk(async (desk, stage) => {
    const desktop = desk.start([], entry('a', 'home', stage.server, 'a-wrong-token'));
    await desktop.until(({ servers }) => servers[0].state === 'denied', 'it is refused');
    assert.equal(desktop.said.includes('a-wrong-token'), false);
  }),
);

test(
  'a chat message from the phone is typed into the chosen window',
  atDesk(async (desk, stage) => {
    desk.run('xterm', ['-T', 'Notebook', '-e', 'cat > typed.txt']);
    desk.run('xterm', ['-T', 'Elsewhere', '-e', 'cat > elsewhere.txt']);
    await desk.window('^Notebook$');
    await desk.window('^Elsewhere$');
    const desktop = desk.start(
      ['--hidden'],
      `nickname = "desk"\ntyping = true\ntyping_window = "Notebook"\n${entry('a', 'home', stage.server)}`,
    );
    await desktop.until(({ tray, typing }) => tray === 'connected' && typing, 'it is connected');
    await desk.activate('^Elsewhere$');
    const phone = await stage.person();
    await phone.onlineUser().filter({ hasText: 'desk' }).click();
    await phone.say('From the phone: 你好');
    await desktop.until((state) => state.typed === 1, 'it is typed');
    await desk.activate('^Notebook$');
    desk.xdo('key', 'Return');
    await until(() => desk.read('typed.txt').includes('\n'), 'the other program has read it');
    assert.equal(desk.read('typed.txt'), 'From the phone: 你好\n');
    assert.equal(desk.read('elsewhere.txt'), '');

    await phone.say('x'.repeat(10_001));
    await desk.activate('^Parley$');
    desk.xdo('key', 'Escape'); // a long text is typed only if a person agrees
    await phone.say('after it');
    await desktop.until((state) => state.typed === 2, 'the next one is typed');
    assert.equal(desktop.state.typing_failure, '');
    await desk.activate('^Notebook$');
    desk.xdo('key', 'Return');
    await until(() => desk.read('typed.txt').includes('after it\n'), 'it was typed');
    assert.doesNotMatch(desk.read('typed.txt'), /xx/);

    desk.xdo('windowkill', await desk.window('^Notebook$'));
    await until(() => desk.windows('^Notebook$').length === 0, 'the window is gone');
    await phone.say('for nobody');
    await desktop.until((state) => /Notebook.*is not open/.test(state.typing_failure), 'the failure is shown');
    await until(() => desk.notifications.includes('A message was not typed'), 'the person is told');
    assert.equal(desktop.state.typed, 2);
  }),
);

test(
  'nothing is typed unless it was switched on',
  atDesk(async (desk, stage) => {
    desk.run('xterm', ['-T', 'Notebook', '-e', 'cat > typed.txt']);
    await desk.activate('^Notebook$');
    const desktop = desk.start(
      ['--hidden'],
      `nickname = "desk"\non_question = "tray"\n${entry('a', 'home', stage.server)}`,
    );
    await desktop.until(({ tray }) => tray === 'connected', 'it is connected');
    const phone = await stage.person();
    await phone.onlineUser().filter({ hasText: 'desk' }).click();
    await phone.say('not wanted');
    // A frame that follows the message on the same connection.
    await stage.server.settle('later', 'yes');
    const agent = await stage.agent();
    agent.ask('Later?').catch(() => undefined);
    await desktop.until((state) => state.servers[0].waiting === 1, 'a later frame has come');
    await desk.activate('^Notebook$');
    desk.xdo('key', 'Return');
    await until(() => desk.read('typed.txt') !== '', 'the other program has read the key');
    assert.equal(desk.read('typed.txt'), '\n');
    assert.equal(desktop.state.typed, 0);

    desk.act('typing'); // as the menu does
    await desktop.until((state) => state.typing, 'it is switched on');
    await desk.activate('^Notebook$');
    await phone.say('wanted');
    await desktop.until((state) => state.typed === 1, 'it is typed');
    desk.xdo('key', 'Return');
    await until(() => desk.read('typed.txt') === '\nwanted\n', 'the other program has read it');
    assert.match(readFileSync(desk.settingsFile, 'utf8'), /^typing = true$/m);
  }),
);

test(
  'closing goes to the tray, a second start shows the window, Quit ends it',
  atDesk(async (desk, stage) => {
    const desktop = desk.start([], `width = 900\nheight = 640\n${entry('a', 'home', stage.server)}`);
    await desktop.untilSignedIn();
    const id = await desk.activate(kWindow);
    desk.xdo('windowsize', '--sync', id, '1000', '700');
    desk.xdo('key', 'ctrl+w');
    await desktop.until((state) => !state.visible, 'it is in the tray');
    const second = desk.start();
    assert.equal(await second.ended, 0);
    await desktop.until((state) => state.visible, 'the window is back');
    assert.deepEqual(
      (await desk.menu()).filter(({ label }) => /^home/.test(label)).map(({ label }) => label),
      ['home – connected'],
    );
    await desk.clickMenu('Quit');
    assert.equal(await desktop.ended, 0);
    const settings = readFileSync(desk.settingsFile, 'utf8');
    assert.doesNotMatch(settings, /width = 900/); // the size is kept
  }),
);

test(
  'zoom is kept, and the settings dialog switches the start at login',
  atDesk(async (desk, stage) => {
    const desktop = desk.start([], entry('a', 'home', stage.server));
    await desktop.untilSignedIn();
    await desk.activate(kWindow);
    desk.xdo('key', 'ctrl+plus');
    desk.xdo('key', 'ctrl+comma');
    const dialog = await desk.activate('^Settings$');
    const autostart = join(desk.home, '.config', 'autostart', 'org.parley.Desktop.desktop');
    assert.equal(existsSync(autostart), false);
    desk.click(dialog, 30, 187); // Start when I log in
    desk.click(dialog, -44, -24); // Save
    await until(() => existsSync(autostart), 'the entry is written');
    assert.match(readFileSync(autostart, 'utf8'), /^Exec=".*\/parley-desktop" --hidden$/m);
    assert.equal(await desk.start(['--quit']).ended, 0);
    assert.equal(await desktop.ended, 0);
    assert.match(readFileSync(desk.settingsFile, 'utf8'), /^zoom = 1\.1/m);
    assert.match(readFileSync(desk.settingsFile, 'utf8'), /^autostart = true/m);
  }),
);

test(
  'a page stays on its origin, and its links to others open in the browser',
  atDesk(async (desk) => {
    const elsewhere = await standIn('');
    const page = await standIn(`<a href="${elsewhere.url}/linked" style="display:block;height:100vh">out</a>
    <script>setTimeout(() => (location.href = '${elsewhere.url}/pushed'), 100)</script>`);
    try {
      const apps = join(desk.home, '.local', 'share', 'applications');
      mkdirSync(apps, { recursive: true });
      writeFileSync(join(desk.home, 'browser'), '#!/bin/sh\necho "$1" >> "$HOME/opened.txt"\n');
      chmodSync(join(desk.home, 'browser'), 0o755);
      writeFileSync(
        join(apps, 'probe.desktop'),
        `[Desktop Entry]\nType=Application\nName=Probe\nExec=${desk.home}/browser %u\nMimeType=x-scheme-handler/http;\n`,
      );
      writeFileSync(join(apps, 'mimeapps.list'), '[Default Applications]\nx-scheme-handler/http=probe.desktop\n');
      const desktop = desk.start([], entry('a', 'home', page));
      await desktop.until((state) => state.page === `${page.url}/#/inbox`, 'the page is loaded');
      const id = await desk.activate(kWindow);
      desk.click(id, 500, 400);
      await until(() => desk.read('opened.txt') !== '', 'the browser has been started');
      assert.equal(desk.read('opened.txt'), `${elsewhere.url}/linked\n`);
      assert.equal(desktop.state.page, `${page.url}/#/inbox`);
      assert.deepEqual(elsewhere.hits, []);
    } finally {
      page.end();
      elsewhere.end();
    }
  }),
);

test(
  'the microphone is for a page that the person allows it',
  atDesk(async (desk) => {
    const page = await standIn(`<script>
    const ask = () => navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'granted', () => 'refused').then((end) => history.replaceState(null, '', '/#/' + end));
    onkeydown = ask</script>`);
    try {
      desk.env.LD_PRELOAD = join(process.env.PARLEY_BIN_DIR, 'pretended_microphone.so');
      const desktop = desk.start([], entry('a', 'home', page));
      await desktop.until((state) => state.page !== '', 'the page is loaded');
      for (const [keys, end] of [
        [['Escape'], 'refused'],
        [['Tab', 'Return'], 'granted'],
      ]) {
        await desk.activate('^home$');
        desk.xdo('key', 'm');
        await desk.activate('^Microphone$');
        desk.xdo('key', ...keys);
        await desktop.until((state) => state.page.endsWith(`/#/${end}`), end);
      }
    } finally {
      delete desk.env.LD_PRELOAD;
      page.end();
    }
  }),
);

test(
  'a link to a window of its own opens one on the same origin',
  atDesk(async (desk) => {
    const page = await standIn('<a href="/second" target="_blank" style="display:block;height:100vh">second</a>');
    try {
      const desktop = desk.start([], entry('a', 'home', page));
      await desktop.until((state) => state.page !== '', 'the page is loaded');
      desk.click(await desk.activate(kWindow), 500, 400);
      await until(() => desk.windows('^home$').length === 2, 'there are two windows');
      await until(() => page.hits.includes('/second'), 'its page is loaded');
    } finally {
      page.end();
    }
  }),
);

test(
  'a download is saved where the person says',
  atDesk(async (desk) => {
    const page = await standIn('<a href="/notes.bin" style="display:block;height:100vh">save</a>');
    try {
      const desktop = desk.start([], entry('a', 'home', page));
      await desktop.until((state) => state.page !== '', 'the page is loaded');
      desk.click(await desk.activate(kWindow), 500, 400);
      await desk.activate('^Save$');
      desk.xdo('key', 'ctrl+a');
      desk.type(`${desk.home}/kept.bin`);
      desk.xdo('key', 'Return');
      await until(() => desk.read('kept.bin') === 'saved words', 'the file is there');
    } finally {
      page.end();
    }
  }),
);

test(
  'settings with a fault are named and left as they are',
  atDesk(async (desk) => {
    const desktop = desk.start([], 'on_question = "loud"\n');
    await desk.activate('^Parley$');
    desk.xdo('key', 'Escape');
    assert.equal(await desktop.ended, 1);
    assert.match(desktop.said, /desktop\.toml:1: on_question: must be "none", "tray"/);
    assert.equal(readFileSync(desk.settingsFile, 'utf8'), 'on_question = "loud"\n');
  }),
);

test(
  'one server is shown without settings, in Chinese where the locale says so',
  atDesk(async (desk, { server }) => {
    writeFileSync(join(desk.home, 'token'), `${server.token}\n`);
    desk.env.LC_ALL = 'zh_CN.UTF-8';
    const desktop = desk.start(['--server', `${server.url}/`, '--token-file', join(desk.home, 'token')]);
    await desktop.untilSignedIn();
    const labels = (await desk.menu()).map(({ label }) => label);
    assert.deepEqual(
      labels.filter((label) => /[\u4e00-\u9fff]/.test(label)),
      ['显示 Parley', `${new URL(server.url).host} – 已连接`, '暂停提醒', '设置', '退出'],
    );
    assert.equal(await desktop.end(), 0);
    assert.equal(existsSync(desk.settingsFile), false);
  }),
);

test('--help, --version and wrong flags need no display', () => {
  const run = (...args) =>
    spawnSync(join(process.env.PARLEY_BIN_DIR, 'parley-desktop'), args, {
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    });
  assert.match(run('--help').stdout, /--token-file FILE/);
  assert.match(run('--version').stdout, /^parley-desktop \d+\.\d+\.\d+\n$/);
  assert.equal(run('--loud').status, 2);
  assert.match(run('--loud').stderr, /Unknown flag --loud/);
  assert.equal(run().status, 1);
  assert.match(run().stderr, /no display/);
});
