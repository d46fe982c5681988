import { afterEach, describe, expect, it } from 'vitest';
import type { IdentitySourceClient } from '../../../../functions/identity/providers/provider.ts';
import { SourceError } from '../../../../functions/identity/providers/source-error.ts';
import {
  listPage,
  numbered,
  type Script,
  scriptedSource,
  type Told,
} from '../../../helpers/scim/scripted-source.ts';

type Source = Awaited<ReturnType<typeof scriptedSource>>;
const open: Source[] = [];
const started = async (script?: Script, users?: ReturnType<typeof numbered>): Promise<Source> => {
  const source = await scriptedSource(script, users);
  open.push(source);
  return source;
};
afterEach(async () => {
  for (const source of open.splice(0)) await source.close();
});

const walk = async (client: IdentitySourceClient, filter?: string): Promise<string[]> => {
  const ids: string[] = [];
  let page = await client.page({ kind: 'Users', filter });
  for (;;) {
    ids.push(...page.resources.map(({ id }) => String(id)));
    if (!page.next) return ids;
    page = await client.page({ kind: 'Users', filter, position: page.next });
  }
};
const failure = async (work: Promise<unknown>): Promise<SourceError> => {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (error instanceof SourceError) return error;
  throw new Error('The source was read', { cause: error });
};
const at =
  (path: string, told: Told): Script =>
  (asked) =>
    asked.path.endsWith(path) ? told : undefined;

describe('paging', () => {
  it('walks all pages, in the size that the source allows', async () => {
    const source = await started();
    expect(await walk(source.client())).toEqual(numbered(5).map(({ id }) => id));
    const pages = source.asked.filter(({ path }) => path.endsWith('/Users'));
    expect(pages.map(({ query }) => [query.get('startIndex'), query.get('count')])).toEqual([
      ['1', '2'],
      ['3', '2'],
      ['5', '2'],
    ]);
  });

  it('tells the time of the source and whether the number of users has changed', async () => {
    let total = 5;
    const date = 'Sun, 01 Mar 2026 09:00:00 GMT';
    const source = await started(({ path, query }) => {
      if (!path.endsWith('/Users')) return undefined;
      total += 1;
      return {
        headers: { date },
        body: { ...listPage(numbered(5), { query }), totalResults: total },
      };
    });
    const first = await source.client().page({ kind: 'Users' });
    expect(first).toMatchObject({ hasDrifted: false, sourceTime: Date.parse(date) });
    const second = await source.client().page({ kind: 'Users', position: first.next });
    expect(second.hasDrifted).toBe(true);
  });

  it('follows cursors where the source has nothing else', async () => {
    const source = await started(({ path, query }) => {
      if (path.endsWith('Config')) return { body: { pagination: { cursor: true, index: false } } };
      if (!path.endsWith('/Users')) return undefined;
      const from = Number(query.get('cursor') || 0);
      const page = listPage(numbered(3), {
        query: new URLSearchParams({ startIndex: `${from + 1}`, count: '2' }),
      });
      const { startIndex: _, ...body } = page;
      return { body: { ...body, ...(from === 0 && { nextCursor: '2' }) } };
    });
    expect(await walk(source.client())).toEqual(['id-0', 'id-1', 'id-2']);
    expect(source.asked.map(({ query }) => query.get('startIndex'))).toEqual([null, null, null]);
  });

  it.each<[string, (page: number) => object]>([
    ['whose cursors lead on for ever', (page) => ({ totalResults: 10, nextCursor: `${page}` })],
    ['that grows with each page', (page) => ({ totalResults: (page + 2) * 200 })],
  ])('does not follow a list for ever %s', async (_, more) => {
    const hasCursor = 'nextCursor' in more(0);
    let pages = 0;
    const source = await started(({ path }) => {
      if (path.endsWith('Config'))
        return { body: { pagination: { cursor: hasCursor, index: !hasCursor } } };
      if (!path.endsWith('/Users')) return undefined;
      const from = pages * 200;
      pages += 1;
      const Resources = Array.from({ length: 200 }, (_each, at) => ({ id: `id-${from + at}` }));
      return {
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
          Resources,
          ...more(pages),
        },
      };
    });
    await expect(walk(source.client())).rejects.toMatchObject({ code: 'PAGING_BROKEN' });
    expect(pages).toBeLessThan(100);
  });

  it('halves pages that are too large', async () => {
    const source = await started(({ path, query }) => {
      if (path.endsWith('Config')) return { body: { filter: { maxResults: 500 } } };
      return path.endsWith('/Users') && Number(query.get('count')) > 50
        ? { status: 413 }
        : undefined;
    });
    await walk(source.client());
    const sizes = source.asked.flatMap(({ query }) => query.get('count') ?? []);
    expect(sizes).toEqual(['200', '100', '50']);
  });

  const list = (more: object) => ({
    body: { ...listPage(numbered(5), { query: new URLSearchParams({ count: '2' }) }), ...more },
  });
  it.each<[string, Told, string]>([
    ['the first page again', list({}), 'PAGING_BROKEN'],
    [
      'an empty page',
      { body: { ...list({}).body, startIndex: 3, Resources: [] } },
      'PAGING_BROKEN',
    ],
    [
      'an object twice',
      list({ startIndex: 3, Resources: [{ id: 'x' }, { id: 'x' }] }),
      'PAGING_BROKEN',
    ],
    ['an object without id', list({ startIndex: 3, Resources: [{ userName: 'x' }] }), 'BAD_ANSWER'],
    ['no total', list({ startIndex: 3, totalResults: '5' }), 'BAD_ANSWER'],
    ['no list', { body: { id: 'x' } }, 'BAD_ANSWER'],
    [
      'a page of HTML',
      { headers: { 'content-type': 'text/html' }, body: '<h1>Hi</h1>' },
      'BAD_ANSWER',
    ],
    ['broken JSON', { body: '{"schemas": [' }, 'BAD_ANSWER'],
    ['a refusal', { status: 400 }, 'REQUEST_REFUSED'],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://169.254.169.254/' } },
      'ADDRESS_REFUSED',
    ],
  ])('stops at %s', async (_, told, code) => {
    const source = await started(({ path, query }) =>
      path.endsWith('/Users') && query.get('startIndex') === '3' ? told : undefined,
    );
    expect((await failure(walk(source.client()))).code).toBe(code);
  });

  it('does not read an answer of more than 10 MB', async () => {
    const source = await started(at('/Users/id-1', { body: `"${'x'.repeat(10 * 1_048_576)}"` }));
    expect((await failure(source.client().find('Users', 'id-1'))).code).toBe('TOO_LARGE');
  });
});

describe('objects and filters', () => {
  it('says that there is none for 404 and 410 alone', async () => {
    const source = await started(at('/Users/gone', { status: 410 }));
    expect(await source.client().find('Users', 'gone')).toBeUndefined();
    expect(await source.client().find('Users', 'never')).toBeUndefined();
    expect(await source.client().find('Users', 'id-1')).toMatchObject({ userName: 'user-1' });
    const other = await started(at('/Users/a', { body: { id: 'b' } }));
    expect((await failure(other.client().find('Users', 'a'))).code).toBe('BAD_ANSWER');
    const down = await started(at('/Users/a', { status: 500 }));
    expect((await failure(down.client().find('Users', 'a'))).code).toBe('SOURCE_FAILED');
  });

  it.each(['.', '..', '\ud800'])(
    'asks for nobody whose id is %j, whose 404 another address would give',
    async (id) => {
      const source = await started(() => ({ status: 404 }));
      await expect(source.client().find('Users', id)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    },
  );

  it('counts without reading', async () => {
    const source = await started();
    expect(await source.client().count('Users')).toBe(5);
    expect(source.asked.at(-1)?.query.get('count')).toBe('0');
  });

  it.each([
    [{ status: 501 }, 'FILTER_REFUSED'],
    [{ status: 400, body: { scimType: 'invalidFilter' } }, 'FILTER_REFUSED'],
    [{ status: 400, body: { scimType: 'invalidValue' } }, 'REQUEST_REFUSED'],
  ])('knows a refused filter by %j', async (told, code) => {
    const source = await started(at('/Users', told));
    expect((await failure(walk(source.client(), 'meta.lastModified ge "x"'))).code).toBe(code);
  });
});

describe('patience', () => {
  it('waits as long as the source says', async () => {
    const source = await started(({ path }, count) =>
      path.endsWith('/Users') && count < 4
        ? { status: 429, headers: { 'retry-after': '7' } }
        : undefined,
    );
    expect(await walk(source.client())).toHaveLength(5);
    expect(source.pauses).toEqual([7_000, 7_000]);
  });

  it('gives up on a longer wait, and says how long', async () => {
    const source = await started(at('/Users', { status: 503, headers: { 'retry-after': '600' } }));
    expect(await failure(walk(source.client()))).toMatchObject({
      ...{ code: 'THROTTLED', retryAfterSeconds: 600 },
    });
    expect(source.pauses).toEqual([]);
  });

  it('understands a date by the clock of the source', async () => {
    const headers = {
      date: 'Sun, 01 Mar 2020 09:00:00 GMT',
      'retry-after': 'Sun, 01 Mar 2020 09:00:03 GMT',
    };
    const source = await started((_, count) =>
      count === 1 ? { status: 429, headers } : undefined,
    );
    await walk(source.client());
    expect(source.pauses).toEqual([3_000]);
  });

  it('tries a failed call again with growing pauses, and then gives up', async () => {
    const source = await started(at('/Users', { status: 500 }));
    expect((await failure(walk(source.client()))).code).toBe('SOURCE_FAILED');
    expect(source.pauses).toEqual([500, 1_000, 2_000]);
  });

  it('keeps to a pace', async () => {
    const source = await started(undefined, numbered(40));
    Object.assign(source.dependencies, { requestsPerSecond: 10 });
    await walk(source.client());
    expect(source.asked).toHaveLength(21);
    expect(source.pauses.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(1_100, 0);
  });
});

describe('users that are made at the source', () => {
  const ann = { userName: 'ann@here.example', email: 'ann@here.example', fullName: 'Ann' };

  it('get the domain of the source', async () => {
    const source = await started(({ method }) =>
      method === 'POST' ? { status: 201, body: { id: 'n' } } : undefined,
    );
    const client = source.client({ domainOverride: 'there.example' });
    expect(await client.createUser(ann)).toEqual({ id: 'n', isNew: true });
    expect(JSON.parse(source.asked.at(-1)?.body ?? '')).toMatchObject({
      userName: 'ann@there.example',
      emails: [{ value: 'ann@there.example', primary: true }],
    });
  });

  it('are those that are there already, when the source says so', async () => {
    const source = await started(({ method, query }) => {
      if (method === 'POST') return { status: 409, body: { scimType: 'uniqueness' } };
      return query.has('filter') ? { body: listPage([{ id: 'known' }], { query }) } : undefined;
    });
    expect(await source.client().createUser(ann)).toEqual({ id: 'known', isNew: false });
    expect(source.asked.at(-1)?.query.get('filter')).toBe('userName eq "ann@here.example"');
  });

  it('are not made twice when an answer fails', async () => {
    const source = await started(({ method }) => (method === 'POST' ? { status: 500 } : undefined));
    expect((await failure(source.client().createUser(ann))).code).toBe('SOURCE_FAILED');
    expect(source.asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});
