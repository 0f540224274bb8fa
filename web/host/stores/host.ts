// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef, watch } from 'vue';
import { type ChatLine, chatLines } from '../components/chat_lines';
import { createRelayBridge, type RelayBridge } from '../engine/bridge';
import type { BridgeView, LogLine } from '../engine/bridge_view';
import { createHostEngine } from '../engine/engine';
import type { Booking, BookingBackend, HostEngine, HostState } from '../engine/host_engine';
import type { Undo } from '@/stage/ui_spec';
import type { StudyLabels } from '../engine/relay_frames';
import { type OpenTransport, overSocket, relayUrl } from '../engine/relay_transport';
import { createRestBackend } from '../engine/rest_backend';
import type { UiSpec } from '@/stage/ui_spec';
import { useAccount } from '@/stores/account';
import { type Access, checkAccess } from './access';
import { readStored, sessionStore, writeStored } from '@/stores/storage';
import {
  type AgentsView,
  agentNames,
  envelopeOf,
  kEmptyView,
  phaseOf,
  withEnvelope,
  withoutLine,
} from './host_traffic';

// The session in which this page is the host, and the settings of a study.
export interface HostPlace {
  session: string;
  tools?: readonly string[]; // offered to agents; absent: all
  dataset?: string; // of the booking backend; absent: its first
  study?: StudyLabels;
}

export interface HostOutside {
  access: (token: string | null) => Promise<Access>;
  backend: (token: string | null, dataset: string | undefined) => BookingBackend;
  transport: (token: string | null) => OpenTransport;
}

const kBrowser: HostOutside = {
  access: (token) => checkAccess(token, window.fetch.bind(window)),
  backend: (token, dataset) => {
    const options = { base: '/v1/booking', ...(token ? { token } : {}), ...(dataset ? { dataset } : {}) };
    return createRestBackend(options);
  },
  transport: (token) => overSocket(() => new WebSocket(relayUrl(window.location.origin, token ?? undefined))),
};

// A confirmed booking and the page at that time. Kept when an agent ends the session and the state is reset.
export interface Confirmed {
  booking: Booking;
  spec: UiSpec;
  lines: readonly ChatLine[]; // of the conversation before it
}

// True if a page has changes since its reset.
function isTouched(state: HostState): boolean {
  const spec = state.uiSpec;
  if (spec === null) return false;
  return spec.stage !== 'movie' || spec.state.selected !== undefined || Object.keys(spec.modification).length > 0;
}

export type HostPhase = 'closed' | 'opening' | 'signIn' | 'failed' | 'open';

export type HostLine = Pick<BridgeView, 'phase' | 'retryAt'>;
const kDraftKey = 'parley.host.draft'; // an unsent message survives a reload
const kStopped: HostLine = { phase: 'stopped', retryAt: null };

// One booking in progress on this page: the engine, its connection to the relay, and the state of the agents.
export const useHost = defineStore('host', () => {
  const account = useAccount();
  const phase = ref<HostPhase>('closed');
  const problem = ref(''); // the reason why the page could not be opened
  const state = shallowRef<HostState | null>(null);
  const line = shallowRef<HostLine>(kStopped);
  const view = shallowRef<AgentsView>(kEmptyView);
  const seen = shallowRef<BridgeView['activity']>('absent');
  const log = shallowRef<readonly LogLine[]>([]);
  const session = ref('');
  const studyActive = ref(false);
  const busy = ref(0); // number of pending actions of the participant
  const draft = ref(readStored(sessionStore(), kDraftKey, ''));
  watch(draft, (text) => {
    writeStored(sessionStore(), kDraftKey, text === '' ? null : text);
  });
  const confirmed = shallowRef<Confirmed | null>(null);
  const asked = ref(''); // the token that is used; '' for a guest
  let engine: HostEngine | null = null;
  let bridge: RelayBridge | null = null;
  let outside = kBrowser;
  let place: HostPlace | null = null;
  let read = 0; // number of the last processed log line

  const agentPhase = computed(() => phaseOf(view.value, seen.value));
  const agentName = computed(() => {
    const names = agentNames(view.value).filter((it) => it !== '');
    return names.length === 1 ? (names[0] ?? '') : '';
  });
  const linesOf = (of: HostState | null) => chatLines(of?.messageHistory ?? [], view.value.acts, agentName.value);
  const lines = computed(() => {
    const now = linesOf(state.value);
    return confirmed.value && !state.value?.booking ? [...confirmed.value.lines, ...now] : now;
  });

  function takeLog(shown: BridgeView): void {
    for (const entry of shown.log) {
      if (entry.number <= read) continue;
      read = entry.number;
      view.value = withEnvelope(view.value, entry.direction, envelopeOf(entry), entry.at);
    }
  }

  function onView(shown: BridgeView): void {
    const before = line.value.phase;
    takeLog(shown);
    if (before === 'joined' && shown.phase !== 'joined') view.value = withoutLine(view.value);
    line.value = { phase: shown.phase, retryAt: shown.retryAt };
    seen.value = shown.activity;
    log.value = shown.log;
    session.value = shown.sessionId;
    studyActive.value = shown.sessionActive;
    if (shown.phase === 'waiting' && before !== 'waiting') void stillWelcome();
  }

  // Checks whether the token is still valid: a refused connection looks like a lost one.
  async function stillWelcome(): Promise<void> {
    const mine = bridge;
    const answer = await outside.access(asked.value || null);
    if (mine !== bridge || mine === null) return;
    if (answer.kind === 'denied') {
      leave();
      phase.value = 'signIn';
    }
  }

  async function open(at: HostPlace, through: HostOutside = kBrowser): Promise<void> {
    leave();
    place = at;
    outside = through;
    phase.value = 'opening';
    session.value = at.session;
    // A signed-in user works in their own workspace, a guest in that of the server's first token.
    let token = account.token;
    let answer = await outside.access(token);
    if (answer.kind === 'denied' && token !== null) {
      token = null;
      answer = await outside.access(null);
    }
    if (place !== at) return;
    if (answer.kind !== 'welcome') {
      problem.value = answer.kind;
      phase.value = answer.kind === 'denied' ? 'signIn' : 'failed';
      return;
    }
    begin(at, token);
  }

  function begin(at: HostPlace, token: string | null): void {
    asked.value = token ?? '';
    const backend = outside.backend(token, at.dataset);
    const made = createHostEngine(backend, at.tools ? { tools: at.tools } : {});
    engine = made;
    made.onChange((next) => {
      if (engine !== made) return;
      state.value = next;
      if (next.booking && next.uiSpec) {
        confirmed.value = { booking: next.booking, spec: next.uiSpec, lines: linesOf(next) };
      }
      if (!next.booking && !at.study && isTouched(next)) confirmed.value = null;
    });
    state.value = made.state;
    bridge = createRelayBridge({
      engine: made,
      open: outside.transport(token),
      sessionId: at.session,
      ...(at.study ? { study: at.study } : {}),
    });
    bridge.onView(onView);
    phase.value = 'open';
    bridge.start();
    void made.start();
  }

  function leave(): void {
    bridge?.stop();
    bridge = null;
    engine = null;
    place = null;
    read = 0;
    phase.value = 'closed';
    state.value = null;
    line.value = kStopped;
    view.value = kEmptyView;
    seen.value = 'absent';
    log.value = [];
    confirmed.value = null;
    busy.value = 0;
  }

  function again(): void {
    if (place !== null) void open(place, outside);
  }

  async function act(what: (engine: HostEngine) => Promise<unknown>): Promise<void> {
    const mine = engine;
    if (mine === null) return;
    busy.value += 1;
    try {
      await what(mine);
    } finally {
      if (mine === engine) busy.value -= 1;
    }
  }

  const select = (itemId: string) => act((it) => it.select(itemId));
  const setQuantity = (typeId: string, quantity: number) => act((it) => it.setQuantity(typeId, quantity));
  const next = () => act((it) => it.next());
  const prev = () => act((it) => it.prev());
  const undo = (kind: Undo) => act((it) => it.undo(kind));
  const reload = () => act((it) => it.start());

  // Starts another booking after a confirmed one.
  async function startOver(): Promise<void> {
    confirmed.value = null;
    if (state.value?.booking) await act((it) => it.reset());
  }

  // Calls a tool as an agent does; for the developer's panel.
  async function runTool(name: string, params: unknown, reason: string) {
    return engine?.runTool(name, params, reason === '' ? undefined : reason) ?? null;
  }

  // Sends the draft; false if it is blank.
  function say(): boolean {
    const text = draft.value.trim();
    if (text === '' || engine === null) return false;
    engine.say(text);
    draft.value = '';
    return true;
  }

  function takeOver(): void {
    bridge?.takeOver();
  }

  function retryNow(): void {
    if (line.value.phase === 'waiting' || line.value.phase === 'occupied') bridge?.start();
  }

  return {
    phase,
    problem,
    state,
    line,
    view,
    log,
    session,
    studyActive,
    busy,
    draft,
    confirmed,
    agentPhase,
    agentName,
    lines,
    open,
    leave,
    again,
    select,
    setQuantity,
    next,
    prev,
    undo,
    reload,
    startOver,
    runTool,
    say,
    takeOver,
    retryNow,
  };
});
