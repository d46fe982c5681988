import {
  DEFAULT_STRATEGY,
  type IdentitySource,
} from '../../../functions/identity/domain/sources/source.ts';
import { SourceConfigs } from '../../../functions/identity/sources/source-configs.ts';
import { HistoryRepository } from '../../../functions/identity/store/history-repository.ts';
import { RunLocks } from '../../../functions/identity/store/run-lock.ts';
import { SourceRepository } from '../../../functions/identity/store/source-repository.ts';
import { createSourceSync } from '../../../functions/identity/sync/create-source-sync.ts';
import type {
  DepartmentRepository,
  UserRepository,
  WriteOptions,
} from '../../../shared/ports/identity.ts';
import type { RecurringSchedule } from '../../../shared/schedules/recurring-schedule.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { aContext, type TestContext } from '../world/a-context.ts';
import { Machine } from './machine.ts';
import { MemoryAccounts } from './memory-accounts.ts';
import { MemoryDepartments } from './memory-departments.ts';
import { memoryRunFiles } from './memory-run-files.ts';
import { MemorySource } from './memory-source.ts';

const AT = '2026-03-01T09:30:00.000Z';

/** A source named Crew that is enabled. */
export const aSource = (more: Partial<IdentitySource> = {}): IdentitySource => ({
  ...{ id: 'source-1', tenant: '', code: 'crew', name: 'Crew', provider: 'EXTSRC' },
  ...{ enabled: true, configured: true, jobConfig: {}, version: 1, eventSecrets: '' },
  basicConfig: JSON.stringify({ incrementalEnabled: false }),
  strategyConfig: { ...DEFAULT_STRATEGY, user: { ...DEFAULT_STRATEGY.user, enabled: true } },
  ...{ createdAt: AT, createdBy: 'a', updatedAt: AT, updatedBy: 'a' },
  ...more,
});

interface WorldOptions {
  /** Default: an empty one. */
  readonly directory?: MemorySource;
  /** Sources beside the first one. */
  readonly others?: readonly IdentitySource[];
  /** Accounts that are not those of the world. */
  readonly users?: (context: TestContext) => UserRepository;
  /** Departments that are not those of the world. */
  readonly departments?: (context: TestContext) => DepartmentRepository;
  /** Directories of sources that do not have that of the world. */
  readonly directories?: Readonly<Record<string, MemorySource>>;
}

/** Everything that a synchronisation needs, in memory. */
export async function syncWorld(
  source: IdentitySource = aSource(),
  {
    directory = new MemorySource(),
    others = [],
    users,
    departments: tree,
    directories = {},
  }: WorldOptions = {},
) {
  const context = aContext({ module: 'identity', svc: { idp: { enabled: true } } });
  const mayWrite = async ({ fence }: WriteOptions = {}): Promise<boolean> => {
    if (!fence) return true;
    const key = { pk: `LOCK#identity#${fence.sourceId}`, sk: `LANE#${fence.lane}` };
    return (await context.table.get<typeof key & { fence: number }>(key))?.fence === fence.value;
  };
  const accounts = new MemoryAccounts(mayWrite);
  const departments = new MemoryDepartments(mayWrite, (id) =>
    [...accounts.all.values()].some(({ orgIds }) => orgIds.includes(id)),
  );
  const machine = new Machine();
  const stored = new Map<string, Uint8Array>();
  const schedules = new Map<string, RecurringSchedule>();
  const secrets = { encrypt: async (text: string) => text, decrypt: async (text: string) => text };
  const providerIds: string[] = [];
  const protectedIds: string[] = [];
  const created = createSourceSync(context, {
    providerIdsOf: async () => providerIds,
    protectedAccounts: { isProtected: ({ id }) => protectedIds.includes(id) },
    users: users?.(context) ?? accounts,
    providers: {
      of: (kind) => ({
        ...directory.of(kind),
        client: (key) => directories[key.split(':')[0] ?? ''] ?? directory,
      }),
    },
    departments: tree?.(context) ?? departments,
    executions: machine,
    membersOf: async (id) =>
      [...accounts.all.values()].filter(({ orgIds }) => orgIds[0] === id).map((each) => each.id),
    configs: new SourceConfigs(secrets),
    files: memoryRunFiles(stored),
    schedules: {
      put: async (schedule) => void schedules.set(schedule.name, schedule),
      delete: async (name) => void schedules.delete(name),
    },
  });
  machine.tasks = created.tasks;
  machine.now = () => new Date(context.clock.now()).toISOString();
  const sources = new SourceRepository(context);
  const taken = { code: () => new Error('code'), name: () => new Error('name') };
  for (const each of [source, ...others]) {
    await context.unitOfWork(async (unit) => sources.stageNew(unit, each, taken));
  }
  const history = new HistoryRepository(context);
  let jobs = 0;
  return {
    ...{ context, accounts, departments, directory, machine, stored, schedules, history, sources },
    ...{ providerIds, protectedIds },
    ...created,
    locks: new RunLocks(context),
    state: () => sources.state(source.id),
    /** A run by hand, to its end. @returns both histories, that of users first */
    async byHand(request: Parameters<typeof created.sync.execute>[1] = {}) {
      const { batch } = await created.sync.execute(source, request, systemPrincipal);
      await machine.work();
      return this.rows(batch);
    },
    /** A run of the schedule, to its end. */
    async byJob() {
      jobs += 1;
      context.clock.advance(60_000);
      await machine.run(`job-${jobs}`, { sourceId: source.id, trigger: 'JOB' });
      const page = await history.page(source.id, {}, { size: 2 });
      return this.rows(page.content[0]?.batch ?? '');
    },
    async rows(batch: string) {
      const rows = await history.ofBatch(batch);
      const of = (type: string) => rows.find(({ objectType }) => objectType === type);
      const [user, organization] = [of('USER'), of('ORGANIZATION')];
      if (!user || !organization) throw new Error(`The run ${batch} has no histories`);
      return { user, organization };
    },
    async records(historyId: string) {
      const records = [];
      for await (const record of history.records(historyId)) records.push(record);
      return records;
    },
    /** Fills the source with users and groups: odd ones are in Berlin, which is in All. */
    fill(count: number) {
      for (let index = 0; index < count; index += 1) {
        const id = `u-${String(index).padStart(3, '0')}`;
        const emails = [{ value: `${id}@example.com` }];
        directory.users.set(id, { id, userName: `user-${index}`, emails });
      }
      const members = [...directory.users.keys()].filter((_, index) => index % 2 === 1);
      directory.groups.set('g-all', {
        id: 'g-all',
        displayName: 'All',
        members: [{ value: 'g-b', type: 'Group' }],
      });
      directory.groups.set('g-b', {
        ...{ id: 'g-b', displayName: 'Berlin' },
        members: members.map((value) => ({ value, type: 'User' })),
      });
    },
  };
}

export type SyncWorld = Awaited<ReturnType<typeof syncWorld>>;
