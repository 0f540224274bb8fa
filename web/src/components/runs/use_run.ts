// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import { runEventsUrl } from '@/runs/http_runs';
import type { Finding, Stretch } from '@/runs/merge';
import { isLive, type Run } from '@/runs/run';
import type { Frame } from '@/runs/run_event';
import { RunFeed, type RunFeedState } from '@/runs/run_feed';
import { readRunFile, type RunFileReading } from '@/runs/run_file';
import { RunFold } from '@/runs/run_fold';

export type RunSource =
  { is: 'server'; id: string; token: string; find: () => Promise<Run> } | { is: 'file'; file: File };

interface View {
  root: RunFold;
  tick: number;
}

export interface AgentStep {
  key: string;
  name: string;
}

const kFoldedAtOnce = 4000;

// One run on the page: follows it on the server or reads it from a file, and updates the view once per
// animation frame.
export function useRun() {
  const view = shallowRef<View>({ root: new RunFold(), tick: 0 });
  const feed = shallowRef<RunFeedState>({ phase: 'loading' });
  const reading = shallowRef<RunFileReading | null>(null); // of a file
  const findings = shallowRef<Finding[] | null>(null);
  const stretches = shallowRef<Stretch[]>([]); // the runs of a file
  const chosen = ref(0);
  const trail = shallowRef<AgentStep[]>([]); // of sub-agents, from the run inwards
  let source: RunFeed | null = null;
  let opening = 0;
  let drawing = 0;

  // The shown fold: that of the run, or of the sub-agent at the end of the trail.
  const shown = computed<View>(() => {
    let fold = view.value.root;
    for (const { key } of trail.value) fold = fold.agents.get(key) ?? fold;
    return { root: fold, tick: view.value.tick };
  });

  function draw(): void {
    drawing = 0;
    view.value.root.settle();
    view.value = { root: view.value.root, tick: view.value.tick + 1 };
  }

  function drawSoon(): void {
    if (drawing === 0) drawing = requestAnimationFrame(draw);
  }

  function drawNow(): void {
    cancelAnimationFrame(drawing);
    draw();
  }

  function reset(): void {
    source?.stop();
    source = null;
    opening += 1;
    cancelAnimationFrame(drawing);
    drawing = 0;
    view.value = { root: new RunFold(), tick: 0 };
    feed.value = { phase: 'loading' };
    reading.value = null;
    findings.value = null;
    stretches.value = [];
    chosen.value = 0;
    trail.value = [];
  }

  function open(what: RunSource): void {
    reset();
    if (what.is === 'file') void openFile(what.file);
    else follow(what.id, what.token, what.find);
  }

  function follow(id: string, token: string, find: () => Promise<Run>): void {
    source = new RunFeed({
      url: runEventsUrl(id),
      token,
      onFrames(frames: Frame[]) {
        for (const frame of frames) view.value.root.push(frame);
        drawSoon();
      },
      onState(state) {
        feed.value = state;
        if (state.phase === 'complete') drawNow();
      },
      isLive: async () => isLive((await find()).state),
    });
    source.start();
  }

  async function openFile(file: File): Promise<void> {
    const mine = opening;
    const isWanted = () => mine === opening;
    try {
      const merged = await readRunFile(file, (now) => (reading.value = now), isWanted);
      if (!isWanted()) return;
      stretches.value = merged.runs;
      findings.value = merged.findings;
      await choose(0);
      feed.value = { phase: 'complete' };
    } catch {
      if (isWanted()) feed.value = { phase: 'failed', reason: 'refused', status: 0 };
    }
  }

  // Shows another run of the file.
  async function choose(at: number): Promise<void> {
    const mine = opening;
    chosen.value = at;
    trail.value = [];
    const root = new RunFold();
    const frames = stretches.value[at]?.frames ?? [];
    view.value = { root, tick: 0 };
    for (let from = 0; from < frames.length; from += kFoldedAtOnce) {
      for (const frame of frames.slice(from, from + kFoldedAtOnce)) root.push(frame);
      if (from + kFoldedAtOnce < frames.length) await new Promise((resolve) => setTimeout(resolve));
      if (mine !== opening || chosen.value !== at) return;
    }
    drawNow();
  }

  function enter(step: AgentStep): void {
    trail.value = [...trail.value, step];
  }

  function leaveTo(depth: number): void {
    trail.value = trail.value.slice(0, depth);
  }

  // Stops reading; keeps the frames.
  function leave(): void {
    source?.stop();
  }

  onScopeDispose(reset);

  return {
    view,
    shown,
    feed,
    reading,
    findings,
    stretches,
    chosen,
    trail,
    open,
    reset,
    leave,
    choose,
    enter,
    leaveTo,
    retryNow: () => source?.retryNow(),
  };
}

export type RunView = ReturnType<typeof useRun>;
