// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { HttpStudies, joinTables, StudiesError } from './http_studies';

function serving(answers: Record<string, unknown>) {
  const asked: { url: string; token: string | null }[] = [];
  const studies = new HttpStudies('secret', (input, init) => {
    const url = String(input);
    asked.push({ url, token: new Headers(init?.headers).get('Authorization') });
    const answer = answers[url];
    if (answer === undefined) return Promise.resolve(new Response('{}', { status: 404 }));
    return Promise.resolve(new Response(typeof answer === 'string' ? answer : JSON.stringify(answer)));
  });
  return { asked, studies };
}

describe('the studies of a server', () => {
  it('are listed page by page, with the token in a header', async () => {
    const { asked, studies } = serving({
      '/v1/studies?limit=1000': { studies: [{ id: 's-2' }], next: '7' },
      '/v1/studies?limit=1000&cursor=7': { studies: [{ id: 's-1' }], next: null },
    });
    expect((await studies.list()).map((study) => study.id)).toEqual(['s-2', 's-1']);
    expect(asked.every((it) => it.token === 'Bearer secret' && !it.url.includes('secret'))).toBe(true);
  });

  it('are an error with a status when missing', async () => {
    await expect(serving({}).studies.one('s-9')).rejects.toEqual(new StudiesError(404));
  });

  it('are verified with findings by line and code', async () => {
    const { studies } = serving({
      '/v1/studies/s-1/verify': {
        records: 12,
        sound: false,
        findings: [{ line: 5, code: 'gap', message: 'eventIndex 4 was expected' }],
        more: true,
      },
    });
    expect(await studies.verify('s-1')).toEqual({
      records: 12,
      findings: [{ is: 'told', line: 5, code: 'gap', message: 'eventIndex 4 was expected' }],
      more: true,
    });
  });

  it('have one summary table over all pages', async () => {
    const { studies } = serving({
      '/v1/studies/summary?limit=1000&format=csv': 'a,b\n1,2\n',
      '/v1/studies?limit=1000': { studies: [], next: '3' },
      '/v1/studies/summary?limit=1000&cursor=3&format=csv': 'a,b\n3,4',
      '/v1/studies?limit=1000&cursor=3': { studies: [], next: null },
    });
    expect(await studies.summaryCsv()).toBe('a,b\n1,2\n3,4\n');
  });

  it('without rows join to the header alone', () => {
    expect(joinTables(['a,b\n', 'a,b\n'])).toBe('a,b\n');
    expect(joinTables([])).toBe('');
  });
});
