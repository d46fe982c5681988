import type { UserAccount, WriteFence } from '../../../../shared/ports/identity.ts';
import { foldedName } from '../../domain/accounts/folded-name.ts';
import type { UserOperation } from '../../domain/plan/operations.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { changedFacts, changesOf, factsOf } from '../run/account-facts.ts';
import type { RecordFacts } from '../run/records.ts';
import { demandHeld } from './apply-departments.ts';
import type { StepDependencies } from './dependencies.ts';

/** Accounts of people of a source who log in, by the alias that their provider gives for the source. */
export async function loginsOf(
  { users, providerIdsOf }: Pick<StepDependencies, 'users' | 'providerIdsOf'>,
  sourceId: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const providerId of (await providerIdsOf?.(sourceId)) ?? []) {
    for await (const { alias, userId } of users.iterateLinks(providerId)) {
      if (alias !== undefined) found.set(alias, userId);
    }
  }
  return found;
}

type Create = Extract<UserOperation, { kind: 'create' }>;

/** Finds out whether an account that has the name of a new user is that user's. */
export class Adoption {
  readonly #deps: StepDependencies;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
  }

  /** Links the account with the user. @returns `undefined` when it belongs to another user */
  async of(
    source: IdentitySource,
    operation: Create,
    fence: WriteFence,
  ): Promise<RecordFacts | undefined> {
    const account = await this.#candidate(source, operation);
    if (!account) return undefined;
    const { externalId, active } = operation.user;
    const links = account.links.filter(({ sourceId }) => sourceId === source.id);
    const former = links.find((link) => link.externalId !== externalId);
    if (links.some((link) => link.externalId === externalId) && !former) {
      // A step that died after it had linked them.
      return { ...linked(operation, account), status: 'SUCCESS' };
    }
    if (!active && (await this.#deps.protectedAccounts?.isProtected(account))) {
      return { ...linked(operation, account), status: 'SKIP', reasonCode: 'PROTECTED_ACCOUNT' };
    }
    if (former && (await this.#isAtSource(source, former.externalId))) return undefined;
    const isSame = former && isKnownAs(operation, account);
    if (!(isSame || (await this.#mayLink(source, operation, account)))) return undefined;
    return this.#link(source, operation, account, former?.externalId, fence);
  }

  async #candidate(
    { tenant }: IdentitySource,
    { user, accountId }: Create,
  ): Promise<UserAccount | undefined> {
    const { users } = this.#deps;
    const known = accountId === undefined ? undefined : await users.findById(accountId);
    if (known && (known.tenant ?? '') === tenant) return known;
    const named = await users.findByUsername(user.userName, tenant);
    if (named || user.email === undefined) return named;
    return users.findByEmail(user.email, tenant);
  }

  async #isAtSource(source: IdentitySource, externalId: string): Promise<boolean> {
    const client = await this.#deps.access.client(source);
    return (await client.find('Users', externalId)) !== undefined;
  }

  /** An account that a login through this source's own provider has made, or one that the strategy links. */
  async #mayLink(
    { id, strategyConfig }: IdentitySource,
    { user, accountId }: Create,
    account: UserAccount,
  ): Promise<boolean> {
    const { matching, trustedDomains } = strategyConfig.user;
    const isNamed = foldedName(account.userName) === foldedName(user.userName);
    const isMailed = user.email !== undefined && isSameMail(account.email, user.email);
    if (account.origin === 'IDP' && (await this.#comesFrom(id, account)))
      return isNamed || isMailed || account.id === accountId;
    if (matching === 'username_link') return isNamed;
    const domain = user.email?.split('@').at(-1) ?? '';
    return matching === 'email_link' && isMailed && trustedDomains.includes(domain);
  }

  async #comesFrom(sourceId: string, { links }: UserAccount): Promise<boolean> {
    const providers = (await this.#deps.providerIdsOf?.(sourceId)) ?? [];
    return links.some((link) => providers.includes(link.sourceId));
  }

  async #link(
    source: IdentitySource,
    { user, departmentIds }: Create,
    account: UserAccount,
    former: string | undefined,
    fence: WriteFence,
  ): Promise<RecordFacts> {
    const { users } = this.#deps;
    const { externalId, hash, active } = user;
    const changes = changesOf(account, factsOf(user, departmentIds));
    const told = { ...linked({ user }, account), changes };
    const status = active ? ('ENABLED' as const) : ('DISABLED' as const);
    const alias = user.sourceExternalId;
    const links = [{ sourceId: source.id, externalId, hash, active, alias }];
    const [result] = await users.updateMany(
      [
        {
          ...{ id: account.id, version: account.version, facts: changedFacts(changes), links },
          status: { to: status, by: 'SOURCE' },
        },
      ],
      { fence },
    );
    demandHeld(result);
    if (result?.kind === 'failed') {
      return { ...told, status: 'FAIL', reasonCode: result.code, desc: result.detail };
    }
    if (former !== undefined) {
      await users.unlink(account.id, { sourceId: source.id, externalId: former }, { fence });
    }
    return { ...told, status: 'SUCCESS' };
  }
}

/** An address alone, which may have gone to somebody else, makes no other person the same. */
const isKnownAs = ({ user, accountId }: Create, { id, userName }: UserAccount): boolean =>
  id === accountId || foldedName(userName) === foldedName(user.userName);

const isSameMail = (known: string | undefined, given: string): boolean =>
  known !== undefined && foldedName(known) === foldedName(given);

const linked = ({ user: { externalId, userName } }: Pick<Create, 'user'>, { id }: UserAccount) => ({
  ...{ objectType: 'USER' as const, actionType: 'LINK' as const },
  ...{ objectId: id, externalId, objectName: userName },
});
