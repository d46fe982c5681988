import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { aGrantsWorld, type Decide, observe, type Secret, type Variant } from './grants-world.ts';
import { CANARY, IDS, NUMBERS, WAYS, type Way } from './ways.ts';

/** A narrowed grant and what it hides from whom takes a way: values only, or also whether there are any. */
interface Narrowing {
  readonly name: string;
  readonly secret: Secret;
  readonly decide: Decide;
  /** Who narrows; default: the host. */
  readonly by?: 'host' | 'policies';
  readonly hides: (way: Way) => 'values' | 'presence' | undefined;
}

const someFields: PermissionDecision = {
  allowed: true,
  fields: ['name', 'city', 'status', 'firm'],
};
const someRows: PermissionDecision = { allowed: true, rowFilter: { city: 'Huế' } };
const isView = ({ asks }: Way): boolean => asks === 'view';
/** Which record holds a value that is taken is shown to who may view it. */
const showsByView = (way: Way): boolean =>
  isView(way) || way.constraint !== undefined || way.foretells === true;

const NARROWINGS: readonly Narrowing[] = [
  {
    name: 'fields, for every action',
    secret: 'field',
    decide: () => someFields,
    hides: () => 'presence',
  },
  {
    name: 'fields, for view',
    secret: 'field',
    decide: (action) => (action === 'view' ? someFields : true),
    hides: () => 'presence',
  },
  {
    name: 'fields, for add, edit and delete',
    secret: 'field',
    decide: (action) => (action === 'view' ? true : someFields),
    hides: (way) => (showsByView(way) ? undefined : 'presence'),
  },
  {
    name: 'fields, by no view at all',
    secret: 'field',
    decide: (action) => action !== 'view',
    hides: () => 'presence',
  },
  {
    name: 'rows, for every action',
    secret: 'row',
    decide: () => someRows,
    hides: () => 'presence',
  },
  {
    // Who may change or delete a row learns that it is there.
    name: 'rows, for view',
    secret: 'row',
    decide: (action) => (action === 'view' ? someRows : true),
    hides: (way) => (isView(way) ? 'presence' : 'values'),
  },
  {
    name: 'rows, for add, edit and delete',
    secret: 'row',
    decide: (action) => (action === 'view' ? true : someRows),
    hides: (way) => (showsByView(way) ? undefined : 'presence'),
  },
  {
    name: 'rows, by no view at all',
    secret: 'row',
    decide: (action) => action !== 'view',
    hides: (way) => (isView(way) ? 'presence' : 'values'),
  },
];

/** Policies of the entity hide the same as the host does. */
const BY_POLICIES = NARROWINGS.filter(({ name }) => /for every action|for view/.test(name)).map(
  (narrowing): Narrowing => ({
    ...narrowing,
    name: `${narrowing.name}, by policies`,
    by: 'policies',
  }),
);

/** What a constraint refuses leaves different records behind, so these ways have worlds of their own. */
const [OTHERS, CONSTRAINTS] = [
  WAYS.filter(({ constraint }) => !constraint),
  WAYS.filter(({ constraint }) => constraint),
];

/** What is observed on the ways, by their names. */
async function walk(
  ways: readonly Way[],
  { secret, decide, by }: Pick<Narrowing, 'secret'> & Partial<Narrowing>,
  variant: Variant,
): Promise<ReadonlyMap<string, string>> {
  const { open, caller } = await aGrantsWorld(secret, variant, decide ?? (() => true), by);
  const observed = new Map<string, string>();
  for (const way of ways) observed.set(way.name, await observe(decide ? caller : open, way));
  return observed;
}

/** Where two observations differ. */
function difference({ name }: Way, one = '', other = ''): string[] {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  if (one === other) return [];
  const part = (text: string): string => text.slice(Math.max(0, at - 60), at + 60);
  return [`${name}: ${part(one)} <> ${part(other)}`];
}

/** Texts of a secret that the caller has not sent. */
function textsIn(
  observed: string,
  secret: Secret,
  { name: way, path, body, entity }: Way,
): string[] {
  const sent = decodeURIComponent(path) + JSON.stringify(body);
  const { name, secret: word, salary, email, token } = CANARY;
  // A visit may be seen with the id that it refers to.
  const ids = entity === 'visit' ? [] : [IDS.hidden, IDS.hiddenDeleted];
  // Who may make records sees in the form which fields there are.
  const numbers = way === 'form schema' ? [] : [NUMBERS];
  const own = secret === 'row' ? [name, ...ids] : [word, token, ...numbers];
  return [...own, email, String(salary)].filter(
    (text) => observed.includes(text) && !sent.includes(text),
  );
}

describe('a narrowed grant', () => {
  it('is tried on ways of different names', () => {
    expect(new Set(WAYS.map(({ name }) => name)).size).toBe(WAYS.length);
  });

  it.each([...NARROWINGS, ...BY_POLICIES])(
    'hides on every way: $name',
    async (narrowing) => {
      const { secret, hides } = narrowing;
      const canary = await walk(OTHERS, narrowing, 'canary');
      const other = await walk(OTHERS, narrowing, 'other');
      const nothing = await walk(OTHERS, narrowing, 'nothing');
      const refused = await walk(CONSTRAINTS, narrowing, 'canary');

      const leaks = OTHERS.flatMap((way) => {
        const [seen, value, none] = [canary, other, nothing].map((each) => each.get(way.name));
        return [
          ...(hides(way) ? difference(way, seen, value) : []),
          ...(hides(way) === 'presence' ? difference(way, seen, none) : []),
        ];
      });
      const texts = WAYS.filter((way) => hides(way) === 'presence').flatMap((way) => {
        const observed = canary.get(way.name) ?? refused.get(way.name) ?? '';
        return textsIn(observed, secret, way).map((text) => `${way.name}: ${text}`);
      });

      expect(leaks).toEqual([]);
      expect(texts).toEqual([]);
    },
    60_000,
  );

  it.each(['field', 'row'] as const)(
    'is needed to hide: without one the %s is seen where it belongs',
    async (secret) => {
      const unseen: string[] = [];
      for (const ways of [OTHERS, CONSTRAINTS]) {
        const canary = await walk(ways, { secret }, 'canary');
        const nothing = await walk(ways, { secret }, 'nothing');
        const shown = ways.filter(({ shows = [] }) => shows.includes(secret));
        unseen.push(
          ...shown
            .filter(({ name }) => canary.get(name) === nothing.get(name))
            .map(({ name }) => name),
        );
      }

      expect(unseen).toEqual([]);
    },
    60_000,
  );

  it('is not needed for what is stored, sent and logged: no encrypted value is there in the clear', async () => {
    const { open } = await aGrantsWorld('field', 'canary', () => true);
    const shown: string[] = [];
    for (const way of OTHERS) shown.push(await observe(open, way));
    await open.runJobs();
    const { db, bus, queues, log, payloads } = open.context;
    const items = JSON.stringify(db.items());

    expect(shown.join()).toContain(CANARY.token);
    expect(bus.events.length).toBeGreaterThan(0);
    for (const text of [
      items,
      ...[bus.events, queues, log, payloads].map((each) =>
        inspect(each, { depth: 20, maxArrayLength: null }),
      ),
    ]) {
      expect(text).not.toContain(CANARY.token);
    }
  }, 60_000);
});
