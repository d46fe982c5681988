import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';

/*
 * A SCIM service provider made of other people's code (scimmy, scimmy-routers on Express), in a process of its own:
 * its resources are declared once for a process. Its users and groups are given as JSON; with EXPRESS=5 the routers
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

const initial = JSON.parse(process.env.DIRECTORY ?? '{}') as {
  readonly users?: readonly Stored[];
  readonly groups?: readonly Stored[];
};
const users = new Map((initial.users ?? []).map((user) => [user.id, user]));
const groups = new Map((initial.groups ?? []).map((group) => [group.id, group]));

interface Wanted {
  readonly id?: string | undefined;
  readonly filter?: { match(values: Stored[]): Stored[] } | undefined;
}

function readFrom(stored: Map<string, Stored>, { id, filter }: Wanted): Stored | Stored[] {
  if (id === undefined) return filter ? filter.match([...stored.values()]) : [...stored.values()];
  const found = stored.get(id);
  if (!found) throw new SCIMMY.Types.Error(404, '', `There is no ${id}`);
  return found;
}

function write(stored: Map<string, Stored>, { id }: Wanted, data: object): Stored {
  const given = JSON.parse(JSON.stringify(data)) as Stored;
  const isTaken = [...stored.values()].some(
    (each) => each.userName !== undefined && each.userName === given.userName && each.id !== id,
  );
  if (isTaken) throw new SCIMMY.Types.Error(409, 'uniqueness', 'The user name is taken');
  const next = { ...given, id: id ?? `made-${stored.size + 1}` };
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
  filter: { supported: true, maxResults: Number(process.env.MAX_RESULTS ?? 200) },
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
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit());
