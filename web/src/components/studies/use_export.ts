// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { ref } from 'vue';
import { type ExportForm, joinTables } from '@/studies/http_studies';
import { useStudies } from '@/stores/studies';
import { saveFile } from '@/text/save_file';

const kNames: Record<ExportForm, string> = { jsonl: '.jsonl', calls: '-calls.csv', summary: '-summary.csv' };

// Fetches files with the token in a header and saves them as one file.
export function useExport() {
  const studies = useStudies();
  const busy = ref(false);
  const failed = ref(false);
  const done = ref(0);

  async function parts(form: ExportForm, ids: readonly string[]): Promise<string[]> {
    const server = studies.server();
    if (form === 'summary') return [await server.summaryCsv()];
    const found: string[] = [];
    for (const id of ids) {
      found.push(await (form === 'jsonl' ? server.log(id) : server.calls(id)));
      done.value = found.length;
    }
    return form === 'jsonl' ? found : [joinTables(found)];
  }

  async function save(form: ExportForm, ids: readonly string[]): Promise<void> {
    busy.value = true;
    failed.value = false;
    done.value = 0;
    try {
      const type = form === 'jsonl' ? 'application/x-ndjson' : 'text/csv';
      const name = ids.length === 1 && form !== 'summary' ? (ids[0] ?? '') : 'studies';
      saveFile(new Blob(await parts(form, ids), { type }), `${name}${kNames[form]}`);
    } catch {
      failed.value = true;
    } finally {
      busy.value = false;
    }
  }

  return { busy, done, failed, save };
}
