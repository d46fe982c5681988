import type { ItemResult, UserAccount, UserChange } from '../../../../shared/ports/identity.ts';
import { toInstant } from '../../../../shared/primitives/clock.ts';
import { mapLimited } from '../../../../shared/primitives/map-limited.ts';
import type { UserOperation } from '../../domain/plan/operations.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { numbered } from '../../store/run-files.ts';
import { actionOf, changedFacts, changesOf, factsOf } from '../run/account-facts.ts';
import { type RecordFacts, recordOf } from '../run/records.ts';
import type { Run, StepResult } from '../run/run.ts';
import { Adoption } from './adoption.ts';
import { demandHeld } from './apply-departments.ts';
import { Confirmer } from './confirmer.ts';
import type { StepDependencies } from './dependencies.ts';
import { newAccount } from './new-account.ts';
import { Notices } from './notices.ts';
import { refusedUser } from './planned-records.ts';

/** Accounts between two looks at the lock. */
const BATCH = 25;
const READS_AT_ONCE = 8;

type Create = Extract<UserOperation, { kind: 'create' }>;
type Update = Extract<UserOperation, { kind: 'update' }>;

/** One file of changes that is being applied. */
interface Work {
  readonly run: Run;
  readonly source: IdentitySource;
  readonly chunk: number;
}

/** Applies changes of accounts; a repeated chunk changes nothing and writes the same records. */
export class UserStep {
  readonly #deps: StepDependencies;
  readonly #adoption: Adoption;
  readonly #notices: Notices;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
    this.#adoption = new Adoption(dependencies);
    this.#notices = new Notices(dependencies);
  }

  async run(run: Run, chunk: number): Promise<StepResult> {
    const { access, files, keeper, history, clock } = this.#deps;
    const source = await access.sourceOf(run);
    const name = numbered('changes', chunk);
    const operations = await files.read<readonly UserOperation[]>(run, name);
    for (let at = 0; at < operations.length; at += BATCH) {
      await keeper.check(run);
      const facts = await this.apply({ run, source, chunk }, operations.slice(at, at + BATCH));
      const time = toInstant(clock.now());
      await history.putRecords(facts.map((each) => recordOf(run, each, time)));
    }
    return { outcome: 'GO' };
  }

  /** @returns their records */
  async apply(work: Work, operations: readonly UserOperation[]): Promise<readonly RecordFacts[]> {
    return [
      ...operations.filter((each) => each.kind === 'refuse').map(refusedUser),
      ...(await this.#create(
        work,
        operations.filter((each) => each.kind === 'create'),
      )),
      ...(await this.#update(
        work,
        operations.filter((each) => each.kind === 'update'),
      )),
    ];
  }

  async #create(work: Work, operations: readonly Create[]): Promise<readonly RecordFacts[]> {
    if (operations.length === 0) return [];
    const { users, keeper } = this.#deps;
    const { run, source, chunk } = work;
    const fence = keeper.fenceOf(run, chunk);
    const facts: RecordFacts[] = [];
    const fresh: Create[] = [];
    for (const operation of operations) {
      const adopted = operation.accountId && (await this.#adoption.of(source, operation, fence));
      if (adopted) facts.push(adopted);
      else fresh.push(operation);
    }
    const accounts = fresh.map((each) => newAccount(source, each));
    const results = await users.createMany(accounts, { fence });
    for (const [index, operation] of fresh.entries()) {
      const result = results[index];
      demandHeld(result);
      if (result?.kind === 'ok') await this.#notices.tell(run, source, result.value);
      facts.push(
        result?.kind === 'ok' ? created(operation) : await this.#adopt(work, operation, result),
      );
    }
    return facts;
  }

  /** A name that is taken may be that of the same person. */
  async #adopt(
    { run, source, chunk }: Work,
    operation: Create,
    result: ItemResult<UserAccount> | undefined,
  ): Promise<RecordFacts> {
    const fence = this.#deps.keeper.fenceOf(run, chunk);
    const adopted = await this.#adoption.of(source, operation, fence);
    if (adopted) return adopted;
    const failure = result?.kind === 'failed' ? result : { code: 'REPOSITORY_ERROR', detail: '' };
    const { code: reasonCode, detail: desc } = failure;
    return { ...created(operation), status: 'FAIL', reasonCode, desc };
  }

  async #update(work: Work, operations: readonly Update[]): Promise<readonly RecordFacts[]> {
    const { users, keeper, history } = this.#deps;
    const { run, chunk } = work;
    const reviewed = await this.#reviewed(work, operations);
    const found = await mapLimited(operations, READS_AT_ONCE, async (operation) => ({
      operation,
      account: await users.findById(operation.id),
    }));
    const facts: RecordFacts[] = [];
    const changes: { readonly change: UserChange; readonly told: RecordFacts }[] = [];
    for (const { operation, account } of found) {
      const refused = reviewed.get(operation) ?? (await this.#refused(run, operation, account));
      if (refused) facts.push(refused);
      else if (account) changes.push(changeOf(work, operation, account));
    }
    if (changes.length === 0) return facts;
    const results = await users.updateMany(
      changes.map(({ change }) => change),
      { fence: keeper.fenceOf(run, chunk) },
    );
    const known = await history.knownRecords(changes.map(({ told }) => recordOf(run, told, '')));
    for (const [index, { told }] of changes.entries()) {
      const result = results[index];
      demandHeld(result);
      if (result?.kind === 'failed') {
        facts.push({ ...told, status: 'FAIL', reasonCode: result.code, desc: result.detail });
      } else if (told.changes?.length || !known.has(recordOf(run, told, '').id)) facts.push(told);
    }
    return facts;
  }

  /**
   * Whom an approved plan disables was inactive when it was made, maybe days ago: the source is asked again.
   * @returns records of those who are no longer disabled
   */
  async #reviewed(
    { run, source }: Work,
    operations: readonly Update[],
  ): Promise<ReadonlyMap<Update, RecordFacts>> {
    const disabled = run.outdated ? operations.filter(({ status }) => status === 'DISABLE') : [];
    if (disabled.length === 0) return new Map();
    const confirmer = new Confirmer(source, await this.#deps.access.client(source));
    const said = await confirmer.ofAll(
      disabled.map(({ user: { externalId } }) => ({ externalId })),
    );
    const spared = disabled.flatMap((operation, index) => {
      const reasonCode = said[index] ?? 'SOURCE_UNREACHABLE';
      if (reasonCode === 'GONE' || reasonCode === 'SOURCE_INACTIVE') return [];
      const status = reasonCode === 'SOURCE_UNREACHABLE' ? ('FAIL' as const) : ('SKIP' as const);
      const named = { ...namedUser(operation), actionType: 'DISABLE' as const };
      return [[operation, { ...named, status, reasonCode }] as const];
    });
    return new Map(spared);
  }

  /** Why an account is not changed. */
  async #refused(
    run: Run,
    operation: Update,
    account: UserAccount | undefined,
  ): Promise<RecordFacts | undefined> {
    const named = namedUser(operation);
    if (!account) return { ...named, status: 'FAIL', reasonCode: 'NOT_FOUND' };
    if (isOutdated(run, account)) {
      return { ...named, status: 'SKIP', reasonCode: 'CHANGED_MEANWHILE' };
    }
    return operation.status === 'DISABLE' && (await this.#isProtected(account, run))
      ? { ...named, actionType: 'DISABLE', status: 'SKIP', reasonCode: 'PROTECTED_ACCOUNT' }
      : undefined;
  }

  async #isProtected(account: UserAccount, { requestedBy }: Run): Promise<boolean> {
    if (account.id === requestedBy) return true;
    return (await this.#deps.protectedAccounts?.isProtected(account)) ?? false;
  }
}

/** Whether an account was changed after the plan was made. */
function isOutdated({ outdated }: Run, { updatedAt }: UserAccount): boolean {
  const at = Date.parse(updatedAt);
  return outdated !== undefined && at > outdated.from && at < outdated.to;
}

const namedUser = ({ id, user: { externalId, userName } }: Create | Update) => ({
  ...{ objectType: 'USER' as const, actionType: 'UPDATE' as const, objectId: id },
  ...{ externalId, objectName: userName },
});

const created = (operation: Create): RecordFacts => ({
  ...namedUser(operation),
  ...{ actionType: 'INSERT', status: 'SUCCESS' },
});

function changeOf({ source }: Work, operation: Update, account: UserAccount) {
  const { user, departmentIds, status } = operation;
  const changes = changesOf(account, factsOf(user, departmentIds));
  const { externalId, hash, active } = user;
  const change: UserChange = {
    id: account.id,
    ...{ version: account.version, facts: changedFacts(changes) },
    ...(status && { status: { to: status === 'ENABLE' ? 'ENABLED' : 'DISABLED', by: 'SOURCE' } }),
    links: [{ sourceId: source.id, externalId, hash, active, alias: user.sourceExternalId }],
  };
  const told: RecordFacts = {
    ...namedUser(operation),
    ...{ actionType: actionOf(changes, status), status: 'SUCCESS', changes },
    ...(status === 'DISABLE' && { reasonCode: 'SOURCE_INACTIVE' }),
  };
  return { change, told };
}
