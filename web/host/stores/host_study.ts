// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { useAccount } from '@/stores/account';
import { type HostPlace, useHost } from './host';
import type { Fetch } from './access';
import { readStored, sessionStore, writeStored } from '@/stores/storage';

export interface StudyKit {
  id: string;
  title: string;
  consent: string; // Markdown
  end: string; // Markdown
}

export interface Assignment {
  studyId: string;
  participantId: string;
  condition: {
    id: string;
    agent: boolean; // an agent takes part; otherwise there is no chat
    tools: string[] | null; // null: all
  };
  scenario: {
    id: string;
    title: string;
    instructions: string; // Markdown
    data: { seed: number; days: number } | null; // null: the shared data
  };
}

export type StudyStep = 'loading' | 'absent' | 'failed' | 'signIn' | 'consent' | 'task' | 'booking' | 'end';

// State stored in this tab, so that a reload keeps the step.
interface StoredProgress {
  step: StudyStep;
  assignment: Assignment;
  dataset: string;
  code: string;
}

type Json = Record<string, unknown>;

export function validParticipant(id: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(id);
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
const asText = (value: unknown) => (typeof value === 'string' ? value : '');

export function readKit(body: unknown): StudyKit {
  const kit = asObject(body);
  return {
    id: asText(kit['id']),
    title: asText(kit['title']),
    consent: asText(kit['consent']),
    end: asText(kit['endText']),
  };
}

export function readAssignment(body: unknown): Assignment | null {
  const from = asObject(body);
  const condition = asObject(from['condition']);
  const scenario = asObject(from['scenario']);
  const data = asObject(scenario['data']);
  const studyId = asText(from['studyId']);
  const participantId = asText(from['participantId']);
  if (studyId === '' || participantId === '') return null;
  const { tools } = condition;
  const { seed, days } = data;
  return {
    studyId,
    participantId,
    condition: {
      id: asText(condition['id']),
      agent: condition['agent'] !== false,
      tools: Array.isArray(tools) ? tools.filter((it): it is string => typeof it === 'string') : null,
    },
    scenario: {
      id: asText(scenario['id']),
      title: asText(scenario['title']),
      instructions: asText(scenario['instructions']),
      data: typeof seed === 'number' && typeof days === 'number' ? { seed, days } : null,
    },
  };
}

// A code with the participant and the booking's id as in the log, so that a researcher can check it.
export function completionCode(participant: string, booking: string | null): string {
  return `${participant}-${
    booking === null
      ? '0'
      : booking
          .replace(/[^A-Za-z0-9]/g, '')
          .slice(0, 8)
          .toUpperCase()
  }`;
}

// The participant's session, with the options of the condition.
export function placeOf({ studyId, participantId, condition, scenario }: Assignment, dataset: string): HostPlace {
  return {
    session: participantId,
    ...(condition.tools ? { tools: condition.tools } : {}),
    ...(dataset === '' ? {} : { dataset }),
    study: { studyId, participantId, condition: condition.id, scenario: scenario.id },
  };
}

class StudyError extends Error {
  constructor(readonly status: number) {
    super(`the study answered ${status}`);
  }
}

// The steps of a participant of a study kit.
export const useHostStudy = defineStore('host_study', () => {
  const account = useAccount();
  const host = useHost();
  const step = ref<StudyStep>('loading');
  const kit = shallowRef<StudyKit | null>(null);
  const assignment = shallowRef<Assignment | null>(null);
  const participant = ref(''); // from the URL; '': the server assigns a code
  const busy = ref(false);
  const problem = ref(false);
  const dataset = ref('');
  const code = ref('');
  const id = ref('');
  let fetch: Fetch = window.fetch.bind(window);

  const key = computed(() => `parley.study.${id.value}.${participant.value}`);

  function keep(): void {
    if (!assignment.value) return;
    const stored: StoredProgress = {
      step: step.value,
      assignment: assignment.value,
      dataset: dataset.value,
      code: code.value,
    };
    writeStored(sessionStore(), key.value, stored);
  }

  // Sends a request with the token of the signed-in user, otherwise as a guest.
  async function ask(path: string, body?: object): Promise<unknown> {
    const send = (token: string | null) => {
      const headers: Record<string, string> = { Accept: 'application/json' };
      if (body) headers['Content-Type'] = 'application/json';
      if (token !== null) headers['Authorization'] = `Bearer ${token}`;
      const post = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      return fetch(path, { ...post, headers, cache: 'no-store' });
    };
    let response = await send(account.token);
    if (response.status === 401 && account.token !== null) response = await send(null);
    if (!response.ok) throw new StudyError(response.status);
    return response.json();
  }

  async function open(study: string, who: string, through?: Fetch): Promise<void> {
    if (through) fetch = through;
    host.leave();
    id.value = study;
    participant.value = who;
    await again();
  }

  async function again(): Promise<void> {
    const wanted = id.value;
    step.value = 'loading';
    problem.value = false;
    try {
      const body = await ask(`/v1/study-kit/${encodeURIComponent(wanted)}`);
      if (wanted !== id.value) return;
      kit.value = readKit(body);
      resume();
    } catch (error) {
      if (wanted !== id.value) return;
      const status = error instanceof StudyError ? error.status : 0;
      step.value = status === 401 ? 'signIn' : status === 404 || status === 400 ? 'absent' : 'failed';
    }
  }

  function resume(): void {
    const stored = readStored<StoredProgress | null>(sessionStore(), key.value, null);
    if (!stored) {
      step.value = 'consent';
      return;
    }
    assignment.value = stored.assignment;
    dataset.value = stored.dataset;
    code.value = stored.code;
    step.value = stored.step;
    if (stored.step === 'booking') void host.open(placeOf(stored.assignment, stored.dataset));
  }

  async function agree(): Promise<void> {
    const who = participant.value;
    if (busy.value || (who !== '' && !validParticipant(who))) return;
    busy.value = true;
    problem.value = false;
    try {
      const body = await ask(
        `/v1/study-kit/${encodeURIComponent(id.value)}/assign`,
        who === '' ? {} : { participantId: who },
      );
      const assigned = readAssignment(body);
      if (!assigned) throw new StudyError(502);
      dataset.value = assigned.scenario.data ? await ownData(assigned.scenario.data) : '';
      assignment.value = assigned;
      step.value = 'task';
      keep();
    } catch {
      problem.value = true;
    } finally {
      busy.value = false;
    }
  }

  async function ownData(data: { seed: number; days: number }): Promise<string> {
    const made = asObject(await ask('/v1/booking/datasets', data));
    const name = asText(made['dataset']);
    if (name === '') throw new StudyError(502);
    return name;
  }

  function start(): void {
    if (!assignment.value) return;
    step.value = 'booking';
    keep();
    void host.open(placeOf(assignment.value, dataset.value));
  }

  function finish(): void {
    code.value = completionCode(assignment.value?.participantId ?? '', host.confirmed?.booking.id ?? null);
    step.value = 'end';
    keep();
    host.leave();
  }

  return { step, kit, assignment, participant, busy, problem, code, open, again, agree, start, finish };
});
