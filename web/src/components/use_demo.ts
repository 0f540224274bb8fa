// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Notify } from 'quasar';
import { ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { askDemo } from '@/protocol/demo';
import { useAccount } from '@/stores/account';
import { useInbox } from '@/stores/inbox';
import { visibleText } from '@/text/visible_text';

// Asks the sample question as an agent does, and shows the answer that the agent receives beside the card.
export function useDemo() {
  const { t } = useI18n();
  const account = useAccount();
  const inbox = useInbox();
  const asking = ref(false);

  async function ask(): Promise<void> {
    if (account.token === null || asking.value) return;
    asking.value = true;
    let key = '';
    try {
      const answer = await askDemo(
        account.token,
        {
          agent: t('demo.agent'),
          project: t('demo.project'),
          header: t('demo.header'),
          question: t('demo.question'),
          options: [
            { label: t('demo.sqlite'), description: t('demo.sqliteWhy') },
            { label: t('demo.postgres'), description: t('demo.postgresWhy') },
            { label: t('demo.later'), description: t('demo.laterWhy') },
          ],
        },
        (id) => {
          key = id;
        },
      );
      inbox.demoAnswers.set(key, answer.text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      Notify.create({ message: visibleText(t('demo.failed', { reason })), timeout: 6000 });
    } finally {
      asking.value = false;
    }
  }

  return { ask, asking };
}
