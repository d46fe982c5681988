import { describe, expect, it } from 'vitest';
import type { Host } from '../../../../shared/host/host.ts';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, DEFINITIONS, RECORDS } from '../entities-api.ts';

const FROM = `${RECORDS}/thing`;
const DEFINITION = `${DEFINITIONS}/code/thing`;
const COUNT = 450;
/** So many are in the answer's share of the file and in its first part. */
const MOST = 400;

const text = { type: 'string' };
const fields = { a: text, b: text, note: { type: 'string', format: 'textarea' }, z: text };
const schemaOf = (properties: object) => ({ uiSchemaJson: { type: 'object', properties } });
const { b: _b, ...withoutB } = fields;
const { z, ...beforeZ } = fields;

/** Things, of which an export takes two parts, and what happens once the first one is written. */
async function things() {
  const storage = memoryStorage();
  const state: {
    grant: PermissionDecision | boolean;
    meanwhile?: () => Promise<unknown>;
    after?: PermissionDecision | boolean;
  } = {
    grant: true,
  };
  const { put } = storage;
  const host: Host = {
    permissionEvaluator: {
      hasPermission: async (_who, _target, action) => action !== 'view' || state.grant,
    },
    storage: {
      ...storage,
      put: async (path, body, type) => {
        const { meanwhile } = state;
        if (path.endsWith('.part-1')) {
          state.meanwhile = undefined;
          await meanwhile?.();
        }
        return put(path, body, type);
      },
    },
  };
  const api = anEntitiesApi({ host });
  await api.define({ code: 'thing', name: 'Thing', requirePermission: true, ...schemaOf(fields) });
  const note = 'x'.repeat(20_000);
  const bodies = Array.from({ length: COUNT }, (_, at) => ({
    a: `a${at}`,
    b: `b${at}`,
    note,
    z: `z${at}`,
  }));
  await loadRecords(api.context, 'thing', bodies);
  return {
    ...api,
    state,
    /** Exports while something happens; changes of the definition are known everywhere after a minute. */
    async exported(query: string, meanwhile: () => Promise<unknown>) {
      const started = await api.get(`${FROM}/export?${query}`);
      state.meanwhile = async () => {
        await meanwhile();
        api.context.clock.advance(20_000);
      };
      await api.runJobs();
      state.grant = state.after ?? true;
      const { body } = await api.get(String(started.headers.location));
      const [file] = storage.files.values();
      return { status: started.status, job: body, text: Buffer.from(file ?? []).toString() };
    },
  };
}

const rowsOf = (csv: string) =>
  csv
    .replace('\ufeff', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')));

describe('the columns of an export', () => {
  it.each([
    ['is added', { ...fields, c: text }, ['a449', 'b449', 'z449']],
    ['is removed', withoutB, ['a449', '', 'z449']],
    ['becomes encrypted', { ...fields, b: { ...text, 'x-encrypted': true } }, ['a449', '', 'z449']],
    ['takes another place', { z, ...beforeZ }, ['a449', 'b449', 'z449']],
  ])('stay what the first line says when a field %s', async (_how, properties, last) => {
    const { exported, put } = await things();

    const { job, text: csv } = await exported('format=csv&fields=a,b,z,note', async () => {
      const { status } = await put(`${DEFINITION}/schema?force=true`, schemaOf(properties));
      expect(status).toBe(200);
    });

    const rows = rowsOf(csv);
    expect(job).toMatchObject({ state: 'DONE', processed: COUNT });
    expect(rows[0]).toEqual(['id', 'a', 'b', 'note', 'z']);
    expect(rows).toHaveLength(COUNT + 1);
    expect(rows.every(({ length }) => length === 5)).toBe(true);
    expect([1, 2, 4].map((column) => rows.at(-1)?.[column])).toEqual(last);
  });

  it('leave out what has become encrypted, and the job names it', async () => {
    const { exported, put } = await things();
    const properties = { ...fields, b: { ...text, 'x-encrypted': true } };

    const { job } = await exported('format=ndjson', () =>
      put(`${DEFINITION}/schema?force=true`, schemaOf(properties)),
    );

    expect(job).toMatchObject({ state: 'DONE', result: { leftOut: ['b'] } });
  });
});

describe('an export whose filter has lost its field', () => {
  it('fails and says so, instead of ending early', async () => {
    const { exported, put } = await things();

    const { job, text: file } = await exported('format=ndjson&b[startsWith]=b', () =>
      put(`${DEFINITION}/schema?force=true`, schemaOf(withoutB)),
    );

    expect(job).toMatchObject({ state: 'FAILED', result: { code: 'INVALID_PARAMETER' } });
    expect(file).toBe('');
  });
});

describe('the grant of who started an export', () => {
  const linesOf = (file: string) =>
    file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('is judged again for each part', async () => {
    const { exported, state } = await things();

    const { job, text: file } = await exported('format=ndjson', async () => {
      state.grant = { allowed: true, fields: ['a', 'note'], rowFilter: { a: 'a449' } };
    });

    const lines = linesOf(file);
    expect(job).toMatchObject({ state: 'DONE' });
    expect(lines.length).toBeLessThan(MOST);
    expect(Object.keys(lines[0])).toEqual(['id', 'a', 'b', 'note', 'z']);
    expect(lines.at(-1)).toEqual({ id: expect.any(String), a: 'a449', note: expect.any(String) });
  });

  it('hands the file out under the same grant only', async () => {
    const { exported, state, get } = await things();
    const { job } = await exported('format=ndjson', async () => {});
    const path = `${FROM}/jobs/${String(job.id)}`;

    const same = await get(path);
    state.grant = { allowed: true, fields: ['a'] };
    const narrowed = await get(path);
    state.grant = true;
    const again = await get(path);

    expect(same.body).toMatchObject({ state: 'DONE', link: expect.any(String) });
    expect(narrowed.body).toMatchObject({ state: 'DONE', result: { code: 'GRANT_CHANGED' } });
    expect(narrowed.body.link ?? null).toBeNull();
    expect(again.body.link).toEqual(expect.any(String));
  });

  it.each([
    [false, 'FORBIDDEN'],
    [{ allowed: true, fields: ['a'] }, 'FORBIDDEN'],
  ])('ends the export when it is gone: %j', async (grant, code) => {
    const { exported, state } = await things();

    const { job, text: file } = await exported('format=ndjson&b[startsWith]=b', async () => {
      state.grant = grant;
    });

    expect(job).toMatchObject({ state: 'FAILED', result: { code } });
    expect(file).toBe('');
  });
});

describe('an export that fits no answer', () => {
  it.each(['csv', 'json', 'ndjson'])(
    'is written by a job, quotes counted twice: %s',
    async (format) => {
      const { get, runJobs, context } = await things();
      const wanted = new URLSearchParams({ format, a: 'quoted' });
      const bodies = Array.from({ length: 12 }, () => ({ a: 'quoted', note: '"'.repeat(150_000) }));
      await loadRecords(context, 'thing', bodies);

      const started = await get(`${FROM}/export?${wanted}`);
      await runJobs();

      expect(started.status, started.text).toBe(202);
      const { body } = await get(String(started.headers.location));
      expect(body).toMatchObject({ state: 'DONE', processed: 12 });
    },
  );
});

describe('today in an export that goes on after midnight', () => {
  /** Things of one day, a few seconds before it ends; jobs run a minute later. */
  const lateThings = async () => {
    const api = await things();
    api.context.clock.advance(Date.parse('2026-03-01T23:59:50Z') - api.context.clock.now());
    return api;
  };
  const nothing = async (): Promise<void> => {};

  it('is the day on which the export was asked for', async () => {
    const { exported } = await lateThings();
    const { job } = await exported('format=ndjson&createdAt=today', nothing);
    expect(job).toMatchObject({ state: 'DONE', processed: COUNT });
  });

  it('leaves the grant what it was', async () => {
    const { exported, state } = await lateThings();
    state.grant = { allowed: true, rowFilter: { createdAt: { lte: 'today' } } };
    const { job } = await exported('format=ndjson', async () => {
      state.after = state.grant;
    });
    expect(job).toMatchObject({ state: 'DONE', processed: COUNT, link: expect.any(String) });
  });
});
