// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpStudies } from '@/studies/http_studies';
import { useAccount } from './account';
import { useStudies } from './studies';

const study = (id: string, state: string) => ({ id, session: `${id}.x`, state, started_at: 1, ended_at: null });
const summary = { tool_calls: 4, steps: 7, errors: 1, completed: true };

function serving(answers: Record<string, unknown>) {
  const asked: string[] = [];
  const make = (token: string) =>
    new HttpStudies(token, (input) => {
      const url = String(input);
      asked.push(url);
      const answer = answers[url];
      return Promise.resolve(new Response(JSON.stringify(answer ?? {}), { status: answer ? 200 : 404 }));
    });
  return { answers, asked, make };
}

describe('the studies of a token', () => {
  beforeEach(() => {
    setActivePinia(createPinia());
    useAccount().use('secret');
  });

  it('are shown before their figures, and ended ones are asked for once', async () => {
    const server = serving({
      '/v1/studies?limit=1000': { studies: [study('s-2', 'open'), study('s-1', 'ended')], next: null },
      '/v1/studies/summary?state=open&limit=100': { studies: [{ ...study('s-2', 'open'), summary }], next: null },
      '/v1/studies/summary?limit=100': { studies: [{ ...study('s-1', 'ended'), summary }], next: null },
      '/v1/study-kit': { studies: [{ id: 'movie-night', title: 'Movie night' }] },
    });
    const studies = useStudies();
    studies.readBy(server.make);
    const stop = studies.watchList();
    await vi.waitFor(() => expect(studies.studies.map((it) => it.figures?.calls)).toEqual([4, 4]));
    expect(studies.live.map((it) => it.id)).toEqual(['s-2']);
    expect(studies.kit).toHaveLength(1);
    await studies.refresh();
    expect(studies.studies[1]?.figures?.completed).toBe(true);
    expect(server.asked.filter((url) => url === '/v1/studies/summary?limit=100')).toHaveLength(1);
    stop();
  });

  it('are absent without a study server, and not loaded after a failure', async () => {
    const studies = useStudies();
    studies.readBy(serving({}).make);
    await studies.refresh();
    expect(studies.phase).toBe('absent');
    studies.readBy((token) => new HttpStudies(token, () => Promise.reject(new TypeError('not reachable'))));
    await studies.refresh();
    expect(studies.phase).toBe('failed');
  });

  it('stay shown during an outage', async () => {
    const studies = useStudies();
    studies.readBy(serving({ '/v1/studies?limit=1000': { studies: [study('s-1', 'ended')], next: null } }).make);
    await studies.refresh();
    studies.readBy(serving({}).make);
    await studies.refresh();
    expect(studies.studies.map((it) => it.id)).toEqual(['s-1']);
  });
});
