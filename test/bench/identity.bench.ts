import type { SnapshotUser } from '../../functions/identity/domain/directory/directory.ts';
import { compileMapping } from '../../functions/identity/domain/directory/map-user.ts';
import { type LinkedUser, UserPlan } from '../../functions/identity/domain/plan/user-plan.ts';
import { readPage } from '../../functions/identity/providers/scim/pages.ts';
import { type Benchmark, type Figure, median } from './benchmark.ts';

const PAGE = 200;
const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 5;
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** Pages as a source sends them, made before anything is measured. */
function pagesOf(count: number): readonly Buffer[] {
  return Array.from({ length: count / PAGE }, (_, page) =>
    Buffer.from(
      JSON.stringify({
        ...{
          schemas: [LIST],
          totalResults: count,
          startIndex: page * PAGE + 1,
          itemsPerPage: PAGE,
        },
        Resources: Array.from({ length: PAGE }, (_user, index) => aUser(page * PAGE + index)),
      }),
    ),
  );
}

const aUser = (number: number) => ({
  id: `7f1c2d3e-0000-4000-8000-${String(number).padStart(12, '0')}`,
  externalId: `E${number}`,
  userName: `user-${number}@example.com`,
  active: true,
  name: { givenName: `Given ${number}`, familyName: `Family ${number}` },
  displayName: `Given ${number} Family ${number}`,
  emails: [{ value: `user-${number}@example.com`, primary: true }],
  groups: [{ value: `g-${number % 50}`, type: 'direct' }],
  meta: { resourceType: 'User', lastModified: '2026-03-01T09:30:00.000Z' },
});

const map = compileMapping();
const memberships = { has: () => true, of: () => [], nameOf: () => undefined };
const departmentIdOf = new Map(Array.from({ length: 50 }, (_, id) => [`g-${id}`, `d-${id}`]));

/** The least that reading can cost: the same pages as JSON. */
const walk = (pages: readonly Buffer[]): number =>
  pages.reduce((sum, page) => sum + JSON.parse(page.toString()).Resources.length, 0);

function mapped(pages: readonly Buffer[], count: number): SnapshotUser[][] {
  let position = { startIndex: 1, read: 0, total: count, size: PAGE };
  return pages.map((body) => {
    const headers = { 'content-type': 'application/scim+json' };
    const page = readPage({ status: 200, headers, body }, position);
    if (page.next) position = { ...position, ...page.next };
    return page.resources.map((resource) => map(resource, memberships));
  });
}

function planned(pages: readonly Buffer[], count: number, links: readonly LinkedUser[]) {
  let next = 0;
  const newId = () => {
    next += 1;
    return `new-${next}`;
  };
  const plan = new UserPlan({ links, departmentIdOf, rootId: 'root', newId });
  for (const users of mapped(pages, count)) plan.add(users);
  plan.missing();
  return plan.counts;
}

const linksOf = (pages: readonly Buffer[], count: number): LinkedUser[] =>
  mapped(pages, count).flatMap((users) =>
    users.flatMap((user) =>
      'refused' in user
        ? []
        : {
            ...{ externalId: user.externalId, userId: user.externalId, hash: user.hash },
            active: true,
          },
    ),
  );

/** Milliseconds of processor time; the median of several rounds. */
function cpuMs(work: () => unknown): number {
  return median(
    Array.from({ length: ROUNDS }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    }),
  );
}

/** Checking, mapping and comparing the users of a source, against reading the same pages. */
export default {
  name: 'Synchronisation of an identity source, in process',
  async run(say) {
    const figures: Figure[] = [];
    for (const count of SIZES) {
      say(`${count} users`);
      const pages = pagesOf(count);
      const links = linksOf(pages, count);
      const floor = cpuMs(() => walk(pages));
      const unchanged = cpuMs(() => planned(pages, count, links));
      const first = cpuMs(() => planned(pages, count, []));
      const unit = 'ms of processor time';
      const walked = { what: 'walk of the same pages', value: floor };
      figures.push(
        ...[
          { what: `${count} users, nothing changed`, value: unchanged, goal: 2.5 },
          { what: `${count} users, all new`, value: first, goal: 6 },
        ].map((figure) => ({ ...figure, unit, floor: walked })),
      );
    }
    return figures;
  },
} satisfies Benchmark;
