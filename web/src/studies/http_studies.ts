// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText } from '@/wire/json';
import { type Figures, type KitStudy, readKit, readStudy, readStudyPage, type Study, type StudyPage } from './study';
import type { Finding } from './verify';

export class StudiesError extends Error {
  constructor(readonly status: number) {
    super(`the server answered ${status}`);
  }
}

export type ExportForm = 'jsonl' | 'calls' | 'summary';

export interface Verdict {
  records: number;
  findings: Finding[];
  more: boolean; // the list is cut
}

function readVerdict(body: unknown): Verdict {
  const report = asObject(body);
  const findings = asArray(report['findings']).map((it): Finding => {
    const finding = asObject(it);
    return {
      is: 'told',
      line: asNumber(finding['line']) ?? 0,
      code: asText(finding['code']),
      message: asText(finding['message']),
    };
  });
  return { records: asNumber(report['records']) ?? 0, findings, more: report['more'] === true };
}

const kListPage = 1000;
const kFiguresPage = 100; // for each study the server reads its log

// The routes of /v1 for studies. The token is sent in a header, never in a URL.
export class HttpStudies {
  constructor(
    private readonly token: string,
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  // All studies, newest first.
  async list(): Promise<Study[]> {
    const studies: Study[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = readStudyPage(await this.json(pagePath('/v1/studies', kListPage, cursor)));
      studies.push(...page.studies);
      cursor = page.next;
    }
    return studies;
  }

  async one(id: string): Promise<Study | null> {
    return readStudy(await this.json(pathOf(id)));
  }

  // One page of figures, from `cursor` on; '': from the newest study.
  async figures(cursor: string): Promise<StudyPage> {
    return readStudyPage(await this.json(pagePath('/v1/studies/summary', kFiguresPage, cursor)));
  }

  async openFigures(): Promise<Map<string, Figures>> {
    const page = readStudyPage(await this.json('/v1/studies/summary?state=open&limit=100'));
    return new Map(page.studies.flatMap(({ figures, id }) => (figures ? [[id, figures]] : [])));
  }

  async kit(): Promise<KitStudy[]> {
    return readKit(await this.json('/v1/study-kit'));
  }

  async verify(id: string): Promise<Verdict> {
    return readVerdict(await this.json(`${pathOf(id)}/verify`));
  }

  async log(id: string): Promise<string> {
    return (await this.get(`${pathOf(id)}/log`, 'application/x-ndjson')).text();
  }

  async calls(id: string): Promise<string> {
    return (await this.get(`${pathOf(id)}/calls.csv`, 'text/csv')).text();
  }

  // One table of all studies.
  async summaryCsv(): Promise<string> {
    const tables: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const table = await this.get(`${pagePath('/v1/studies/summary', kListPage, cursor)}&format=csv`, 'text/csv');
      tables.push(await table.text());
      const page = readStudyPage(await this.json(pagePath('/v1/studies', kListPage, cursor)));
      cursor = page.next;
    }
    return joinTables(tables);
  }

  private async json(path: string): Promise<unknown> {
    return (await this.get(path, 'application/json')).json() as Promise<unknown>;
  }

  private async get(path: string, accept: string): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.token}`, Accept: accept };
    const response = await this.fetchIt(path, { headers, cache: 'no-store' });
    if (!response.ok) throw new StudiesError(response.status);
    return response;
  }
}

function pathOf(id: string): string {
  return `/v1/studies/${encodeURIComponent(id)}`;
}

function pagePath(path: string, limit: number, cursor: string): string {
  const query = new URLSearchParams({ limit: String(limit) });
  if (cursor !== '') query.set('cursor', cursor);
  return `${path}?${query.toString()}`;
}

// Joins CSV tables with the same header.
export function joinTables(tables: readonly string[]): string {
  return tables
    .map((table, at) => (at === 0 ? table : table.slice(table.indexOf('\n') + 1)))
    .map((table) => (table === '' || table.endsWith('\n') ? table : `${table}\n`))
    .join('');
}

export function eventsUrl(session: string): string {
  return `/v1/sessions/${encodeURIComponent(session)}/events`;
}
