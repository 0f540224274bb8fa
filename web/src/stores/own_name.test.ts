// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { useAccount } from './account';
import { useOwnName } from './own_name';
import { useSettings } from './settings';

function anew(): void {
  setActivePinia(createPinia());
}

describe('own name', () => {
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    anew();
  });

  it('is that of the token, and known at once on the next visit', async () => {
    useAccount().use('secret', true);
    const own = useOwnName();
    expect(own.name).toBe('');
    await own.look((token) => Promise.resolve(token === 'secret' ? "Ann's phone" : ''));
    expect(own.name).toBe("Ann's phone");
    anew();
    expect(useOwnName().name).toBe("Ann's phone");
    expect(JSON.stringify({ ...localStorage })).not.toMatch(/name[^}]*secret/);
  });

  it('is a nickname that was set by hand', async () => {
    useAccount().use('secret');
    const own = useOwnName();
    useSettings().nickname = 'Ann';
    await own.look(() => Promise.resolve('phone'));
    expect([own.name, own.given]).toEqual(['Ann', 'phone']);
    useSettings().nickname = '';
    expect(own.name).toBe('phone');
  });

  it('is no random name that an earlier version had stored', () => {
    localStorage.setItem('parley.settings', JSON.stringify({ nickname: 'Merry Otter 20' }));
    anew();
    expect(useSettings().nickname).toBe('');
    localStorage.setItem('parley.settings', JSON.stringify({ nickname: 'Otter' }));
    anew();
    expect(useSettings().nickname).toBe('Otter');
  });

  it('is the user of a login, without a request', async () => {
    useAccount().useLogin({ token: 'prla_x', expiresAt: 0, refresh: 'r', userId: 'u1', user: 'ann' }, false);
    const own = useOwnName();
    await own.look(() => Promise.reject(new Error('asked')));
    expect(own.name).toBe('ann');
  });

  it('does not take over the name of a token that was left', async () => {
    const account = useAccount();
    account.use('first');
    const own = useOwnName();
    const looked = own.look(() => Promise.resolve('first name'));
    account.use('second');
    await looked;
    expect(own.name).toBe('');
  });
});
