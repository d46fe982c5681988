import {
  outlineOf,
  type SnapshotUser,
} from '../../../functions/identity/domain/directory/directory.ts';
import { compileMapping } from '../../../functions/identity/domain/directory/map-user.ts';
import { type LinkedUser, UserPlan } from '../../../functions/identity/domain/plan/user-plan.ts';
import { readPage } from '../../../functions/identity/providers/scim/pages.ts';

export const PAGE = 200;
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A user with the members that sources send: those of scimmy, and the groups. */
export const aUser = (number: number, lastModified = '2026-03-01T09:30:00.000Z') => {
  const id = `7f1c2d3e-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const location = `https://idm.example.com/scim/v2/Users/${id}`;
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    ...{ id, externalId: `E${number}`, userName: `user-${number}@example.com`, active: true },
    name: {
      ...{ formatted: `Given ${number} Family ${number}`, givenName: `Given ${number}` },
      familyName: `Family ${number}`,
    },
    displayName: `Given ${number} Family ${number}`,
    emails: [{ value: `user-${number}@example.com`, type: 'work', primary: true }],
    groups: [{ value: `g-${number % 50}`, display: `Department ${number % 50}`, type: 'direct' }],
    meta: { resourceType: 'User', created: '2026-01-05T08:00:00.000Z', lastModified, location },
  };
};

/** A page as a source sends it. */
export function pageOf(
  count: number,
  first: number,
  Resources: readonly object[] = Array.from({ length: PAGE }, (_, index) => aUser(first + index)),
): Buffer {
  const facts = { totalResults: count, startIndex: first + 1, itemsPerPage: Resources.length };
  return Buffer.from(JSON.stringify({ schemas: [LIST], ...facts, Resources }));
}

/** Pages as a source sends them, made when they are asked for. */
export function* pagesOf(count: number): Generator<Buffer> {
  for (let first = 0; first < count; first += PAGE) yield pageOf(count, first);
}

const map = compileMapping();
const memberships = { has: () => true, of: () => [], nameOf: () => undefined };
const departmentIdOf = new Map(Array.from({ length: 50 }, (_, id) => [`g-${id}`, `d-${id}`]));

/** The least that reading can cost: the same pages as JSON. */
export function walk(pages: Iterable<Buffer>): number {
  let read = 0;
  for (const page of pages) read += JSON.parse(page.toString()).Resources.length;
  return read;
}

/** The users of one page after the other, as a run has them. */
function* mapped(pages: Iterable<Buffer>, count: number): Generator<SnapshotUser[]> {
  let position = { startIndex: 1, read: 0, total: count, size: PAGE };
  for (const body of pages) {
    const headers = { 'content-type': 'application/scim+json' };
    const page = readPage({ status: 200, headers, body }, position);
    if (page.next) position = { ...position, ...page.next };
    yield page.resources.map((resource) => map(resource, memberships));
  }
}

/** Reads, checks, maps and compares. */
export function planned(pages: Iterable<Buffer>, count: number, links: Iterable<LinkedUser>) {
  let next = 0;
  const newId = () => {
    next += 1;
    return `new-${next}`;
  };
  const plan = new UserPlan({ links, departmentIdOf, rootId: 'root', newId });
  for (const users of mapped(pages, count)) plan.add(users.map(outlineOf));
  plan.missing();
  return plan.counts;
}

/** What is known of the users after a run. */
export function* linksOf(pages: Iterable<Buffer>, count: number): Generator<LinkedUser> {
  for (const users of mapped(pages, count)) {
    for (const user of users) {
      if ('refused' in user) continue;
      const { externalId, hash } = user;
      yield { externalId, userId: `account-${externalId}`, hash, active: true };
    }
  }
}
