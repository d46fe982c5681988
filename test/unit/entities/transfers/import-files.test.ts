import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EntityModel } from '../../../../functions/entities/domain/definitions/model.ts';
import {
  type FilePosition,
  ImportFile,
} from '../../../../functions/entities/transfers/import-file.ts';
import { HostFiles } from '../../../../shared/files/host-files.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage, streamingStorage } from '../../../helpers/captured/memory-storage.ts';
import { aCustomerEntity, anEntitiesApi, RECORDS } from '../entities-api.ts';

const IMPORT = `${RECORDS}/customer/import`;
const TYPES = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const;
type Format = keyof typeof TYPES;

async function customers() {
  const storage = memoryStorage();
  const api = anEntitiesApi({ host: { permissionEvaluator: claimsPermissionEvaluator, storage } });
  await api.define(aCustomerEntity());
  return {
    ...api,
    /** Imports a file in the answer. */
    sent: (format: Format, text: string) =>
      api.post(IMPORT, text, { headers: { 'content-type': TYPES[format] } }),
    /** Imports a file that was uploaded, by a job. */
    async uploaded(format: Format, text: string) {
      const bytes = Buffer.from(text);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const announced = { format, sizeBytes: bytes.length, sha256 };
      const { body, headers } = await api.post(`${IMPORT}/uploads`, announced);
      storage.files.set(`entities/imports/${body.id}.${format}`, bytes);
      const started = await api.post(`${headers.location}:import`);
      await api.runJobs();
      return (await api.get(String(started.headers.location))).body;
    },
  };
}

describe('a file that nests too deeply', () => {
  const deep = `{"name":"a","extra":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  const refused = { created: 1, failed: 1, errors: [{ row: 1, code: 'TOO_DEEP' }] };

  it.each<[Format, string]>([
    ['json', `[${deep},{"name":"b"}]`],
    ['ndjson', `${deep}\n{"name":"b"}`],
  ])('has its row refused, and the others stored: %s', async (format, text) => {
    const { sent, uploaded } = await customers();

    expect((await sent(format, text)).body).toMatchObject(refused);
    expect(await uploaded(format, text)).toMatchObject({ state: 'DONE', result: refused });
  });
});

describe('a number beyond those of JSON', () => {
  it.each<[Format, string]>([
    ['json', '[{"name":"a","amount":1e999}]'],
    ['ndjson', '{"name":"a","amount":-1e999}'],
  ])('is refused, not read as none: %s', async (format, text) => {
    const { sent, uploaded } = await customers();
    const refused = { created: 0, failed: 1, errors: [{ row: 1, field: 'amount', code: 'RANGE' }] };

    expect((await sent(format, text)).body).toMatchObject(refused);
    expect(await uploaded(format, text)).toMatchObject({ state: 'DONE', result: refused });
  });
});

describe('a file that is cut off or misspelt', () => {
  it.each<[Format, string, string]>([
    [
      'json',
      '[{"name":"An"},\n{"na',
      'The file is not valid JSON: unexpected "\\"" at line 2, column 2.',
    ],
    [
      'json',
      '[{"name":"An"},',
      'The file is not valid JSON: it ends too early at line 1, column 16.',
    ],
    ['json', '[\n {"name":x}]', 'The file is not valid JSON: unexpected "x" at line 2, column 10.'],
    [
      'ndjson',
      '{"name":"ế"}\n{"name":x}',
      'Record at byte 15 is not valid JSON: unexpected "x" at column 9.',
    ],
  ])('is told where: %s %j', async (format, text, detail) => {
    const { uploaded } = await customers();

    const job = await uploaded(format, text);

    expect(job).toMatchObject({ state: 'FAILED', result: { code: 'IMPORT_INVALID', detail } });
  });

  it('is told where in an answer too', async () => {
    const { sent } = await customers();

    const { status, body } = await sent('ndjson', '{"name":"An"}\n{"name":');

    const detail = 'Record 2 is not valid JSON: it ends too early at column 9.';
    expect({ status, ...body }).toMatchObject({ status: 400, code: 'IMPORT_INVALID', detail });
  });
});

describe('rows with the same id in one step', () => {
  it('are one record and failures, however the id is spelt', async () => {
    const { uploaded, get } = await customers();
    const id = '0a000000-0000-7000-8000-00000000000b';
    const rows = [id, id.toUpperCase(), id].map((each, at) => ({ id: each, name: `n${at}` }));

    const job = await uploaded('ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));

    const errors = [2, 3].map((row) => ({ row, code: 'RECORD_EXISTS' }));
    expect(job).toMatchObject({ state: 'DONE', result: { created: 1, failed: 2, errors } });
    expect((await get(`${RECORDS}/customer`)).body).toMatchObject({ totalElements: 1 });
  });
});

describe('the steps of an import', () => {
  const CHUNK = 65_536;
  const COUNT = 1_000;
  const notes = 'y'.repeat(10_000);
  const texts = {
    ndjson: Array.from(
      { length: COUNT },
      (_, at) => `${JSON.stringify({ name: `n${at}`, notes })}\n`,
    ),
    csv: ['name,notes\r\n', ...Array.from({ length: COUNT }, (_, at) => `n${at},${notes}\r\n`)],
  };

  it.each(['csv', 'ndjson'] as const)(
    'read each byte of a large file about once: %s',
    async (format) => {
      const storage = streamingStorage(CHUNK);
      const bytes = Buffer.from(texts[format].join(''));
      storage.files.set('file', bytes);
      const files = new HostFiles(storage, undefined as never);
      const model = { field: () => undefined } as unknown as EntityModel;
      const file = new ImportFile(files, model, { object: 'file', format });
      const steps: number[] = [];

      let rows = 0;
      for (let from: FilePosition = { byte: 0, row: 0 }, isLast = false; !isLast; ) {
        const before = storage.read.length;
        const chunk = await file.chunk(from);
        rows += chunk.rows.length;
        steps.push(storage.read.slice(before).reduce((sum, size) => sum + size, 0));
        from = chunk.ends.at(-1) ?? from;
        isLast = chunk.isLast;
      }

      expect(rows).toBe(COUNT);
      expect(steps).toHaveLength(COUNT / 500);
      expect(Math.max(...steps)).toBeLessThanOrEqual(bytes.length / steps.length + 4 * CHUNK);
    },
  );
});
