// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onScopeDispose, type Ref, watch } from 'vue';
import type { Run } from '@/runs/run';
import type { RunListFeed } from '@/runs/run_list_feed';
import { useRuns } from '@/stores/runs';

interface RunChangeHandlers {
  onRun: (run: Run) => void;
  onRemoved: () => void;
  onLive: () => void; // earlier changes must be requested
}

// Follows changes of a run that are not in its stream: that it is resumed or deleted. Nothing is followed
// while `run` is null. Inactive while the page is hidden.
export function useRunChanges(run: Ref<Run | null>, { onLive, onRemoved, onRun }: RunChangeHandlers): void {
  const runs = useRuns();
  let feed: RunListFeed | null = null;

  function follow(): void {
    feed?.stop();
    feed = null;
    const { value } = run;
    if (!value || document.hidden) return;
    feed = runs.server().changes(
      {
        onRun: (changed) => {
          if (changed.id === value.id) onRun(changed);
        },
        onRemoved: (session) => {
          runs.drop(session);
          if (session === value.session) onRemoved();
        },
        onState: ({ phase }) => {
          if (phase === 'live') onLive();
        },
      },
      value.session,
    );
    feed.start();
  }

  watch(() => run.value?.id ?? '', follow, { immediate: true });
  document.addEventListener('visibilitychange', follow);
  onScopeDispose(() => {
    document.removeEventListener('visibilitychange', follow);
    feed?.stop();
  });
}
