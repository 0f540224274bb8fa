// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Notify } from 'quasar';
import { computed, type ComputedRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { type RouteLocationRaw, useRouter } from 'vue-router';
import { focusCardSoon } from '@/components/card_focus';
import type { IconName } from '@/components/icons';
import { agentOf, kAllConversations, projectTitle } from '@/inbox/conversations';
import { kKeyTable, type PlaceName } from '@/shell/keys';
import { kPlaces, placeWords } from '@/shell/places';
import { useChatSessions } from '@/stores/chat_sessions';
import { useConnection } from '@/stores/connection';
import { useInbox } from '@/stores/inbox';
import { useRuns } from '@/stores/runs';
import { useSelection } from '@/stores/selection';
import { useSettings } from '@/stores/settings';
import { useShell } from '@/stores/shell';
import { useStudies } from '@/stores/studies';
import { useUnread } from '@/stores/unread';
import { copyText } from '@/text/clipboard';
import { plainLine } from '@/text/markdown';
import type { Entry, EntryKind } from './entries';

const kLine = 100;
const kPerKind = 1000;

function keysOf(place: PlaceName): string | undefined {
  return kKeyTable.flatMap(({ rows }) => rows).find(({ act }) => act?.do === 'go' && act.to === place)?.keys[0];
}

function usePages(): ComputedRef<Entry[]> {
  const { t } = useI18n();
  const router = useRouter();
  const go = (to: RouteLocationRaw) => () => void router.push(to);
  const nameOf = (name: PlaceName) => t(placeWords(name));
  return computed(() => [
    ...kPlaces.map(({ icon, name }): Entry => ({
      id: `page:${name}`,
      kind: 'page',
      icon,
      at: 0,
      title: nameOf(name),
      hint: '',
      aliases: t(`shell.palette.alias.${name}`),
      keys: keysOf(name),
      open: go({ name }),
    })),
    {
      id: 'page:notifications',
      kind: 'page',
      icon: 'warn',
      at: 0,
      title: t('shell.nav.notifications'),
      hint: t('nav.settings'),
      aliases: t('shell.palette.alias.notifications'),
      open: go({ name: 'settings-notifications' }),
    } satisfies Entry,
    {
      id: 'page:devices',
      kind: 'page',
      icon: 'shield',
      at: 0,
      title: t('shell.nav.devices'),
      hint: t('nav.settings'),
      aliases: t('shell.palette.alias.devices'),
      open: go({ name: 'settings-devices' }),
    } satisfies Entry,
    {
      id: 'page:rules',
      kind: 'page',
      icon: 'checks',
      at: 0,
      title: t('shell.nav.rules'),
      hint: t('nav.settings'),
      aliases: t('shell.palette.alias.rules'),
      open: go({ name: 'settings-rules' }),
    } satisfies Entry,
  ]);
}

function useActions(): ComputedRef<Entry[]> {
  const { t } = useI18n();
  const router = useRouter();
  const connection = useConnection();
  const settings = useSettings();
  const shell = useShell();
  const unread = useUnread();

  async function copyAddress(): Promise<void> {
    const done = await copyText(window.location.href);
    Notify.create({ message: t(done ? 'shell.palette.act.copied' : 'shell.palette.act.notCopied'), timeout: 2500 });
  }

  function action(name: string, title: string, icon: IconName, open: () => void, aliases = ''): Entry {
    return { id: `action:${name}`, kind: 'action', icon, at: 0, title, hint: '', aliases, open };
  }

  return computed(() => {
    const word = (name: string) => t(`shell.palette.act.${name}`);
    const alias = (name: string) => t(`shell.palette.alias.${name}`);
    const themes = (['light', 'dark', 'system'] as const).filter((theme) => theme !== settings.theme);
    return [
      ...themes.map((theme) =>
        action(
          `theme-${theme}`,
          word(theme),
          'settings',
          () => {
            settings.theme = theme;
          },
          alias('theme'),
        ),
      ),
      action(
        'language',
        word('language'),
        'text',
        () => {
          settings.language = settings.language === 'en' ? 'zh' : 'en';
        },
        alias('language'),
      ),
      action(
        'keys',
        word('keys'),
        'keyboard',
        () => {
          shell.show('keys');
        },
        alias('keys'),
      ),
      action('copy', word('copy'), 'link', () => void copyAddress()),
      action('new-chat', word('newChat'), 'plus', () => void router.push({ name: 'chat', params: { session: 'new' } })),
      ...(unread.unread.length > 0
        ? [
            action('read', word('read'), 'check', () => {
              unread.markAll(kAllConversations);
            }),
          ]
        : []),
      action('sound', word('sound'), 'play', () => {
        settings.sound = !settings.sound;
      }),
      action(
        'sign-out',
        word('signOut'),
        'leave',
        () => {
          connection.signOut();
        },
        alias('signOut'),
      ),
    ];
  });
}

function useThings(): ComputedRef<Entry[]> {
  const { t } = useI18n();
  const router = useRouter();
  const chats = useChatSessions();
  const inbox = useInbox();
  const runs = useRuns();
  const selection = useSelection();
  const studies = useStudies();

  function jump(key: string): void {
    selection.activate(key);
    void router.push({ name: 'item', params: { item: key } }).then(() => {
      focusCardSoon(key);
    });
  }

  const thing = (
    kind: EntryKind,
    icon: IconName,
    id: string,
    title: string,
    hints: readonly string[],
    at: number,
    open: () => void,
  ): Entry => ({
    id: `${kind}:${id}`,
    kind,
    icon,
    at,
    title,
    hint: hints.filter((it) => it !== '').join(' · '),
    open,
  });
  const newest = (entries: Entry[]) => entries.sort((a, b) => b.at - a.at).slice(0, kPerKind);

  const questions = computed(() =>
    inbox.pending.map((item) =>
      thing(
        'question',
        'inbox',
        item.key,
        plainLine(item.prompt.text, kLine),
        [agentOf(item), projectTitle(item.prompt.project)],
        item.openedAt,
        () => {
          jump(item.key);
        },
      ),
    ),
  );
  const conversations = computed(() =>
    inbox.groups.flatMap((group) =>
      group.conversations.map((it) =>
        thing(
          'conversation',
          'note',
          it.id,
          it.agent || t('inbox.anAgent'),
          [group.title, plainLine(it.lastText, kLine)],
          it.lastAt,
          () => void router.push({ name: 'inbox', params: { conversation: it.id } }),
        ),
      ),
    ),
  );
  const jobs = computed(() =>
    runs.runs.map((run) =>
      thing(
        'run',
        'runs',
        run.id,
        plainLine(run.message, kLine) || t('shell.palette.untitledRun'),
        [t(`runs.state.${run.state}`), run.agent, projectTitle(run.workingFolder)],
        run.startedAt,
        () => void router.push({ name: 'run', params: { run: run.id } }),
      ),
    ),
  );
  const talks = computed(() =>
    chats.sessions.map((it) =>
      thing(
        'chat',
        'chat',
        it.code,
        plainLine(it.title, kLine) || t('shell.palette.untitledChat'),
        [],
        it.updatedAt,
        () => void router.push({ name: 'chat', params: { session: it.code } }),
      ),
    ),
  );
  const trials = computed(() =>
    studies.studies.map((it) =>
      thing(
        'study',
        'studies',
        it.id,
        [it.studyId, it.participantId].filter((part) => part !== '').join(' · ') || it.id,
        [it.condition, it.scenario],
        it.startedAt,
        () => void router.push({ name: 'studies', params: { study: it.id } }),
      ),
    ),
  );
  return computed(() => [questions, conversations, jobs, talks, trials].flatMap((kind) => newest([...kind.value])));
}

// All entries of the palette; asks the server for the lists that the pages have not loaded.
export function useEntries(): { entries: ComputedRef<Entry[]>; load: () => void } {
  const chats = useChatSessions();
  const runs = useRuns();
  const studies = useStudies();
  const [actions, pages, things] = [useActions(), usePages(), useThings()];
  const entries = computed(() => [...things.value, ...pages.value, ...actions.value]);

  function load(): void {
    if (runs.line.phase !== 'live') void runs.refresh();
    void chats.refresh();
    void studies.refresh();
  }
  return { entries, load };
}
