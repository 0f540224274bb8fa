// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { tokenInUrl, useAccount } from './account';
import { useDrafts } from './drafts';

describe('tokenInUrl', () => {
  it.each([
    ['http://h/?token=abc', 'abc', 'http://h/'],
    ['http://h/?a=1&token=abc', 'abc', 'http://h/?a=1'],
    ['http://h/#/chat?token=abc', 'abc', 'http://h/#/chat'],
    ['http://h/#/chat?x=1&token=abc', 'abc', 'http://h/#/chat?x=1'],
    ['http://h/?token=old#/?token=new', 'new', 'http://h/#/'],
    ['http://h/?token=a%2Bb%20c', 'a+b c', 'http://h/'],
    ['http://h/#/inbox', null, 'http://h/#/inbox'],
    ['http://h/?token=', null, 'http://h/'],
  ])('%s', (address, token, cleaned) => {
    expect(tokenInUrl(address)).toEqual({ token, keep: false, cleaned });
  });

  it('finds the wish to keep the token beside it', () => {
    expect(tokenInUrl('http://h/#/inbox?token=abc&keep=1')).toEqual({
      token: 'abc',
      keep: true,
      cleaned: 'http://h/#/inbox',
    });
  });
});

describe('account', () => {
  beforeEach(() => {
    window.sessionStorage.clear();
    window.localStorage.clear();
    setActivePinia(createPinia());
  });

  it('keeps the token in this tab by default', () => {
    useAccount().use('abc', false);
    expect(JSON.stringify({ ...window.localStorage })).not.toContain('abc');
    setActivePinia(createPinia());
    expect(useAccount().token).toBe('abc');
  });

  it('keeps the token on the device as long as chosen', () => {
    const account = useAccount();
    account.use('abc', true);
    expect(window.localStorage.getItem('parley.token')).toBe('"abc"');
    account.setRemembered(false);
    expect(window.localStorage.getItem('parley.token')).toBeNull();
  });

  it('keeps the token of a phone that was added on the device', () => {
    window.history.replaceState(null, '', '/#/inbox?token=abc&keep=1');
    const account = useAccount();
    account.takeFromAddress();
    expect([account.token, account.remembered, window.location.hash]).toEqual(['abc', true, '#/inbox']);
    expect(window.localStorage.getItem('parley.token')).toBe('"abc"');
  });

  const issued = { token: 'one', refresh: 'more', userId: '7', user: 'Bo', expiresAt: 1_000 };

  it('keeps a login like a token, with its owner across token changes', () => {
    const account = useAccount();
    account.useLogin(issued, false);
    expect(JSON.stringify({ ...window.localStorage })).not.toMatch(/one|more/);
    const { owner } = account;
    account.renewed({ token: 'two', expiresAt: 2_000 }, Date.now() + 1);
    expect([account.token, account.login?.expiresAt, account.owner]).toEqual(['two', 2_000, owner]);
    account.renewed({ token: 'late', expiresAt: 1_500 }, Date.now() - 1_000);
    expect(account.token).toBe('two');
    account.setRemembered(true);
    window.sessionStorage.clear();
    setActivePinia(createPinia());
    expect([useAccount().token, useAccount().login?.user, useAccount().remembered]).toEqual(['two', 'Bo', true]);
  });

  it('takes the newest token of its login, also from another tab', () => {
    useAccount().useLogin(issued, true);
    const before = { ...window.sessionStorage } as Record<string, string>;
    useAccount().renewed({ token: 'two', expiresAt: 2_000 }, Date.now() + 1);
    for (const [key, value] of Object.entries(before)) window.sessionStorage.setItem(key, value);
    setActivePinia(createPinia());
    expect(useAccount().token).toBe('two');
  });

  it('is no login after a plain token', () => {
    useAccount().useLogin(issued, true);
    useAccount().use('abc');
    setActivePinia(createPinia());
    expect([useAccount().login, useAccount().owner]).toEqual([null, 'abc']);
  });

  it('forgets the token everywhere', () => {
    const account = useAccount();
    account.use('abc', true);
    account.forget();
    expect(window.localStorage.length + window.sessionStorage.length).toBe(0);
    expect(account.token).toBeNull();
  });

  it('keeps drafts over a reload, on the device only with the token', () => {
    useAccount().use('abc', false);
    useDrafts().set('r1', [{ chosen: ['A'], custom: 'x' }]);
    expect(window.localStorage.getItem('parley.drafts')).toBeNull();
    setActivePinia(createPinia());
    expect(useDrafts().get('r1')).toEqual([{ chosen: ['A'], custom: 'x' }]);
    useDrafts().set('r1', [{ chosen: [], custom: '' }]);
    expect(useDrafts().get('r1')).toBeUndefined();
  });

  it('starts with invalid data in the storage', () => {
    window.sessionStorage.setItem('parley.drafts', '{nonsense');
    setActivePinia(createPinia());
    expect(useDrafts().get('r1')).toBeUndefined();
  });
});
