import type { Resource } from '../../../functions/identity/domain/directory/scim-path.ts';
import type { EncryptService } from '../../../shared/ports/security.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { type Asked, listPage, scriptedSource, type Told } from '../scim/scripted-source.ts';
import type { TestContext } from '../world/a-context.ts';
import { anIdentityApi, reversing, SOURCES } from './identity-api.ts';
import { memorySync } from './memory-sync.ts';
import { realSync } from './real-sync.ts';

interface HttpOptions {
  /** What the directory answers instead of what it should; `undefined`: what it should. */
  readonly lie?: (asked: Asked, honest: Told) => Told | undefined;
  /** Hosts that are called beside the directory. */
  readonly hosts?: readonly string[];
  readonly basicConfig?: object;
  readonly strategyConfig?: object;
  readonly encryption?: EncryptService;
  /** The deployment that the module shares with others. */
  readonly besides?: { readonly context: TestContext; readonly svc: object };
}

/** The history of users, as far as tests look at it. */
interface HistoryRow {
  readonly batch: string;
  readonly status: string;
  readonly deletedCount: number;
  readonly disabledCount: number;
}

export type HttpSync = Awaited<ReturnType<typeof httpSync>>;

/**
 * A directory on this machine, and all that reads it, from the routes to the accounts: nothing between them is a double
 * but the table, the bucket and the state machine.
 */
export async function httpSync(options: HttpOptions = {}) {
  const { besides, encryption = reversing, hosts = [] } = options;
  const directory = {
    users: new Map<string, Resource>(),
    groups: new Map<string, Resource>(),
    pageSize: 200,
    password: 'secret',
    /** The clock of the directory (epoch ms); none: it does not tell. */
    now: undefined as (() => number) | undefined,
    lie: options.lie,
  };
  const source = await scriptedSource((asked) => {
    const { now } = directory;
    const headers: Told['headers'] = now ? { date: new Date(now()).toUTCString() } : {};
    const honest = { headers, ...honestly(asked) };
    return directory.lie?.(asked, honest) ?? honest;
  });
  const honestly = ({ path, query, authorization = '' }: Asked): Told => {
    const name = path.replace('/scim/v2/', '');
    const login = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
    if (!path.startsWith('/scim/v2/')) return { status: 404 };
    if (login !== `sync:${directory.password}`) return { status: 401 };
    if (name === 'ServiceProviderConfig') {
      return { body: { filter: { supported: true, maxResults: directory.pageSize } } };
    }
    const [kind, id] = name.split('/').map(decodeURIComponent);
    const all = kind === 'Users' ? directory.users : directory.groups;
    if (id !== undefined) return all.has(id) ? { body: all.get(id) } : { status: 404 };
    const since = /lastModified ge "([^"]+)"/.exec(query.get('filter') ?? '')?.[1] ?? '';
    const listed = [...all.values()].filter(
      ({ meta }) => String((meta as Resource | undefined)?.lastModified ?? '~') >= since,
    );
    return { body: listPage(listed as { id: string }[], { query }) };
  };
  const real = lazy(() => realSync(api, encryption));
  const api = anIdentityApi({
    ...{ encryption, ...(besides && { besides: besides.context, module: 'identity' }) },
    svc: {
      ...besides?.svc,
      idp: { enabled: true, 'allow-insecure-hosts': [new URL(source.origin).host, ...hosts] },
    },
    sync: memorySync({
      execute: (...call) => real().sync.execute(...call),
      approve: (...call) => real().sync.approve(...call),
      validate: (...call) => real().sync.validate(...call),
      applyOne: (...call) => real().sync.applyOne(...call),
      planned: (...call) => real().sync.planned(...call),
      preview: (...call) => real().sync.preview(...call),
      provision: (...call) => real().sync.provision(...call),
      runForEvents: (...call) => real().sync.runForEvents(...call),
    }),
  });
  const basicConfig = {
    ...{ baseUrl: `${source.origin}/scim/v2`, adminUsername: 'sync', adminPassword: 'secret' },
    ...{ authMode: 'basic', ...options.basicConfig },
  };
  const facts = { name: 'Crew', code: 'crew', provider: 'EXTSRC' };
  const strategyConfig = { user: { enabled: true }, ...options.strategyConfig };
  const made = await api.post(`${SOURCES}/create`, { ...facts, basicConfig, strategyConfig });
  const { id, eventSecret } = made.body as { readonly id: string; readonly eventSecret: string };
  await api.put(`${SOURCES}/enable/${id}`);
  return {
    ...{ api, source, directory, id, eventSecret, basicConfig, machine: real().machine },
    ...{ context: api.context, written: real().written, pass: real().pass },
    close: source.close,
    /** A run to its end. @returns the history of its users, as the API shows it */
    async run(request: object = { mode: 'FULL' }) {
      const { body, text } = await api.post(`${SOURCES}/sync/execute/${id}`, request);
      if (body.batch === undefined) throw new Error(text);
      await real().machine.work();
      return this.userHistory(String(body.batch));
    },
    async userHistory(batch: string) {
      const query = `identitySourceId=${id}&objectType=USER&size=50`;
      const { body } = await api.get(`${SOURCES}/sync/history_list?${query}`);
      const rows = body.content as readonly HistoryRow[];
      const row = rows.find((each) => each.batch === batch);
      if (!row) throw new Error(`The run ${batch} has no history`);
      return row;
    },
    save: (config: object) => api.put(`${SOURCES}/save/config`, { id, ...config }),
    fill(count: number) {
      for (let at = 0; at < count; at += 1) {
        const user = `u-${String(at).padStart(5, '0')}`;
        const emails = [{ value: `${user}@example.com` }];
        directory.users.set(user, { id: user, userName: `user-${at}`, emails });
      }
      const members = [...directory.users.keys()].filter((_, at) => at % 2 === 1);
      directory.groups.set('g-a', {
        id: 'g-a',
        displayName: 'All',
        members: [{ value: 'g-b', type: 'Group' }],
      });
      directory.groups.set('g-b', {
        id: 'g-b',
        displayName: 'Berlin',
        members: members.map((value) => ({ value })),
      });
    },
  };
}
