// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeHistory, FakeNetwork } from '@/protocol/fake_server';
import { HttpLogin } from '@/tokens/http_login';
import { useAccount } from './account';
import { useConnection } from './connection';
import { useDrafts } from './drafts';
import { useInbox } from './inbox';
import { kOthersMs, useLogin } from './login';

const kDay = 86_400;

// A server with one user.
class FakeLogins {
  made = 0;
  status = 200; // of refresh
  asked: string[] = [];

  readonly http = new HttpLogin((input) => {
    const what = (input as string).split('/').at(-1) ?? '';
    this.asked.push(what);
    if (what === 'refresh' && this.status === 0) return Promise.reject(new Error('cut'));
    const status = what === 'refresh' ? this.status : 200;
    if (status !== 200)
      return Promise.resolve(new Response(JSON.stringify({ code: status, message: 'no' }), { status }));
    this.made += 1;
    const data = {
      accessToken: `access ${this.made}`,
      refreshToken: 'more',
      expiresIn: String(kDay),
      user: { id: '7', username: 'Bo' },
    };
    return Promise.resolve(new Response(JSON.stringify({ code: 200, data })));
  });
}

describe('login', () => {
  let logins: FakeLogins;
  let network: FakeNetwork;

  beforeEach(async () => {
    vi.useFakeTimers();
    window.sessionStorage.clear();
    window.localStorage.clear();
    setActivePinia(createPinia());
    logins = new FakeLogins();
    network = new FakeNetwork();
    useLogin().askBy(logins.http);
    await useLogin().signIn('bo', 'secret', false);
    useConnection().connect({ openSocket: network.open, history: () => new FakeHistory() });
    network.last.accept('me');
  });

  afterEach(() => {
    useConnection().signOut();
    vi.useRealTimers();
  });

  it('gets the next access token before expiry, once', async () => {
    const stop = useLogin().keep();
    await vi.advanceTimersByTimeAsync((kDay - 3_600) * 1000);
    expect(logins.asked).toEqual(['login']);
    await vi.advanceTimersByTimeAsync(3_000_000);
    expect(logins.asked).toEqual(['login', 'refresh']);
    expect(useAccount().token).toBe('access 2');
    stop();
  });

  it('continues with the next access token after expiry, and keeps its content', async () => {
    const Request = { ProjectDirectory: '/p', Question: 'q', Timeout: 600 };
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: { ID: 'r1', Request } });
    network.last.die(4401, 'ended');
    expect(useConnection().denied).toBeNull();
    await vi.advanceTimersByTimeAsync(kOthersMs);
    network.last.accept('me again');
    expect(useAccount().token).toBe('access 2');
    expect(useInbox().items.map(({ key }) => key)).toEqual(['r1']);
  });

  it('uses the next token of another tab', async () => {
    network.last.die(4401, 'ended');
    useAccount().renewed({ token: 'of another tab', expiresAt: Date.now() + 1_000_000 }, Date.now() + 1);
    await vi.advanceTimersByTimeAsync(kOthersMs);
    expect(logins.asked).toEqual(['login']);
    network.last.accept('me again');
    expect(useConnection().state.phase).toBe('online');
  });

  describe('where the browser has locks', () => {
    // Another tab has the lock until `release`, or for too long.
    let release: () => void;
    let giveUp: () => void;

    beforeEach(() => {
      const turn = new Promise<void>((resolve, reject) => {
        release = resolve;
        giveUp = () => {
          reject(new DOMException('signal timed out', 'TimeoutError'));
        };
      });
      const request = (_name: string, _options: LockOptions, work: () => Promise<boolean>): Promise<boolean> =>
        turn.then(work);
      Object.defineProperty(navigator, 'locks', { value: { request }, configurable: true });
      network.last.die(4401, 'ended');
    });

    afterEach(() => {
      Reflect.deleteProperty(navigator, 'locks');
    });

    it('waits for its turn, and needs no token if another tab got one', async () => {
      await vi.advanceTimersByTimeAsync(10 * kOthersMs);
      expect(logins.asked).toEqual(['login']);
      release();
      await vi.advanceTimersByTimeAsync(kOthersMs / 2);
      useAccount().renewed({ token: 'of another tab', expiresAt: Date.now() + 1_000_000 }, Date.now() + 1);
      await vi.advanceTimersByTimeAsync(kOthersMs);
      expect(logins.asked).toEqual(['login']);
      network.last.accept('me again');
      expect(useConnection().state.phase).toBe('online');
    });

    it('gets the next token in its turn', async () => {
      release();
      await vi.advanceTimersByTimeAsync(kOthersMs);
      expect(logins.asked).toEqual(['login', 'refresh']);
      expect(useAccount().token).toBe('access 2');
    });

    it('does not wait for ever for a tab in the background', async () => {
      giveUp();
      await vi.advanceTimersByTimeAsync(kOthersMs);
      expect(useAccount().token).toBe('access 2');
    });
  });

  it('waits for an unreachable server', async () => {
    logins.status = 0;
    network.last.die(4401, 'ended');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(useAccount().token).toBe('access 1');
    logins.status = 200;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(useAccount().token).toBe('access 2');
  });

  it('asks for the password after a login’s end, and keeps drafts', async () => {
    useDrafts().setText('chat s', 'half a thought');
    logins.status = 401;
    network.last.die(4401, 'ended');
    await vi.advanceTimersByTimeAsync(kOthersMs);
    expect([useAccount().token, useConnection().denied, useConnection().isLoginOver]).toEqual([null, 'ended', true]);
    expect(useDrafts().text('chat s')).toBe('half a thought');
    const stop = useLogin().keep();
    await vi.advanceTimersByTimeAsync(kDay * 1000);
    expect(logins.asked).toEqual(['login', 'refresh']);
    stop();
  });

  it('ends the login on the server at sign-out', () => {
    useConnection().signOut();
    expect(logins.asked).toEqual(['login', 'logout']);
    expect(JSON.stringify({ ...window.sessionStorage, ...window.localStorage })).not.toMatch(/access|more/);
  });
});
