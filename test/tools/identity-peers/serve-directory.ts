import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';
import { demoPeople, type PeerDirectory } from './demo-people.ts';

/*
 * A SCIM service provider made of other people's code (scimmy, scimmy-routers on Express), in a process of its own:
 * its resources are declared once for a process. It begins with the users and groups of DIRECTORY (JSON), else with a
 * company of PEOPLE (40) people who have not changed since SINCE (now), and is changed by SCIM itself; its admin account is admin:secret. With EXPRESS=5 the routers
 * ignore paging.
 */
if (process.env.EXPRESS === '5') {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'express' ? 'express5' : specifier, context),
  });
}
const { default: express } = await import('express');
const { default: SCIMMY } = await import('scimmy');
const { default: SCIMMYRouters } = await import('scimmy-routers');

interface Stored {
  readonly id: string;
  /** Of a user. */
  readonly userName: string;
  /** Of a group. */
  readonly displayName: string;
  readonly [name: string]: unknown;
}

const { DIRECTORY, PEOPLE = '40', MAX_RESULTS = '200', PORT = '0' } = process.env;
const { SINCE: startedAt = new Date().toISOString() } = process.env;
const initial: Partial<PeerDirectory> =
  DIRECTORY === undefined
    ? demoPeople(Number(PEOPLE))
    : (JSON.parse(DIRECTORY) as Partial<PeerDirectory>);
const storeOf = (resources: readonly { readonly id: string }[] = []) =>
  new Map(
    (resources as readonly Stored[]).map((each) => [
      each.id,
      { meta: { created: startedAt, lastModified: startedAt }, ...each },
    ]),
  );
const users = storeOf(initial.users);
const groups = storeOf(initial.groups);

interface Wanted {
  readonly id?: string | undefined;
  readonly filter?: { match(values: Stored[]): Stored[] } | undefined;
  /** `totalResults` tells that the list is a page already. */
  readonly constraints?: {
    readonly startIndex?: number;
    readonly count?: number;
    readonly sortBy?: string;
    totalResults?: number;
  };
}

/** A page alone is made a list of, where that is simple: the routers make one of all objects for each page. */
function pageOf(all: Stored[], constraints: NonNullable<Wanted['constraints']>): Stored[] {
  const { startIndex = 1, count, sortBy } = constraints;
  if (count === undefined || (sortBy !== undefined && sortBy !== 'id')) return all;
  constraints.totalResults = all.length;
  const inOrder = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return inOrder.slice(startIndex - 1, startIndex - 1 + count);
}

function readFrom(
  stored: Map<string, Stored>,
  { id, filter, constraints = {} }: Wanted,
): Stored | Stored[] {
  if (id === undefined) {
    const all = [...stored.values()];
    return pageOf(filter ? filter.match(all) : all, constraints);
  }
  const found = stored.get(id);
  if (!found) throw new SCIMMY.Types.Error(404, '', `There is no ${id}`);
  return found;
}

let made = 0;
function write(stored: Map<string, Stored>, { id }: Wanted, data: object): Stored {
  const given = JSON.parse(JSON.stringify(data)) as Stored;
  const isTaken = [...stored.values()].some(
    (each) => each.userName !== undefined && each.userName === given.userName && each.id !== id,
  );
  if (isTaken) throw new SCIMMY.Types.Error(409, 'uniqueness', 'The user name is taken');
  made += 1;
  const now = new Date().toISOString();
  const before = stored.get(id ?? '')?.meta as { readonly created?: string } | undefined;
  const meta = { created: before?.created ?? now, lastModified: now };
  const next = { ...given, id: id ?? `made-${made}`, meta };
  stored.set(next.id, next);
  return next;
}

SCIMMY.Resources.declare(SCIMMY.Resources.User)
  .egress((wanted) => readFrom(users, wanted as Wanted))
  .ingress((wanted, data) => write(users, wanted, data))
  .degress((wanted) => void users.delete(wanted.id ?? ''));
SCIMMY.Resources.declare(SCIMMY.Resources.Group)
  .egress((wanted) => readFrom(groups, wanted as Wanted))
  .ingress((wanted, data) => write(groups, wanted, data))
  .degress((wanted) => void groups.delete(wanted.id ?? ''));
SCIMMY.Config.set({
  filter: { supported: true, maxResults: Number(MAX_RESULTS) },
  sort: { supported: true },
});

const app = express();
app.use(
  '/scim/v2',
  new SCIMMYRouters({
    type: 'basic',
    handler: (request) => {
      const expected = Buffer.from('admin:secret').toString('base64');
      if (request.header('authorization') !== `Basic ${expected}`) throw new Error('No login');
      return 'admin';
    },
  }),
);
const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/scim/v2` }));
});
// Ends with whoever has started it.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
