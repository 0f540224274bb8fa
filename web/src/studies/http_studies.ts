// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, isObject } from './json';
import { type KitStudy, readKit, readStudies, readStudy, type Study } from './study';
import type { Finding } from './verify';

export class StudiesError extends Error {
  constructor(readonly status: number) {
    super(`the server answered ${status}`);
  }
}

export type ExportForm = 'jsonl' | 'calls' | 'summary';

const kForms: Record<ExportForm, string> = { jsonl: 'jsonl', calls: 'calls-csv', summary: 'summary-csv' };

export interface Verdict {
  records: number | null;
  findings: Finding[];
}

function readFindings(value: unknown): Finding[] {
  return asArray(value)
    .map((it) => (isObject(it) ? asText(it['message'] ?? it['text']) : asText(it)))
    .filter((text) => text !== '')
    .map((text) => ({ is: 'said', text }));
}

// What /v1 says of studies. The token goes in a header, never in an address.
export class HttpStudies {
  constructor(
    private readonly token: string,
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async list(): Promise<Study[]> {
    return readStudies(await this.json('/v1/studies?limit=1000'));
  }

  async one(id: string): Promise<Study | null> {
    const body = asObject(await this.json(`/v1/studies/${encodeURIComponent(id)}`));
    return readStudy(body['study'] ?? body);
  }

  async kit(): Promise<KitStudy[]> {
    return readKit(await this.json('/v1/study-kit'));
  }

  async verify(id: string): Promise<Verdict> {
    const body = asObject(await this.json(`/v1/studies/${encodeURIComponent(id)}/verify`));
    const findings = readFindings(body['findings'] ?? body['faults'] ?? body['problems']);
    return { records: asNumber(body['records']), findings };
  }

  async log(id: string): Promise<Blob> {
    return (await this.get(`/v1/studies/${encodeURIComponent(id)}/log`, 'application/x-ndjson')).blob();
  }

  // Of one study, or of all that the caller has.
  async exported(form: ExportForm, id: string | null): Promise<Blob> {
    if (form === 'jsonl' && id !== null) return this.log(id);
    const query = new URLSearchParams({ format: kForms[form] });
    if (id !== null) query.set('study', id);
    return (await this.get(`/v1/studies/export?${query.toString()}`, '*/*')).blob();
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

export function eventsUrl(session: string): string {
  return `/v1/sessions/${encodeURIComponent(session)}/events`;
}

// Gives the person a file.
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
