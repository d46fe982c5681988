import type { AccountLink, ItemResult, UserAccount } from '../../../../shared/ports/identity.ts';
import { toInstant } from '../../../../shared/primitives/clock.ts';
import type { UserOperation } from '../../domain/plan/operations.ts';
import { MISSING_HASH } from '../../domain/plan/user-plan.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { numbered } from '../../store/run-files.ts';
import { type RecordFacts, recordOf } from '../run/records.ts';
import type { Run, StepResult } from '../run/run.ts';
import type { StoredPlan } from '../run/stored-plan.ts';
import { DepartmentStep, demandHeld } from './apply-departments.ts';
import { type Confirmation, Confirmer } from './confirmer.ts';
import type { StepDependencies } from './dependencies.ts';

/** Accounts between two looks at the lock. */
const BATCH = 10;

type Missing = Extract<UserOperation, { kind: 'missing' }>;

/** Removes accounts whose users the source has no more: it is asked for each of them. */
export class MissingStep {
  readonly #deps: StepDependencies;
  readonly #departments: DepartmentStep;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
    this.#departments = new DepartmentStep(dependencies);
  }

  /** @param from file to go on with */
  async run(run: Run, from = 0): Promise<StepResult> {
    const { access, files, clock, stepMs, keeper } = this.#deps;
    const endsAt = clock.now() + stepMs;
    const source = await access.sourceOf(run);
    const confirmer = new Confirmer(source, await access.client(source));
    await keeper.check(run);
    const { missing } = await files.read<StoredPlan>(run, 'plan');
    for (const [index, number] of missing.entries()) {
      if (index < from) continue;
      if (clock.now() >= endsAt) return { outcome: 'AGAIN', run, at: index };
      const operations = await files.read<readonly Missing[]>(run, numbered('missing', number));
      for (let at = 0; at < operations.length; at += BATCH) {
        await keeper.check(run);
        await this.#batch(run, source, confirmer, operations.slice(at, at + BATCH));
      }
    }
    await this.#departments.remove(run);
    return { outcome: 'GO', run };
  }

  async #batch(
    run: Run,
    source: IdentitySource,
    confirmer: Confirmer,
    operations: readonly Missing[],
  ): Promise<void> {
    const { history, clock } = this.#deps;
    const facts: RecordFacts[] = [];
    const said = await confirmer.ofAll(operations);
    for (const [index, operation] of operations.entries()) {
      const told = await this.apply(run, source, operation, said[index] ?? 'SOURCE_UNREACHABLE');
      if (told) facts.push(told);
    }
    const time = toInstant(clock.now());
    await history.putRecords(facts.map((each) => recordOf(run, each, time)));
  }

  /** @param said facts of the user at the source. @returns its records; none when the account has lost its link meanwhile */
  async apply(
    run: Run,
    source: IdentitySource,
    operation: Missing,
    said: Confirmation,
  ): Promise<RecordFacts | undefined> {
    const { id, externalId, userName } = operation;
    const named = { objectType: 'USER' as const, objectId: id, externalId, objectName: userName };
    const isSpared = said === 'STILL_PRESENT' || said === 'SOURCE_UNREACHABLE';
    if (isSpared) {
      const status = said === 'STILL_PRESENT' ? 'SKIP' : 'FAIL';
      return { ...named, actionType: 'DELETE', status, reasonCode: said };
    }
    const account = await this.#deps.users.findById(id);
    const isLinked = account?.links.some(
      (link) => link.sourceId === source.id && link.externalId === externalId,
    );
    if (!account || !isLinked) return undefined;
    if (await this.#isProtected(account, run)) {
      return { ...named, actionType: 'DELETE', status: 'SKIP', reasonCode: 'PROTECTED_ACCOUNT' };
    }
    const reasonCode = said === 'GONE' ? 'MISSING' : said;
    const { actionType, result } = await this.#remove(run, source, account, externalId);
    demandHeld(result);
    return result.kind === 'ok'
      ? { ...named, actionType, status: actionType === 'UPDATE' ? 'SKIP' : 'SUCCESS', reasonCode }
      : { ...named, actionType, status: 'FAIL', reasonCode: result.code, desc: result.detail };
  }

  /** An account with another source or login loses only its link. */
  async #remove(run: Run, source: IdentitySource, account: UserAccount, externalId: string) {
    const { users, keeper } = this.#deps;
    const { version } = account;
    const fence = keeper.fenceOf(run);
    const { onMissing } = source.strategyConfig.user;
    const own = { sourceId: source.id, externalId };
    const isShared = account.origin === 'LOCAL' || (await this.#hasOthers(account, own));
    if (onMissing !== 'KEEP' && isShared) {
      return {
        actionType: 'DELETE' as const,
        result: await users.unlink(account.id, own, { fence }),
      };
    }
    if (onMissing === 'DELETE') {
      return {
        actionType: 'DELETE' as const,
        result: await users.remove(account.id, { fence, version }),
      };
    }
    const links = [{ ...own, hash: MISSING_HASH, active: false }];
    const status = { to: 'DISABLED' as const, by: 'SOURCE' as const };
    const change = { id: account.id, version, links, ...(onMissing === 'DISABLE' && { status }) };
    const [result = FAILED] = await users.updateMany([change], { fence });
    return {
      actionType: onMissing === 'KEEP' ? ('UPDATE' as const) : ('DISABLE' as const),
      result,
    };
  }

  /** Whether others know the account; the logins of the source itself know nobody whom it does not. */
  async #hasOthers({ links }: UserAccount, own: AccountLink): Promise<boolean> {
    const providers = (await this.#deps.providerIdsOf?.(own.sourceId)) ?? [];
    return links.some(
      ({ sourceId, externalId }) =>
        !(sourceId === own.sourceId && externalId === own.externalId) &&
        !providers.includes(sourceId),
    );
  }

  async #isProtected(account: UserAccount, { requestedBy }: Run): Promise<boolean> {
    if (account.id === requestedBy) return true;
    return (await this.#deps.protectedAccounts?.isProtected(account)) ?? false;
  }
}

const FAILED: ItemResult<UserAccount> = {
  ...{ kind: 'failed', code: 'REPOSITORY_ERROR', detail: 'The repository said nothing.' },
};
