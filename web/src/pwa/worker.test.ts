// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { mayKeep, wayOf } from './cache_rules';
import { Notices } from './notices';
import { readPush } from './push_message';
import { scopeOf } from './register';
import type { OpenPage, WorkerScope } from './worker_scope';

const kHome = 'https://parley.test/';
const kFiles = ['/offline.html', '/offline.css'];
const way = (path: string, mode = 'cors', method = 'GET', scope = kHome) =>
  wayOf({ method, mode, url: new URL(path, kHome).href, hasRange: false }, scope, kFiles);

describe('cache rules', () => {
  it('keep the console’s own files and its page', () => {
    expect(way('/assets/index-1a2b.js')).toBe('asset');
    expect(way('/offline.css')).toBe('file');
    expect(way('/', 'navigate')).toBe('index');
    expect(way('/?lang=en', 'navigate')).toBe('index');
    expect(way('/a/secret', 'navigate')).toBe('page');
  });

  it.each([
    '/v1/search?q=a',
    '/ws',
    '/api/v1/sessions',
    '/agent/ws',
    '/assets/x.js?token=secret',
    '/offline.css?token=secret',
    'https://elsewhere.test/assets/x.js',
  ])('leave %s to the browser', (path) => {
    expect(way(path)).toBe('network');
  });

  it('leave documents of the API that are opened as pages to the browser', () => {
    expect(way('/v1/search?q=a', 'navigate')).toBe('network');
    expect(way('/api/v1/sessions', 'navigate')).toBe('network');
    expect(way('/apiary', 'navigate')).toBe('page');
    expect(way('/ca.crt', 'navigate')).toBe('network');
    expect(way('/ca.mobileconfig', 'navigate')).toBe('network');
  });

  it('leave writes and parts of files to the browser', () => {
    expect(way('/assets/x.js', 'cors', 'POST')).toBe('network');
    expect(wayOf({ method: 'GET', mode: 'cors', url: `${kHome}assets/x.ogg`, hasRange: true }, kHome, [])).toBe(
      'network',
    );
  });

  it('keep to the folder of the console', () => {
    expect(scopeOf('/console/')).toBe('/console/');
    expect(scopeOf('/console')).toBe('/console/');
    expect(scopeOf('/consoles/')).toBe('/');
    expect(scopeOf('/')).toBe('/');
    expect(way('/', 'navigate', 'GET', `${kHome}console/`)).toBe('network');
    expect(way('/console/', 'navigate', 'GET', `${kHome}console/`)).toBe('index');
  });

  it('keep only answers that never change, and none with a token, private ones and failures', () => {
    const answer = (status: number, cacheControl = '') => ({
      status,
      type: 'basic' as const,
      redirected: false,
      headers: new Headers({ 'Cache-Control': cacheControl }),
    });
    const kLasting = 'public, max-age=31536000, immutable';
    expect(mayKeep(`${kHome}assets/x.js`, answer(200, kLasting))).toBe(true);
    expect(mayKeep(`${kHome}assets/x.js`, answer(200, 'no-cache'))).toBe(false);
    expect(mayKeep(`${kHome}assets/x.js?token=secret`, answer(200, kLasting))).toBe(false);
    expect(mayKeep(`${kHome}assets/x.js`, answer(200, 'immutable, no-store'))).toBe(false);
    expect(mayKeep(`${kHome}assets/x.js`, answer(200, 'immutable, private'))).toBe(false);
    expect(mayKeep(`${kHome}assets/x.js`, answer(404, kLasting))).toBe(false);
    expect(mayKeep(`${kHome}assets/x.js`, { ...answer(200, kLasting), type: 'opaque' })).toBe(false);
  });
});

const kAsked = {
  v: 1,
  kind: 'question',
  key: 'k1',
  title: 'Coder asks',
  body: 'Deploy?',
  options: [
    { label: 'Yes', url: '/a/one' },
    { label: 'No', url: '/a/two' },
    { label: 'Later', url: '/a/three' },
  ],
  url: '/#/inbox/item/k1',
};

describe('push message', () => {
  it('is read', () => {
    expect(readPush(JSON.stringify(kAsked))).toMatchObject({
      kind: 'question',
      key: 'k1',
      hash: '#/inbox/item/k1',
      options: [{ label: 'Yes', path: '/a/one' }, {}, {}],
    });
  });

  it.each([
    '',
    'not json',
    '[]',
    '{"v":2}',
    JSON.stringify({ ...kAsked, v: 2 }),
    JSON.stringify({ ...kAsked, kind: 'film' }),
    JSON.stringify({ ...kAsked, key: '' }),
    JSON.stringify({ ...kAsked, title: 7 }),
  ])('%s is none', (text) => {
    expect(readPush(text)).toBeNull();
  });

  it('has no address of another server', () => {
    const message = readPush(
      JSON.stringify({
        ...kAsked,
        url: 'https://evil.test/#/x',
        options: [
          { label: 'a', url: 'https://evil.test/a' },
          { label: 'b', url: '//evil.test/b' },
          { label: 'c', url: 'javascript:alert(1)' },
          { label: 'd', url: '/\\evil.test' },
          { label: 'e', url: '//[' },
          { label: '', url: '/a' },
        ],
      }),
    );
    expect(message?.options).toEqual([]);
    expect(message?.hash).toBe('#/inbox');
  });

  it('may be a test of the server', () => {
    expect(
      readPush(JSON.stringify({ ...kAsked, kind: 'test', key: 'test', options: [], url: '/#/settings/notifications' })),
    ).toMatchObject({ kind: 'test', hash: '#/settings/notifications' });
  });

  it('that is cut has only safe options, so that nothing unseen is allowed', () => {
    const options = [
      { label: 'Allow', url: '/a/one', safe: false },
      { label: 'Deny', url: '/a/two', safe: true },
      { label: 'x'.repeat(41), url: '/a/three', safe: true },
    ];
    const labels = (change: object) =>
      readPush(JSON.stringify({ ...kAsked, options, ...change }))?.options.map(({ label }) => label);
    expect(labels({})).toEqual(['Allow', 'Deny']);
    expect(labels({ body: `echo harmless${' '.repeat(400)}; touch C` })).toEqual(['Deny']);
    expect(labels({ title: 'x'.repeat(121) })).toEqual(['Deny']);
    expect(labels({ body: '\u202E'.repeat(80) })).toEqual(['Deny']);
  });

  it('is cut, and shows hidden characters', () => {
    const message = readPush(JSON.stringify({ ...kAsked, title: 'x'.repeat(999), body: 'a\u202Eb' }));
    expect(message?.title.length).toBe(120);
    expect(message?.body).not.toContain('\u202E');
  });
});

interface Shown {
  title: string;
  body: string;
  tag: string;
  actions: { action: string; title: string }[];
  data: unknown;
}

function world(answer: () => Promise<Response> = () => Promise.resolve(new Response(null, { status: 200 }))) {
  const shown: Shown[] = [];
  const posted: string[] = [];
  const sent: (RequestInit | undefined)[] = [];
  const opened: string[] = [];
  const messages: unknown[] = [];
  const closed: string[] = [];
  const pages: OpenPage[] = [];
  const scope: WorkerScope = {
    registration: {
      scope: kHome,
      showNotification: (title, options) => {
        shown.push({ title, body: '', tag: '', actions: [], ...(options as Partial<Shown>) } as Shown);
        return Promise.resolve();
      },
      getNotifications: (filter) =>
        Promise.resolve([{ close: () => closed.push(filter?.tag ?? '') } as unknown as Notification]),
    },
    clients: {
      matchAll: () => Promise.resolve(pages),
      openWindow: (url) => {
        opened.push(url);
        return Promise.resolve();
      },
    },
    caches: {} as CacheStorage,
    maxActions: 2,
    language: 'en-US',
    fetch: (input, init) => {
      posted.push(`${init?.method ?? 'GET'} ${String(input)}`);
      sent.push(init);
      return answer();
    },
    skipWaiting: () => Promise.resolve(),
  };
  const openPage = (url: string) =>
    pages.push({
      url,
      focus: () => Promise.resolve(messages.push('focus')),
      postMessage: (message) => messages.push(message),
    });
  return { notices: new Notices(scope), scope, shown, posted, sent, opened, messages, closed, openPage };
}

const clicked = (shown: Shown | undefined) => ({ data: shown?.data, tag: shown?.tag ?? '', close: () => undefined });

describe('notices', () => {
  it('show a question with as many options as the browser has buttons', async () => {
    const { notices, shown } = world();
    await notices.push(JSON.stringify(kAsked));
    expect(shown[0]).toMatchObject({
      title: 'Coder asks',
      body: 'Deploy?',
      tag: 'k1',
      actions: [{ title: 'Yes' }, { title: 'No' }],
    });
  });

  it('have no button that allows a text which is cut', async () => {
    const { notices, posted, shown } = world();
    await notices.push(JSON.stringify({ ...kAsked, body: 'x'.repeat(401) }));
    expect(shown[0]?.actions).toEqual([]);
    await notices.click(clicked(shown[0]), 'option-0');
    expect(posted).toEqual([]);
  });

  it('show a general notice for a malformed message', async () => {
    const { notices, shown } = world();
    await notices.push('{');
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatchObject({ title: 'Something waits for you', actions: [] });
  });

  it('close the notification of a closed question', async () => {
    const { closed, notices, shown } = world();
    await notices.push(JSON.stringify({ v: 1, kind: 'closed', key: 'k1' }));
    expect(closed).toEqual(['k1']);
    expect(shown).toEqual([]);
  });

  it.each([
    [200, 'Answered: No'],
    [409, 'This question is no longer open.'],
    [410, 'This question is no longer open.'],
    [500, 'The answer could not be sent. Open Parley to answer.'],
  ])('say what became of an answer: %i', async (status, body) => {
    const { notices, posted, shown } = world(() => Promise.resolve(new Response(null, { status })));
    await notices.push(JSON.stringify(kAsked));
    await notices.click(clicked(shown[0]), 'option-1');
    expect(posted).toEqual(['POST /a/two']);
    expect(shown[1]).toMatchObject({ body, tag: 'k1', actions: [] });
  });

  it('send answers without credentials, and follow no redirect', async () => {
    const { notices, sent, shown } = world();
    await notices.push(JSON.stringify(kAsked));
    await notices.click(clicked(shown[0]), 'option-0');
    expect(sent[0]).toMatchObject({ credentials: 'omit', redirect: 'error' });
  });

  it('say that the server was not reached', async () => {
    const { notices, shown } = world(() => Promise.reject(new TypeError('network')));
    await notices.push(JSON.stringify(kAsked));
    await notices.click(clicked(shown[0]), 'option-0');
    expect(shown[1]?.body).toContain('could not be sent');
  });

  it('bring an open page to the question, without a reload', async () => {
    const { notices, openPage, opened, messages, shown } = world();
    openPage(`${kHome}a/other`);
    openPage(`${kHome}#/runs`);
    await notices.push(JSON.stringify(kAsked));
    await notices.click(clicked(shown[0]), '');
    expect(messages).toEqual([{ type: 'parley.open', address: '/inbox/item/k1' }, 'focus']);
    expect(opened).toEqual([]);
  });

  it('open a page if there is none', async () => {
    const { notices, opened, shown } = world();
    await notices.push(JSON.stringify(kAsked));
    await notices.click(clicked(shown[0]), '');
    expect(opened).toEqual([`${kHome}#/inbox/item/k1`]);
  });

  it('speak Chinese in a Chinese browser', async () => {
    const { scope, shown } = world();
    await new Notices({ ...scope, language: 'zh-CN' }).push('');
    expect(shown[0]?.title).toBe('有事等待你处理');
  });
});
