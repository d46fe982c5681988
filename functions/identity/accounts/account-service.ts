import type {
  AccountStatus,
  Department,
  DepartmentRepository,
  UserAccount,
  UserRepository,
} from '../../../shared/ports/identity.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import { type DepartmentNode, treeOf } from '../domain/accounts/department-tree.ts';
import { problems } from '../errors.ts';
import type { UserDirectory, UserFilter } from '../store/accounts/user-directory.ts';
import type { DepartmentDirectory } from '../store/departments/department-directory.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import type { SourceSync } from '../sync/source-sync.ts';
import { verifyHash } from './password-hash.ts';

interface AccountServiceDependencies {
  readonly users: UserRepository;
  readonly departments: DepartmentRepository;
  readonly userDirectory: UserDirectory;
  readonly departmentDirectory: DepartmentDirectory;
  readonly repository: Pick<SourceRepository, 'find'>;
  readonly sync: Pick<SourceSync, 'demandFree'>;
}

type Tenant = Pick<Principal, 'tenant'>;

/** Accounts and departments of the caller's tenant. */
export class AccountService {
  readonly #deps: AccountServiceDependencies;

  constructor(dependencies: AccountServiceDependencies) {
    this.#deps = dependencies;
  }

  list(
    { q, departmentId, sourceId, status, ...request }: UserFilter & PageRequest,
    { tenant = '' }: Tenant,
  ): Promise<ReadPage<UserAccount>> {
    const filter = { q, departmentId, sourceId, status };
    return this.#deps.userDirectory.page(tenant, filter, request);
  }

  /** @throws Problem `USER_NOT_FOUND` (404) */
  async get(id: string, { tenant = '' }: Tenant): Promise<UserAccount> {
    const account = await this.#deps.users.findById(id);
    if (!account || (account.tenant ?? '') !== tenant) throw problems.userNotFound({ id });
    return account;
  }

  /**
   * Enables or disables an account for its administrator; nothing that a source says changes that.
   * @throws Problem `USER_NOT_FOUND` (404), `OWN_ACCOUNT` (409)
   */
  async setStatus(id: string, status: AccountStatus, principal: Principal): Promise<UserAccount> {
    await this.get(id, principal);
    if (status === 'DISABLED' && principal.id === id) throw problems.ownAccount();
    const result = await this.#deps.users.setStatus(id, status, 'ADMIN');
    if (result.kind === 'ok') return result.value;
    throw result.code === 'NOT_FOUND'
      ? problems.userNotFound({ id })
      : new Error(`The status of ${id} cannot be stored: ${result.detail}`);
  }

  /**
   * Takes an account from a source or a provider, whatever it is known by there; without such a link nothing happens.
   * @throws Problem `USER_NOT_FOUND` (404), `SYNC_IN_PROGRESS` (409) while a run would link it again
   */
  async unlink(id: string, sourceId: string, principal: Principal): Promise<UserAccount> {
    const { users, repository, sync } = this.#deps;
    let account = await this.get(id, principal);
    const links = account.links.filter((link) => link.sourceId === sourceId);
    const source = links.length > 0 ? await repository.find(sourceId) : undefined;
    if (source) await sync.demandFree(source);
    for (const link of links) {
      const result = await users.unlink(id, link);
      if (result.kind !== 'ok') {
        throw result.code === 'NOT_FOUND'
          ? problems.userNotFound({ id })
          : new Error(`${id} cannot be unlinked: ${result.detail}`);
      }
      account = result.value;
    }
    return account;
  }

  async tree({ tenant = '' }: Tenant): Promise<readonly DepartmentNode[]> {
    return treeOf(await this.#deps.departmentDirectory.all(tenant));
  }

  /** Codes of the departments of an account and of those above them. */
  async groupsOf({ orgIds }: UserAccount): Promise<readonly string[]> {
    const { departments } = this.#deps;
    const found = await Promise.all(orgIds.map((id) => departments.get(id)));
    const own = found.filter((each): each is Department => each !== undefined);
    const above = new Set(own.flatMap(({ path }) => path.slice(0, -1)));
    const others = [...above].filter((id) => !own.some((each) => each.id === id));
    const parents = await Promise.all(others.map((id) => departments.get(id)));
    return [...new Set([...own, ...parents].flatMap((each) => each?.code ?? []))];
  }

  /**
   * Checks a password, for a login form of the host.
   * @returns the account, and whether its owner must change the password; `undefined` when it is wrong or disabled.
   */
  async verifyPassword(
    userName: string,
    password: string,
    { tenant = '' }: Tenant = {},
  ): Promise<{ readonly user: UserAccount; readonly mustChange: boolean } | undefined> {
    const user = await this.#deps.users.findByUsername(userName, tenant);
    const hash = user?.credential && (await this.#hashOf(user.credential));
    const isRight = await verifyHash(password, hash ?? NOBODY);
    if (!user || hash === undefined || !isRight || user.status !== 'ENABLED') return undefined;
    return { user, mustChange: user.credential?.mustChange ?? false };
  }

  async #hashOf({
    sourceId,
    version,
  }: NonNullable<UserAccount['credential']>): Promise<string | undefined> {
    const source = await this.#deps.repository.find(sourceId);
    const known = source?.strategyConfig.user.defaultPasswords ?? [];
    return known.find((each) => each.version === version)?.hash;
  }
}

/** Takes as long to check as a real hash, so that the time does not reveal which accounts exist; no password matches it. */
const NOBODY = `scrypt$32768$8$1$${Buffer.alloc(16).toString('base64url')}$${Buffer.alloc(32).toString('base64url')}`;
