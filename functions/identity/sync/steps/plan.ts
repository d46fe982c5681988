import type { DirectoryUser } from '../../domain/directory/directory.ts';
import { linksOf, planDepartments, withoutRemovals } from '../../domain/plan/department-plan.ts';
import { guardPlan } from '../../domain/plan/guard.ts';
import type { PlanCounts, UserOperation } from '../../domain/plan/operations.ts';
import { plannedIds } from '../../domain/plan/planned-ids.ts';
import { type LinkedUser, UserPlan } from '../../domain/plan/user-plan.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { numbered, ONLY } from '../../store/run-files.ts';
import { KnownUsers } from '../run/known-users.ts';
import { MembershipIndex } from '../run/memberships.ts';
import type { Run, RunEnd, StepResult } from '../run/run.ts';
import { StopRun } from '../run/stop.ts';
import { readStoredGroups } from '../run/stored-groups.ts';
import { isAccepted, type StoredPlan } from '../run/stored-plan.ts';
import { loginsOf } from './adoption.ts';
import type { StepDependencies } from './dependencies.ts';
import { PlannedRecords } from './planned-records.ts';

/** Accounts in one file. */
const CHUNK = 250;

/** Compares the snapshot with the accounts, and judges what would be done before anything is. */
export class PlanStep {
  readonly #deps: StepDependencies;
  readonly #records: PlannedRecords;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
    this.#records = new PlannedRecords(dependencies);
  }

  async run(run: Run): Promise<StepResult> {
    const { access, keeper, files, departments } = this.#deps;
    await keeper.check(run);
    const source = await access.sourceOf(run);
    const root = await this.#root(run, source);
    const { scope } = source.strategyConfig;
    const { tree } = new MembershipIndex(await readStoredGroups(this.#deps, run), scope);
    const links = linksOf(await departments.ofSource(source.id));
    const compared = planDepartments({
      ...{ ...tree, links, rootId: root.id },
      newId: plannedIds(run.batch, 'department'),
    });
    const organization =
      run.only?.removesDepartments === false ? withoutRemovals(compared) : compared;
    const known = isOfAll(run) ? undefined : new KnownUsers(this.#deps, source.id);
    const users = new UserPlan({
      ...(known ? { links: await this.#asked(run, known) } : await this.#everybody(source.id)),
      ...{ departmentIdOf: organization.idOf, rootId: root.id },
      newId: plannedIds(run.batch, 'user'),
      isInScope: inScope(source),
    });
    const written = await this.#writeOperations(run, users, known);
    const counts = known ? await this.#weighed(source.id, users) : users.counts;
    const isFull = run.mode === 'FULL';
    const { lastFullAt } = await this.#deps.states.of(source.id);
    const { hasLostGroups } = run.snapshot;
    const limits = source.strategyConfig.guard;
    const read = { isFull, hasLostGroups };
    const verdict = guardPlan(counts, organization.counts, limits, read);
    const plan: StoredPlan = {
      ...{ rootId: root.id, isNewRoot: root.isNew, departments: organization.operations },
      ...{ users: counts, organization: organization.counts, ...written, fence: run.fence },
      ...(verdict && { verdict }),
      ...(run.only && { isOfSome: true }),
      ...{
        mode: run.mode,
        isFirst: isFirst(run, counts, lastFullAt),
        sourceTime: run.snapshot.sourceTime,
      },
      ...{ madeAt: this.#deps.clock.now(), madeFor: await access.markOf(source) },
    };
    await files.write(run, 'plan', plan);
    const end = await this.#end(run, plan);
    if (!end)
      return { outcome: 'APPLY', run: { ...run, isFirst: plan.isFirst }, chunks: plan.chunks };
    await this.#records.write(run, plan);
    return { outcome: 'STOP', run, end };
  }

  /** @throws StopRun `TARGET_NOT_FOUND` */
  async #root(
    { batch }: Run,
    { id, strategyConfig }: IdentitySource,
  ): Promise<{ id: string; isNew: boolean }> {
    const { departments, states } = this.#deps;
    const { targetId } = strategyConfig.organization;
    if (targetId !== undefined) {
      if (await departments.get(targetId)) return { id: targetId, isNew: false };
      throw new StopRun({
        ...{ status: 'FAIL', reasonCode: 'TARGET_NOT_FOUND' },
        desc: 'The department that the tree is attached to does not exist.',
      });
    }
    const { rootDepartmentId } = await states.of(id);
    const known = rootDepartmentId && (await departments.get(rootDepartmentId));
    if (known) return { id: known.id, isNew: false };
    return { id: rootDepartmentId ?? plannedIds(batch, 'root')(), isNew: true };
  }

  async #everybody(sourceId: string) {
    const links: LinkedUser[] = [];
    for await (const link of this.#deps.users.iterateLinks(sourceId)) links.push(link);
    return { links, logins: await loginsOf(this.#deps, sourceId) };
  }

  /** Whoever was asked for and is linked is missing unless the source has found them. */
  async #asked(run: Run, known: KnownUsers): Promise<readonly LinkedUser[]> {
    if (!run.only) return [];
    return known.links(await this.#deps.files.read<readonly string[]>(run, ONLY));
  }

  /** Removals are weighed against everybody, whoever is compared. */
  async #weighed(sourceId: string, { counts }: UserPlan): Promise<PlanCounts> {
    return { ...counts, linked: await this.#deps.users.countLinks(sourceId, { active: true }) };
  }

  /** Writes the changes of accounts while they are found: only one chunk of them is in memory. */
  async #writeOperations(
    run: Run,
    users: UserPlan,
    known: KnownUsers | undefined,
  ): Promise<Pick<StoredPlan, 'chunks' | 'missing'>> {
    const { files, keeper } = this.#deps;
    const chunks = new ChunkWriter('changes', (name, chunk) => files.write(run, name, chunk));
    for (let number = 1; number <= run.snapshot.userPages; number += 1) {
      const page = await files.readUsers(run, number);
      if (known) users.learn(await known.of(page));
      await chunks.add(withoutRepeats(users.add(page), run));
      if (number % PAGES_PER_CHECK === 0) await keeper.check(run);
    }
    await chunks.end();
    const missing = new ChunkWriter('missing', (name, chunk) => files.write(run, name, chunk));
    await missing.add(users.missing(run.mode === 'FULL' || run.only !== undefined));
    await missing.end();
    return { chunks: chunks.numbers, missing: missing.numbers };
  }

  async #end(run: Run, plan: StoredPlan): Promise<RunEnd | undefined> {
    const { verdict } = plan;
    if (run.isDryRun) {
      return { status: 'PREVIEW', reasonCode: verdict?.code, desc: verdict?.detail };
    }
    if (verdict && !isAccepted(run, plan)) {
      return { status: 'SUSPENDED', reasonCode: verdict.code, desc: verdict.detail };
    }
    return undefined;
  }
}

const PAGES_PER_CHECK = 50;

/** An import that was interrupted is the first one until a run has come to its end. */
const isFirst = ({ only }: Run, { linked }: PlanCounts, lastFullAt: string | undefined): boolean =>
  linked === 0 || (lastFullAt === undefined && !only);

/** Whether the source was read whole; else only the links of those who were read are looked up. */
const isOfAll = ({ mode, only }: Run): boolean => mode === 'FULL' && !only;

/** Collects operations and writes them in files of equal size. */
class ChunkWriter {
  readonly numbers: number[] = [];
  readonly #name: string;
  readonly #write: (name: string, chunk: readonly UserOperation[]) => Promise<void>;
  #rest: UserOperation[] = [];

  constructor(
    name: string,
    write: (name: string, chunk: readonly UserOperation[]) => Promise<void>,
  ) {
    this.#name = name;
    this.#write = write;
  }

  async add(operations: readonly UserOperation[]): Promise<void> {
    this.#rest.push(...operations);
    while (this.#rest.length >= CHUNK) await this.#flush();
  }

  async end(): Promise<void> {
    if (this.#rest.length > 0) await this.#flush();
  }

  async #flush(): Promise<void> {
    const number = this.numbers.length + 1;
    await this.#write(numbered(this.#name, number), this.#rest.splice(0, CHUNK));
    this.numbers.push(number);
  }
}

/**
 * A user on two pages means that the list has changed between them, or that the source repeats pages: then others are
 * missing that it has.
 */
function withoutRepeats(operations: readonly UserOperation[], { snapshot }: Run) {
  const isRepeat = (each: UserOperation) =>
    each.kind === 'refuse' && each.code === 'DUPLICATE_EXTERNAL_ID';
  if (snapshot.hasDrifted) return operations.filter((each) => !isRepeat(each));
  if (!operations.some(isRepeat)) return operations;
  throw new StopRun({
    ...{ status: 'FAIL', reasonCode: 'PAGING_BROKEN' },
    desc: 'The source lists a user on two pages.',
  });
}

/** With a scope by groups, whoever is in none of them is outside. */
export function inScope({
  strategyConfig,
}: Pick<IdentitySource, 'strategyConfig'>): ((user: DirectoryUser) => boolean) | undefined {
  const { includeGroups, excludeGroups } = strategyConfig.scope;
  if (includeGroups.length > 0) return ({ groups }) => groups.length > 0;
  return excludeGroups.length > 0 ? ({ isOutside }) => !isOutside : undefined;
}
