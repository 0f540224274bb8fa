// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import { readLogFile, type FileReading } from '@/studies/log_file';
import { kSpeeds, type Speed } from '@/studies/play_time';
import type { RawRecord } from '@/studies/record';
import type { Entry } from '@/studies/replay';
import { ReplayLog } from '@/studies/replay_log';
import { type FeedState, StudyFeed } from '@/studies/study_feed';
import { LogExaminer } from '@/studies/verify';

export type Source = { is: 'server'; url: string; token: string; open: boolean } | { is: 'file'; file: File };

// Limit of the time that one frame advances, so that the replay does not jump after the page was hidden.
const kLongestFrameMs = 250;
const kLoadingMs = 200;

// One replay: the source of the records, the current position, and playing.
export function useReplay() {
  let log = new ReplayLog();
  let examiner = new LogExaminer();
  let feed: StudyFeed | null = null;
  let run = 0; // number of the current source; records of older ones are dropped
  let frame = 0;
  let lastFrame = 0;
  let dirty: ReturnType<typeof setTimeout> | undefined;

  const version = ref(0); // incremented when the log grows
  const index = ref(-1);
  const position = ref(0); // ms on the current scale
  const playing = ref(false);
  const follow = ref(false);
  const speed = ref<Speed>(1);
  const skipPauses = ref(false);
  const state = shallowRef<FeedState>({ phase: 'stopped' });
  const reading = shallowRef<FileReading | null>(null);
  const restarted = ref(false);

  const seen = <T>(of: () => T) => computed(() => (version.value >= 0 ? of() : of()));
  const count = seen(() => log.records.length);
  const entries = computed<{ list: readonly Entry[]; version: number }>(() => ({
    list: log.entries,
    version: version.value,
  }));
  const length = computed(() => (version.value >= 0 ? log.time.length(skipPauses.value) : 0));
  const now = computed(() => (version.value >= 0 ? log.stateAt(index.value) : log.last));
  const atEnd = computed(() => index.value >= count.value - 1);

  function grown(): void {
    dirty = undefined;
    version.value += 1;
    if (count.value === 0) return;
    if (follow.value) toEnd();
    else if (index.value < 0) seekIndex(0);
  }

  // While loading, makes at most one new version per kLoadingMs; the first one is immediate.
  function mark(): void {
    if (dirty !== undefined) return;
    const wait = state.value.phase === 'loading' && index.value >= 0 ? kLoadingMs : 0;
    dirty = setTimeout(grown, wait);
  }

  function take(records: RawRecord[]): void {
    log.append(records);
    examiner.add(records);
    mark();
  }

  function empty(): void {
    log = new ReplayLog();
    examiner = new LogExaminer();
    index.value = -1;
    position.value = 0;
    playing.value = false;
    version.value += 1;
  }

  function close(): void {
    run += 1;
    feed?.stop();
    feed = null;
  }

  function open(source: Source): void {
    close();
    empty();
    restarted.value = false;
    reading.value = null;
    if (source.is === 'file') return void openFile(source.file);
    follow.value = source.open;
    const mine = run;
    const wanted = () => mine === run;
    feed = new StudyFeed({
      url: source.url,
      token: source.token,
      follow: source.open,
      onRecords(records) {
        if (!wanted()) return;
        take(records);
        endWhenClosed();
      },
      onRestart() {
        if (!wanted()) return;
        empty();
        restarted.value = true;
      },
      onState(next) {
        if (!wanted()) return;
        state.value = next;
        endWhenClosed();
      },
    });
    feed.start();
  }

  // Stops the feed when the followed study has ended.
  function endWhenClosed(): void {
    if (state.value.phase !== 'live' || log.records.at(-1)?.type !== 'study.closed') return;
    feed?.stop();
    feed = null;
    state.value = { phase: 'complete' };
  }

  async function openFile(file: File): Promise<void> {
    follow.value = false;
    const mine = run;
    state.value = { phase: 'loading', loaded: 0, total: 0 };
    try {
      reading.value = await readLogFile(
        file,
        (records, progress) => {
          if (mine !== run) return;
          reading.value = progress;
          take(records);
        },
        () => mine === run,
      );
      if (mine === run) state.value = { phase: 'complete' };
    } catch {
      if (mine === run) state.value = { phase: 'failed', reason: 'refused', status: 0 };
    }
  }

  function seekIndex(to: number): void {
    index.value = Math.max(0, Math.min(to, log.records.length - 1));
    position.value = log.time.of(index.value, skipPauses.value);
    if (index.value < log.records.length - 1) follow.value = false;
  }

  function seekTime(ms: number): void {
    const at = Math.max(0, Math.min(ms, length.value));
    seekIndex(log.time.indexAt(at, skipPauses.value));
    position.value = at;
  }

  function toEnd(): void {
    index.value = log.records.length - 1;
    position.value = length.value;
  }

  function goLive(): void {
    follow.value = true;
    playing.value = false;
    toEnd();
  }

  function play(): void {
    if (atEnd.value) seekIndex(0);
    playing.value = true;
    lastFrame = 0;
    frame = requestAnimationFrame(advance);
  }

  function pause(): void {
    playing.value = false;
    cancelAnimationFrame(frame);
  }

  function toggle(): void {
    if (playing.value) pause();
    else play();
  }

  function advance(at: number): void {
    if (!playing.value) return;
    const passed = lastFrame === 0 ? 0 : Math.min(kLongestFrameMs, at - lastFrame);
    lastFrame = at;
    position.value = Math.min(length.value, position.value + passed * speed.value);
    index.value = Math.max(index.value, log.time.indexAt(position.value, skipPauses.value));
    if (position.value < length.value) frame = requestAnimationFrame(advance);
    else playing.value = false;
  }

  function jump(forward: boolean, fits: (entry: Entry) => boolean = () => true): boolean {
    const entry = log.entries[log.find(index.value, forward, fits)];
    if (entry) seekIndex(entry.index);
    return entry !== undefined;
  }

  function setSkipPauses(skip: boolean): void {
    position.value = log.time.convert(position.value, skip);
    skipPauses.value = skip;
  }

  function setSpeed(to: Speed): void {
    speed.value = to;
  }

  function changeSpeed(by: number): void {
    const at = kSpeeds.indexOf(speed.value) + by;
    speed.value = kSpeeds[Math.max(0, Math.min(kSpeeds.length - 1, at))] ?? 1;
  }

  function retryNow(): void {
    feed?.retryNow();
  }

  onScopeDispose(() => {
    close();
    pause();
    clearTimeout(dirty);
  });

  return {
    version,
    index,
    position,
    playing,
    follow,
    speed,
    skipPauses,
    state,
    reading,
    restarted,
    count,
    entries,
    length,
    now,
    atEnd,
    open,
    close,
    seekIndex,
    seekTime,
    goLive,
    play,
    pause,
    toggle,
    jump,
    setSkipPauses,
    setSpeed,
    changeSpeed,
    retryNow,
    log: () => log,
    findings: () => examiner.finish(false, reading.value ?? undefined),
  };
}

export type Replay = ReturnType<typeof useReplay>;
