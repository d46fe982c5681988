import type { Resource } from '../../domain/directory/scim-path.ts';
import type { UserOperation } from '../../domain/plan/operations.ts';
import { type LinkedUser, UserPlan } from '../../domain/plan/user-plan.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { IdentitySourceClient } from '../../providers/provider.ts';
import { SourceError } from '../../providers/source-error.ts';
import { MembershipIndex } from '../run/memberships.ts';
import type { RecordFacts } from '../run/records.ts';
import { FRESH_SNAPSHOT, type Run } from '../run/run.ts';
import { StopRun } from '../run/stop.ts';
import type { HintOutcome, ObjectHint } from '../source-sync.ts';
import { MissingStep } from '../steps/apply-missing.ts';
import { UserStep } from '../steps/apply-users.ts';
import { Confirmer, isWithin } from '../steps/confirmer.ts';
import type { StepDependencies } from '../steps/dependencies.ts';
import { inScope } from '../steps/plan.ts';
import { readAllGroups } from './read-groups.ts';

/** A hint that died leaves its lock for no longer. */
const LEASE_MS = 60_000;
const SAME: HintOutcome = { status: 'SKIP', desc: 'The account is as the source says.' };

/**
 * Applies what a source says now of one user. A hint is no more than that: its own content is not believed, and a
 * removal needs the source's word.
 */
export class Hints {
  readonly #deps: StepDependencies;
  readonly #users: UserStep;
  readonly #missing: MissingStep;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
    this.#users = new UserStep(dependencies);
    this.#missing = new MissingStep(dependencies);
  }

  async apply(
    source: IdentitySource,
    { objectType, externalId }: ObjectHint,
  ): Promise<HintOutcome> {
    if (objectType === 'ORGANIZATION') {
      return { status: 'SKIP', desc: 'Groups are compared by the next run.' };
    }
    const run = await this.#take(source);
    if (!run) return { status: 'BUSY', desc: 'A run holds the source.' };
    try {
      return outcomeOf(await this.#apply(run, source, externalId));
    } catch (error) {
      if (error instanceof SourceError) return { status: 'FAIL', desc: error.message };
      if (error instanceof StopRun) return { status: 'BUSY', desc: error.message };
      throw error;
    } finally {
      await this.#free(run);
    }
  }

  async #apply(
    run: Run,
    source: IdentitySource,
    externalId: string,
  ): Promise<RecordFacts | undefined> {
    const { access, users } = this.#deps;
    const client = await access.client(source);
    const [resource, account] = [
      await client.find('Users', externalId),
      await users.findByExternal(source.id, externalId),
    ];
    if (resource) {
      const operation = await this.#planned(
        source,
        client,
        resource,
        account && linkOf(account.id),
      );
      const [facts] = await this.#users.apply({ run, source, chunk: 0 }, operation);
      const isSame = facts?.actionType === 'UPDATE' && facts.changes?.length === 0;
      return isSame && facts.status === 'SUCCESS' ? undefined : facts;
    }
    if (!account) return undefined;
    const { id, userName } = account;
    const operation = { kind: 'missing' as const, id, externalId, userName };
    return this.#missing.apply(run, source, new Confirmer(source, client), operation);

    function linkOf(userId: string): LinkedUser {
      return { userId, externalId, hash: '', active: account?.status === 'ENABLED' };
    }
  }

  async #planned(
    source: IdentitySource,
    client: IdentitySourceClient,
    resource: Resource,
    link: LinkedUser | undefined,
  ): Promise<readonly UserOperation[]> {
    const { access, departments, states, ids } = this.#deps;
    const memberships = new MembershipIndex(
      await readAllGroups(client),
      source.strategyConfig.scope,
    );
    const known = await departments.ofSource(source.id);
    const { rootDepartmentId } = await states.of(source.id);
    const rootId = source.strategyConfig.organization.targetId ?? rootDepartmentId;
    // Before the first run there is nothing to hang accounts below; who has left the scope is left to the next one.
    if (rootId === undefined) return [];
    if (!(await isWithin(source, client, String(resource.id)))) return [];
    const plan = new UserPlan({
      links: link ? [link] : [],
      departmentIdOf: new Map(known.map(({ id, externalId = '' }) => [externalId, id])),
      ...{ rootId, newId: ids },
      isInScope: inScope(source),
    });
    return plan.add([access.mapping(source)(resource, memberships)]);
  }

  async #take(source: IdentitySource): Promise<Run | undefined> {
    const { locks, keeper, unitOfWork, ids, clock } = this.#deps;
    const [owner, batch] = [`hint:${ids()}`, ids()];
    return unitOfWork(async (unit) => {
      const lock = await locks.of(source.id);
      if (await keeper.holder(lock)) return undefined;
      const leaseUntil = clock.now() + LEASE_MS;
      const taken = keeper.taken(lock, owner, batch, { leaseUntil });
      locks.stageHolder(unit, taken);
      return {
        ...{
          sourceId: source.id,
          trigger: 'EVENT' as const,
          batch,
          owner,
          mode: 'INCREMENTAL' as const,
        },
        ...{ fence: taken.fence, organizationHistoryId: '', userHistoryId: '' },
        snapshot: FRESH_SNAPSHOT,
      };
    });
  }

  async #free({ sourceId, owner }: Run): Promise<void> {
    const { locks, keeper, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const lock = await locks.of(sourceId);
      if (lock.owner === owner) locks.stage(unit, keeper.freed(lock));
    });
  }
}

function outcomeOf(facts: RecordFacts | undefined): HintOutcome {
  if (!facts) return SAME;
  const { status, actionType, objectId, objectName, reasonCode, desc } = facts;
  return { status, actionType, objectId, objectName, desc: desc ?? reasonCode ?? 'Applied.' };
}
