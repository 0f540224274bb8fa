// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { ref } from 'vue';
import { type ExportForm, saveFile } from '@/studies/http_studies';
import { useStudies } from '@/stores/studies';

const kNames: Record<ExportForm, string> = { jsonl: '.jsonl', calls: '-calls.csv', summary: '-summary.csv' };

// Fetches a file with the token in a header and gives it to the person.
export function useExport() {
  const studies = useStudies();
  const busy = ref(false);
  const failed = ref(false);

  async function save(form: ExportForm, id: string | null): Promise<void> {
    busy.value = true;
    failed.value = false;
    try {
      saveFile(await studies.server().exported(form, id), `${id ?? 'studies'}${kNames[form]}`);
    } catch {
      failed.value = true;
    } finally {
      busy.value = false;
    }
  }

  return { busy, failed, save };
}
