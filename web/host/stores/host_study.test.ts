// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useAccount } from '@/stores/account';
import { useHost } from './host';
import { completionCode, placeOf, readAssignment, readKit, useHostStudy, validParticipant } from './host_study';

const assigned = {
  studyId: 'pilot',
  participantId: 'P07',
  condition: { id: 'quiet', title: 'Quiet', agent: true, guiAdaptation: false, tools: ['select', 'next', 3] },
  scenario: { id: 'evening', title: 'An evening', instructions: 'Go **out**', data: { seed: 7, days: 14 } },
  endText: '',
};

interface Asked {
  path: string;
  method: string;
  body: unknown;
  token: string | null;
}

function server(answers: Record<string, [number, unknown] | ((asked: Asked) => [number, unknown])>) {
  const asked: Asked[] = [];
  const fetch = (path: string, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    const one = {
      path,
      method: init?.method ?? 'GET',
      body: typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
      token: headers.get('Authorization'),
    };
    asked.push(one);
    const answer = answers[path] ?? [404, {}];
    const [status, body] = typeof answer === 'function' ? answer(one) : answer;
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  };
  return { fetch, asked };
}

const whole = (more: Parameters<typeof server>[0] = {}) =>
  server({
    '/v1/study-kit/pilot': [200, { id: 'pilot', title: 'Pilot', consent: 'Read *this*', endText: 'Bye' }],
    '/v1/study-kit/pilot/assign': [200, assigned],
    '/v1/booking/datasets': [201, { dataset: 'copy-1', seed: 7, days: 14 }],
    ...more,
  });

beforeEach(() => {
  window.sessionStorage.clear();
  setActivePinia(createPinia());
  vi.spyOn(useHost(), 'open').mockResolvedValue();
});

describe('a participant of a study', () => {
  it('reads the consent first', async () => {
    const study = useHostStudy();
    await study.open('pilot', 'P07', whole().fetch);
    expect(study.step).toBe('consent');
    expect(study.kit).toMatchObject({ title: 'Pilot', end: 'Bye' });
  });

  it('gets a condition and own data only after agreeing', async () => {
    const { fetch, asked } = whole();
    const study = useHostStudy();
    await study.open('pilot', 'P07', fetch);
    expect(asked.map((it) => it.method)).toEqual(['GET']);
    await study.agree();
    expect(asked.slice(1)).toMatchObject([
      { path: '/v1/study-kit/pilot/assign', body: { participantId: 'P07' } },
      { path: '/v1/booking/datasets', body: { seed: 7, days: 14 } },
    ]);
    expect(study.step).toBe('task');
  });

  it('books in an own session, with the condition’s tools', async () => {
    const study = useHostStudy();
    await study.open('pilot', 'P07', whole().fetch);
    await study.agree();
    study.start();
    expect(useHost().open).toHaveBeenCalledWith({
      session: 'P07',
      tools: ['select', 'next'],
      dataset: 'copy-1',
      study: { studyId: 'pilot', participantId: 'P07', condition: 'quiet', scenario: 'evening' },
    });
  });

  it('gets a code from the server without one in the link', async () => {
    const made = { ...assigned, participantId: 'P-7K3M' };
    const { fetch, asked } = whole({ '/v1/study-kit/pilot/assign': [200, made] });
    const study = useHostStudy();
    await study.open('pilot', '', fetch);
    await study.agree();
    expect(asked[1]?.body).toEqual({});
    study.start();
    study.finish();
    expect(study.code).toBe('P-7K3M-0');
  });

  it('continues at the same place after a reload', async () => {
    const first = useHostStudy();
    await first.open('pilot', 'P07', whole().fetch);
    await first.agree();
    first.start();
    setActivePinia(createPinia());
    const open = vi.spyOn(useHost(), 'open').mockResolvedValue();
    const { fetch, asked } = whole();
    await useHostStudy().open('pilot', 'P07', fetch);
    expect(useHostStudy().step).toBe('booking');
    expect(open).toHaveBeenCalledOnce();
    expect(asked).toHaveLength(1);
  });

  it('is told of a missing or unreachable study', async () => {
    const study = useHostStudy();
    await study.open('other', 'P07', whole().fetch);
    expect(study.step).toBe('absent');
    await study.open('pilot', 'P07', () => Promise.reject(new TypeError('down')));
    expect(study.step).toBe('failed');
  });

  it('stays on the consent after a failed assignment, and may retry', async () => {
    let broken = true;
    const study = useHostStudy();
    const fetch = whole({ '/v1/study-kit/pilot/assign': () => (broken ? [500, {}] : [200, assigned]) }).fetch;
    await study.open('pilot', 'P07', fetch);
    await study.agree();
    expect(study).toMatchObject({ step: 'consent', problem: true, busy: false });
    broken = false;
    await study.agree();
    expect(study).toMatchObject({ step: 'task', problem: false });
  });

  it('is a guest without an accepted token', async () => {
    const guests = whole();
    await useHostStudy().open('pilot', 'P07', guests.fetch);
    expect(guests.asked.map((it) => it.token)).toEqual([null]);
    useAccount().use('old');
    const strict = whole({
      '/v1/study-kit/pilot': ({ token }) => (token === null ? [200, { id: 'pilot' }] : [401, {}]),
    });
    await useHostStudy().open('pilot', 'P07', strict.fetch);
    expect(strict.asked.map((it) => it.token)).toEqual(['Bearer old', null]);
    expect(useHostStudy().step).toBe('consent');
  });

  it('is asked to sign in where a token is needed', async () => {
    const closed = whole({ '/v1/study-kit/pilot': [401, {}] });
    await useHostStudy().open('pilot', 'P07', closed.fetch);
    expect(useHostStudy().step).toBe('signIn');
  });
});

describe('the study kit', () => {
  it('is read defensively', () => {
    expect(readKit(null)).toEqual({ id: '', title: '', consent: '', end: '' });
    expect(readAssignment({})).toBeNull();
    expect(readAssignment({ studyId: 's', participantId: 'p' })).toMatchObject({
      condition: { agent: true, tools: null },
      scenario: { data: null },
    });
  });

  it('offers all tools and common data by default', () => {
    const bare = readAssignment({ studyId: 's', participantId: 'p' });
    expect(bare && placeOf(bare, '')).toEqual({
      session: 'p',
      study: { studyId: 's', participantId: 'p', condition: '', scenario: '' },
    });
  });

  it('gives a code that names participant and booking', () => {
    expect(completionCode('P07', '2cbf0c47-1111-4222')).toBe('P07-2CBF0C47');
    expect(completionCode('P07', null)).toBe('P07-0');
  });

  it.each(['P07', 'a.b-c_d', 'x'.repeat(64)])('takes %s as a participant code', (id) => {
    expect(validParticipant(id)).toBe(true);
  });

  it.each(['', '../x', 'a b', 'x'.repeat(65), '七'])('refuses %j as a participant code', (id) => {
    expect(validParticipant(id)).toBe(false);
  });
});
