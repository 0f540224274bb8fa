// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asObject, asText } from '@/wire/json';
import { RunListFeed, type RunListFeedOptions } from './run_list_feed';
import {
  type AgentChoice,
  type Models,
  readAgents,
  readModels,
  readRun,
  readRunPage,
  type Run,
  type RunPage,
} from './run';

export class RunsError extends Error {
  constructor(
    readonly status: number, // 0: the server was not reached
    readonly sentence: string, // the server's sentence; '': none
    readonly field = '', // the member at fault: "model", "working_folder"
  ) {
    super(sentence === '' ? `the server answered ${status}` : sentence);
  }
}

export type RunListTold = Pick<RunListFeedOptions, 'onRun' | 'onRemoved' | 'onState'>;

export type Approve = '' | 'auto' | 'ask' | 'deny'; // '': by tools and profile

export interface NewRun {
  message: string;
  agent: string;
  model: string;
  workingFolder: string;
  approve: Approve;
  session?: string; // continues this conversation
}

// The routes of /v1 for runs. The token is sent in a header, never in a URL.
export class HttpRuns {
  constructor(
    private readonly token: string,
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  // Newest first; `before`: older than this run.
  async list(limit: number, before = ''): Promise<RunPage> {
    const query = new URLSearchParams({ limit: String(limit) });
    if (before !== '') query.set('before', before);
    return readRunPage(await this.get(`/v1/runs?${query.toString()}`));
  }

  // Reports each changed run and each deleted session while the feed is live; only of `session`, if given.
  changes(tell: RunListTold, session = ''): RunListFeed {
    const url = session === '' ? '/v1/runs' : `/v1/runs?${new URLSearchParams({ session }).toString()}`;
    return new RunListFeed({ url, token: this.token, ...tell, tools: { fetch: this.fetchIt } });
  }

  async one(id: string): Promise<Run> {
    return this.run(await this.get(pathOf(id)));
  }

  async models(): Promise<Models> {
    return readModels(await this.get('/v1/models'));
  }

  async agents(workingFolder: string): Promise<AgentChoice[]> {
    const query = workingFolder === '' ? '' : `?${new URLSearchParams({ working_folder: workingFolder }).toString()}`;
    return readAgents(await this.get(`/v1/agents${query}`));
  }

  async start(wanted: NewRun): Promise<Run> {
    const body: Record<string, string> = { message: wanted.message };
    if (wanted.agent !== '') body['agent'] = wanted.agent;
    if (wanted.model !== '') body['model'] = wanted.model;
    if (wanted.workingFolder !== '') body['working_folder'] = wanted.workingFolder;
    if (wanted.approve !== '') body['approve'] = wanted.approve;
    if (wanted.session !== undefined && wanted.session !== '') body['session_id'] = wanted.session;
    return this.run(await this.post('/v1/runs', body));
  }

  async cancel(id: string): Promise<void> {
    await this.post(`${pathOf(id)}/cancel`, {});
  }

  async resume(id: string): Promise<void> {
    await this.post(`${pathOf(id)}/resume`, {});
  }

  // Starts a new run from a checkpoint.
  async fork(id: string, checkpointId: string, message: string): Promise<Run> {
    const body: Record<string, string> = { checkpoint_id: checkpointId };
    if (message !== '') body['message'] = message;
    return this.run(await this.post(`${pathOf(id)}/fork`, body));
  }

  // False: another answer won. It is sent also while the page is closed.
  async approve(id: string, callId: string, allow: boolean, reason: string): Promise<boolean> {
    const body: Record<string, unknown> = { call_id: callId, allow };
    if (reason !== '') body['reason'] = reason;
    return (
      asObject(
        await this.ask(`${pathOf(id)}/approvals`, { method: 'POST', body: JSON.stringify(body), keepalive: true }),
      )['won'] !== false
    );
  }

  private run(body: unknown): Run {
    const run = readRun(body);
    if (!run) throw new RunsError(502, '');
    return run;
  }

  private get(path: string): Promise<unknown> {
    return this.ask(path, { cache: 'no-store' });
  }

  private post(path: string, body: unknown): Promise<unknown> {
    return this.ask(path, { method: 'POST', body: JSON.stringify(body) });
  }

  private async ask(path: string, init: RequestInit): Promise<unknown> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.token}`, Accept: 'application/json' };
    if (init.body !== undefined) headers['Content-Type'] = 'application/json';
    let response: Response;
    try {
      response = await this.fetchIt(path, { ...init, headers });
    } catch {
      throw new RunsError(0, '');
    }
    if (!response.ok) throw await refusal(response);
    return response.json() as Promise<unknown>;
  }
}

async function refusal(response: Response): Promise<RunsError> {
  try {
    const body = asObject(await response.json());
    const sentence = asText(body['message']) || asText(body['error']) || asText(asObject(body['error'])['message']);
    return new RunsError(response.status, sentence, asText(body['field']));
  } catch {
    return new RunsError(response.status, '');
  }
}

function pathOf(id: string): string {
  return `/v1/runs/${encodeURIComponent(id)}`;
}

export function runEventsUrl(id: string): string {
  return `${pathOf(id)}/events`;
}
