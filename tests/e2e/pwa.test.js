// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The installable console: manifest, worker, offline, new versions, pushed messages.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { test } from 'node:test';
import { useWholeBrowser } from './lib/browser.js';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

useWholeBrowser();

// Waits until the worker is active.
const workerReady = (page) => page.evaluate(async () => (await navigator.serviceWorker.ready).active.state);

// Reloads the page, so that the worker controls it.
async function controlled(person) {
  await workerReady(person.page);
  await person.page.reload();
  await person.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

// A server in front of the real one that can change what it passes on.
class Front {
  change = (_path, body) => body;
  #http;

  static async start(server) {
    const front = new Front();
    front.#http = createServer((asked, answer) => {
      const headers = { ...asked.headers, host: `127.0.0.1:${server.port}`, 'accept-encoding': 'identity' };
      delete headers.origin;
      const passed = request(
        { port: server.port, host: '127.0.0.1', method: asked.method, path: asked.url, headers },
        async (got) => {
          const chunks = [];
          for await (const chunk of got) chunks.push(chunk);
          const body = front.change(asked.url, Buffer.concat(chunks), got.statusCode);
          const sent = { ...got.headers };
          delete sent['content-length'];
          delete sent['transfer-encoding'];
          delete sent.etag;
          answer.writeHead(body === front.invented ? 200 : got.statusCode, sent).end(body);
        },
      );
      passed.on('error', () => answer.destroy());
      asked.pipe(passed);
    }).listen(0, '127.0.0.1');
    await once(front.#http, 'listening');
    front.url = `http://127.0.0.1:${front.#http.address().port}`;
    return front;
  }

  end() {
    this.#http.closeAllConnections();
    this.#http.close();
  }
}

test(
  'the console can be installed: manifest, icons and worker have their types',
  staged(async (stage) => {
    const { url } = stage.server;
    for (const folder of ['/', '/console/']) {
      const worker = await fetch(`${url}${folder}sw.js`);
      assert.equal(worker.status, 200);
      assert.match(worker.headers.get('content-type'), /^text\/javascript/);
      assert.equal(worker.headers.get('cache-control'), 'no-cache');
      assert.match(worker.headers.get('content-security-policy'), /connect-src 'self'/);
    }
    const manifest = await fetch(`${url}/manifest.webmanifest`);
    assert.equal(manifest.headers.get('content-type'), 'application/manifest+json');
    const { display, icons, shortcuts, start_url: start } = await manifest.json();
    assert.equal(display, 'standalone');
    assert.equal(start, './');
    assert.ok(icons.some(({ purpose, sizes }) => purpose === 'maskable' && sizes === '512x512'));
    for (const size of ['192x192', '512x512'])
      assert.ok(icons.some(({ purpose, sizes }) => purpose === undefined && sizes === size));
    for (const { src, type } of [...icons, ...shortcuts.flatMap((each) => each.icons)]) {
      const icon = await fetch(`${url}${src}`);
      assert.equal(icon.status, 200, src);
      assert.equal(icon.headers.get('content-type'), type);
    }
    const person = await stage.person();
    await controlled(person);
    const cdp = await person.page.context().newCDPSession(person.page);
    const { errors } = await cdp.send('Page.getAppManifest');
    assert.deepEqual(errors, []);
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
    // A browser without a window of its own cannot install anything.
    assert.deepEqual(
      installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
      [],
    );
  }),
);

test(
  'the console opens without its server, and says so',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    await controlled(person);
    await person.untilOnline();
    await stage.server.kill();
    await page.goto('about:blank');
    await page.goto(`${stage.server.url}/#/inbox`);
    await page.locator('[data-test=nav-inbox]').waitFor();
    await person.untilOffline();
    // A page of the console whose files this browser has never loaded.
    await page.locator('[data-test=nav-runs]').click();
    await page.locator('.q-notification').filter({ hasText: 'not reachable' }).waitFor();
    assert.equal(await page.locator('[data-test=update]').count(), 0, 'no new version is offered');
    await page.goto('about:blank');
    await page.goto(`${stage.server.url}/#/runs`);
    await page.locator('[data-test=page-missing]').waitFor();
    // A page that is not the console.
    await page.goto(`${stage.server.url}/a/some-link`);
    assert.match(await page.locator('h1').innerText(), /not reachable/);
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).display), 'block', 'it has its styles');
    await stage.server.start();
    await page.goto(`${stage.server.url}/`);
    await person.untilOnline();
  }),
);

test(
  'the worker keeps no token and no data',
  staged(async (stage) => {
    await stage.server.settle('Where is the key?', 'Under the mat.');
    const person = await stage.person();
    const { page } = person;
    await controlled(person);
    await page.goto(`${stage.server.url}/?token=${stage.server.token}`);
    await person.untilOnline();
    await person.closedCard('Where is the key?').waitFor();
    const kept = await page.evaluate(async () => {
      const found = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys())
          found.push({ url: request.url, body: await (await cache.match(request)).text() });
      }
      return found;
    });
    assert.ok(kept.length > 5, 'the shell is kept');
    for (const { body, url } of kept) {
      assert.ok(!url.includes('token') && !body.includes(stage.server.token), url);
      assert.ok(!/^\/(v1|api|ws|agent|loom|a)\b/.test(new URL(url).pathname), url);
      assert.ok(!body.includes('Under the mat'), url);
    }
  }),
);

test(
  'a new version is offered, and one click reloads into it',
  staged(async (stage) => {
    const front = await Front.start(stage.server);
    try {
      const person = await stage.person(null);
      const { page } = person;
      await page.goto(`${front.url}/`);
      await page.locator('[data-test=sign-in]').waitFor();
      await controlled(person);
      await page.locator('[data-test=sign-in]').waitFor();
      // The next version of the worker has another script of the page.
      const script = new URL(await page.evaluate(() => document.querySelector('script[type=module]').src)).pathname;
      const next = script.replace(/[^/]+\.js$/, 'index-NEXT.js');
      front.invented = Buffer.from('export {};');
      front.change = (path, body) => {
        if (path === next) return front.invented;
        return path.startsWith('/sw.js') ? Buffer.from(body.toString().replaceAll(script, next)) : body;
      };
      await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
      await page.locator('[data-test=update]').waitFor();
      await page.evaluate(() => (window.before = true));
      await page.locator('[data-test=update-reload]').click();
      await page.waitForFunction(() => window.before === undefined);
      await page.locator('[data-test=sign-in]').waitFor();
      assert.match(
        await page.evaluate(async () => (await fetch((await navigator.serviceWorker.ready).active.scriptURL)).text()),
        /index-NEXT/,
      );
      await until(
        async () => (await page.evaluate(() => caches.keys())).length === 1,
        'the files of the earlier version are gone',
      );
    } finally {
      front.end();
    }
  }),
);

test(
  'pushed messages become notifications, and closed questions take theirs away',
  staged(async (stage) => {
    const person = await stage.person(undefined, undefined, { permissions: ['notifications'] });
    const { page } = person;
    await controlled(person);
    const cdp = await page.context().newCDPSession(page);
    const registered = new Promise((resolve) => {
      cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const own = registrations.find(({ scopeURL }) => scopeURL === `${stage.server.url}/`);
        if (own) resolve(own.registrationId);
      });
    });
    await cdp.send('ServiceWorker.enable');
    const registrationId = await registered;
    const push = (message) =>
      cdp.send('ServiceWorker.deliverPushMessage', {
        origin: stage.server.url,
        registrationId,
        data: typeof message === 'string' ? message : JSON.stringify(message),
      });
    const shown = () =>
      page.evaluate(async () =>
        (await (await navigator.serviceWorker.ready).getNotifications()).map(({ actions, body, tag, title }) => ({
          title,
          body,
          tag,
          actions: actions.map((each) => each.title),
        })),
      );
    // Repeated until it has its effect: a browser may drop a message while it starts the worker.
    const pushUntil = (message, test, what) =>
      until(async () => {
        await push(message);
        await page.waitForTimeout(300);
        return test();
      }, what);
    await pushUntil(
      {
        v: 1,
        kind: 'question',
        key: 'k1',
        title: 'Coder asks',
        body: 'Deploy now?',
        options: [
          { label: 'Yes', url: '/a/1' },
          { label: 'No', url: '/a/2' },
          { label: 'Later', url: '/a/3' },
        ],
        url: '/#/inbox/item/k1',
      },
      async () => (await shown()).length === 1,
      'a notification is shown',
    );
    const [first] = await shown();
    assert.deepEqual(
      { ...first, actions: undefined },
      { title: 'Coder asks', body: 'Deploy now?', tag: 'k1', actions: undefined },
    );
    assert.deepEqual(first.actions, ['Yes', 'No', 'Later'].slice(0, first.actions.length));
    assert.ok(first.actions.length >= 2);
    await pushUntil(
      'not json',
      async () => (await shown()).some(({ title }) => title === 'Something waits for you'),
      'a malformed message has a general notification',
    );
    await pushUntil(
      { v: 1, kind: 'closed', key: 'k1' },
      async () => (await shown()).every(({ tag }) => tag !== 'k1'),
      'the notification of a closed question is gone',
    );
  }),
);
