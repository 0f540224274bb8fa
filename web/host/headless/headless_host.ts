// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The engine and bridge of the host page, without a page; one per session.
import { createRelayBridge, type RelayBridge } from '../engine/bridge';
import type { BridgeView } from '../engine/bridge_view';
import { createHostEngine } from '../engine/engine';
import type { BookingBackend, HostEngine, HostState } from '../engine/host_engine';
import type { OpenTransport } from '../engine/relay_transport';

export interface HeadlessOptions {
  sessionId: string;
  backend: BookingBackend;
  open: OpenTransport;
  takeover: boolean;
  tools?: readonly string[];
  turn: (act: () => void) => void;
  say: (sentence: string) => void;
  onJoined: () => void;
  onReplaced: () => void; // another host took over; this one does not reconnect
  onBooked: () => void;
}

export interface HeadlessHost {
  readonly engine: HostEngine;
  readonly bridge: RelayBridge;
  start(): Promise<void>;
  stop(): void;
}

export const kLoadRetryMs = 2_000;

function callSentence(view: BridgeView): string {
  const call = view.lastCall;
  if (call === null) return '';
  const reason = call.reason === '' ? 'no reason given' : call.reason;
  const refusal = call.outcome === 'refused' ? `, refused: ${call.message}` : '';
  return `${call.toolName} (${reason})${refusal}`;
}

class Headless implements HeadlessHost {
  readonly engine: HostEngine;
  readonly bridge: RelayBridge;
  private before: BridgeView;
  private booked: string | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: HeadlessOptions) {
    const { backend, tools, open, sessionId, takeover, turn } = options;
    this.engine = createHostEngine(backend, tools ? { tools } : {});
    this.bridge = createRelayBridge({ engine: this.engine, open, sessionId, takeover, turn, logLines: 0 });
    this.before = this.bridge.view;
    this.engine.onChange((state) => {
      this.onState(state);
    });
    this.bridge.onView((view) => {
      this.onView(view);
    });
  }

  async start(): Promise<void> {
    this.bridge.start();
    await this.engine.start();
  }

  stop(): void {
    clearTimeout(this.retry);
    this.bridge.stop();
  }

  private onState(state: HostState): void {
    // Retries a stage that could not be loaded.
    if (state.uiSpec === null && !state.loading && state.failure !== null) {
      this.options.say(`${state.failure} Trying again.`);
      clearTimeout(this.retry);
      this.retry = setTimeout(() => void this.engine.start(), kLoadRetryMs);
    }
    const id = state.booking?.id;
    if (id !== undefined && id !== this.booked) {
      this.options.say(`booked ${id} for $${(state.booking?.totalPrice ?? 0).toFixed(2)}`);
      this.options.onBooked();
    }
    this.booked = id;
  }

  private onView(view: BridgeView): void {
    const { before } = this;
    this.before = view;
    if (view.phase !== before.phase) {
      this.options.say(`relay: ${view.phase}`);
      if (view.phase === 'joined') this.options.onJoined();
      if (view.phase === 'replaced') this.options.onReplaced();
    }
    if (view.problem !== before.problem && view.problem !== null) this.options.say(view.problem);
    if (view.agents.length !== before.agents.length) {
      this.options.say(`agents: ${view.agents.map((agent) => agent.name).join(', ') || 'none'}`);
    }
    if (view.lastCall !== before.lastCall && view.lastCall !== null && view.lastCall.outcome !== 'running') {
      this.options.say(callSentence(view));
    }
  }
}

export function createHeadlessHost(options: HeadlessOptions): HeadlessHost {
  return new Headless(options);
}
