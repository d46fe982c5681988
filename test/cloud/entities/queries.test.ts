import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import {
  findsWords,
  fits,
  type OracleRecord,
  sortBy,
} from '../../helpers/entity-queries/oracle.ts';
import { aQuery, aRecord, type RandomQuery } from '../../helpers/entity-queries/random-queries.ts';
import { customerSchema } from '../../unit/entities/entities-api.ts';

const RECORDS = 80;
const SEED = 4;

let api: ApiClient;
let path: string;
let records: readonly OracleRecord[];

beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'mai', roles: ['admin'] }),
  });
  const code = `asked-${randomUUID().slice(0, 8)}`;
  const { email: _email, ...properties } = customerSchema.properties;
  const declared = await api.post('/api/v1/entity-definitions', {
    body: { code, name: 'Asked', uiSchemaJson: { ...customerSchema, properties } },
  });
  expect(declared.status, declared.text).toBe(201);
  path = `/api/v1/dynamic/${code}`;
  const bodies = fc.sample(aRecord, { numRuns: RECORDS, seed: SEED });
  const { body, text } = await api.post(`${path}/bulk`, {
    body: { operations: bodies.map((data) => ({ op: 'create', data })) },
  });
  expect(body.results, text).toHaveLength(RECORDS);
  records = bodies.map((data, index) => ({ ...data, id: body.results[index].id }));
});

const list = ({ filter, q, sort, size }: RandomQuery, more: Record<string, string | number>) =>
  api.get(path, {
    query: {
      filter: JSON.stringify(filter),
      ...(q && { q }),
      ...(sort && { sort }),
      size,
      ...more,
    },
  });

function expected({ filter, q, sort }: RandomQuery): string[] {
  const found = records.filter(
    (record) => fits(record, filter) && (q === undefined || findsWords(record, q)),
  );
  return sortBy(found, sort).map(({ id }) => id);
}

const idsOf = (content: readonly { readonly id: string }[]) => content.map(({ id }) => id);

describe('a list over the API', () => {
  it('has the records, the order and the total that looking at every record gives', async () => {
    await fc.assert(
      fc.asyncProperty(aQuery, async (query) => {
        const all = expected(query);

        const { status, body, text } = await list(query, { page: query.page });

        expect(status, text).toBe(200);
        const from = query.page * query.size;
        expect(idsOf(body.content)).toEqual(all.slice(from, from + query.size));
        expect(body.totalElements).toBe(all.length);
      }),
      { numRuns: 120, seed: SEED },
    );
  });

  it('shows every record once when its cursors are followed', async () => {
    await fc.assert(
      fc.asyncProperty(aQuery, async (query) => {
        const all = expected(query).slice(0, query.size * 4);
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const { body } = await list(query, { count: 'none', ...(cursor && { cursor }) });
          seen.push(...idsOf(body.content));
          cursor = body.nextCursor ?? undefined;
        } while (cursor && seen.length < all.length);
        expect(seen.slice(0, all.length)).toEqual(all);
      }),
      { numRuns: 20, seed: SEED },
    );
  });
});
