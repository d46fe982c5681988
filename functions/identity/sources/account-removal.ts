import type { Job, JobWork, StepOutcome } from '../../../shared/jobs/job.ts';
import type {
  AccountLink,
  DepartmentRepository,
  ItemResult,
  LinkedAccount,
  ProtectedAccounts,
  UserAccount,
  UserRepository,
} from '../../../shared/ports/identity.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { deepestFirst } from '../domain/accounts/department-tree.ts';
import type { IdentityJobKind } from '../jobs/identity-jobs.ts';

/** What becomes of the accounts of a source that is deleted. */
export type AccountPolicy = 'disable' | 'delete';

/** Parameters of the job. */
export interface RemovalInput {
  readonly tenant: string;
  readonly policy: AccountPolicy;
  /** Who has requested it; their own account is not removed. */
  readonly by: string;
  readonly rootDepartmentId?: string | undefined;
}

interface AccountRemovalDependencies {
  readonly users: UserRepository;
  readonly departments: DepartmentRepository;
  readonly protectedAccounts?: ProtectedAccounts | undefined;
  /** Providers of logins that belong to a source. */
  readonly providerIdsOf: (sourceId: string) => Promise<readonly string[]>;
}

const ACCOUNTS_PER_STEP = 100;
const AT_ONCE = 8;
const NOTHING = { disabled: 0, deleted: 0, unlinked: 0, failed: 0 };
type Counts = { readonly [name in keyof typeof NOTHING]: number };
type Done = keyof Counts;

/** Disables or deletes the accounts that a deleted source has made; whoever others know too only loses the link. */
export class AccountRemoval implements JobWork<IdentityJobKind> {
  readonly #deps: AccountRemovalDependencies;

  constructor(dependencies: AccountRemovalDependencies) {
    this.#deps = dependencies;
  }

  /** Links that are done with are gone: each step begins where the first ones are left. */
  async step({ subject: sourceId, input, progress }: Job<IdentityJobKind>): Promise<StepOutcome> {
    const wish = input as unknown as RemovalInput;
    const counts = { ...NOTHING, ...(progress as Partial<Counts>) };
    const links = await this.#next(sourceId, counts.failed);
    if (links.length === 0) {
      const departments = wish.policy === 'delete' ? await this.#departments(sourceId, wish) : 0;
      return { isDone: true, result: { ...counts, departments } };
    }
    const providers = new Set(await this.#deps.providerIdsOf(sourceId));
    const done = await mapLimited(links, AT_ONCE, (link) =>
      this.#remove({ sourceId, ...link }, wish, providers),
    );
    return { isDone: false, processed: links.length, progress: plus(counts, done) };
  }

  async #next(sourceId: string, left: number): Promise<readonly LinkedAccount[]> {
    const links: LinkedAccount[] = [];
    let at = 0;
    for await (const link of this.#deps.users.iterateLinks(sourceId)) {
      if (at >= left) links.push(link);
      if (links.length === ACCOUNTS_PER_STEP) break;
      at += 1;
    }
    return links;
  }

  async #remove(
    link: LinkedAccount & { readonly sourceId: string },
    { policy, by }: RemovalInput,
    providers: ReadonlySet<string>,
  ): Promise<Done> {
    const { users, protectedAccounts } = this.#deps;
    const account = await users.findById(link.userId);
    if (!account) return told('unlinked', await users.unlink(link.userId, link));
    const isKept =
      account.origin === 'LOCAL' ||
      account.id === by ||
      hasOthers(account, link, providers) ||
      (await protectedAccounts?.isProtected(account)) === true;
    if (isKept) return told('unlinked', await users.unlink(account.id, link));
    const { version } = account;
    if (policy === 'delete') return told('deleted', await users.remove(account.id, { version }));
    const status = { to: 'DISABLED' as const, by: 'SOURCE' as const };
    const [disabled] = await users.updateMany([{ id: account.id, version, status }]);
    if (disabled?.kind !== 'ok') return 'failed';
    return told('disabled', await users.unlink(account.id, link));
  }

  /** Children before their parents; departments that are not empty stay. @returns how many are gone */
  async #departments(sourceId: string, { rootDepartmentId }: RemovalInput): Promise<number> {
    const { departments } = this.#deps;
    const own = (await departments.ofSource(sourceId)).toSorted(deepestFirst).map(({ id }) => id);
    let gone = 0;
    for (const id of rootDepartmentId === undefined ? own : [...own, rootDepartmentId]) {
      if ((await departments.remove(id)).kind === 'ok') gone += 1;
    }
    return gone;
  }
}

const told = (done: Done, { kind }: ItemResult<unknown>): Done => (kind === 'ok' ? done : 'failed');

const plus = (counts: Counts, done: readonly Done[]): Counts => {
  const of = (name: Done) => counts[name] + done.filter((each) => each === name).length;
  return {
    ...{ disabled: of('disabled'), deleted: of('deleted') },
    ...{ unlinked: of('unlinked'), failed: of('failed') },
  };
};

/** Whether others know the account; the logins of the source itself know nobody whom it does not. */
const hasOthers = (
  { links }: UserAccount,
  own: AccountLink,
  providers: ReadonlySet<string>,
): boolean => links.some(({ sourceId }) => sourceId !== own.sourceId && !providers.has(sourceId));
