import type { UserAccount } from '../../../../shared/ports/identity.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { problems } from '../../errors.ts';
import type { IdentitySourceClient } from '../../providers/provider.ts';
import { SourceError } from '../../providers/source-error.ts';
import type { Run } from '../run/run.ts';
import type { ProvisionedAccount } from '../source-sync.ts';
import { demandHeld } from '../steps/apply-departments.ts';
import type { StepDependencies } from '../steps/dependencies.ts';
import type { SourceHold } from './source-hold.ts';

type Dependencies = Pick<StepDependencies, 'access' | 'users' | 'keeper'>;

/** Makes users at a source of accounts that it does not know, and links them. */
export class Provisioning {
  readonly #deps: Dependencies;
  readonly #hold: SourceHold;

  constructor(dependencies: Dependencies, hold: SourceHold) {
    this.#deps = dependencies;
    this.#hold = hold;
  }

  /** @throws Problem `NOT_CONFIGURED`, `SOURCE_DISABLED`, `SYNC_IN_PROGRESS` (409) */
  async provision(
    source: IdentitySource,
    userIds: readonly string[],
  ): Promise<readonly ProvisionedAccount[]> {
    const { id } = source;
    if (!source.configured) throw problems.notConfigured({ id });
    if (!source.enabled) throw problems.sourceDisabled({ id });
    const told = await this.#hold.during(source, (run) => this.#all(run, source, userIds), BUSY);
    if (told === BUSY) throw problems.syncInProgress({ runningBatch: '' });
    return told;
  }

  async #all(
    run: Run,
    source: IdentitySource,
    userIds: readonly string[],
  ): Promise<readonly ProvisionedAccount[]> {
    const client = await this.#deps.access.client(source);
    const told: ProvisionedAccount[] = [];
    for (const userId of new Set(userIds)) told.push(await this.#one(run, source, client, userId));
    return told;
  }

  async #one(
    run: Run,
    source: IdentitySource,
    client: IdentitySourceClient,
    userId: string,
  ): Promise<ProvisionedAccount> {
    const account = await this.#deps.users.findById(userId);
    if (!account || (account.tenant ?? '') !== source.tenant) {
      return { userId, status: 'FAIL', reasonCode: 'NOT_FOUND' };
    }
    const known = account.links.find(({ sourceId }) => sourceId === source.id);
    if (known) {
      const { externalId } = known;
      return { userId, status: 'SKIP', externalId, reasonCode: 'ALREADY_LINKED' };
    }
    if (account.status !== 'ENABLED') {
      return { userId, status: 'SKIP', reasonCode: 'ACCOUNT_DISABLED' };
    }
    try {
      return await this.#made(run, source, client, account);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { userId, status: 'FAIL', reasonCode: error.code, desc: error.message };
    }
  }

  /** The next run compares the account with what the source has made of it. */
  async #made(
    run: Run,
    { id: sourceId }: IdentitySource,
    client: IdentitySourceClient,
    account: UserAccount,
  ): Promise<ProvisionedAccount> {
    const { users, keeper } = this.#deps;
    const { id: userId, userName, email, fullName, givenName, familyName } = account;
    const facts = { userName, email, fullName, givenName, familyName, externalId: userId };
    const { id: externalId, isNew } = await client.createUser(facts);
    const link = { sourceId, externalId, hash: '', active: true, alias: userId };
    const result = await users.link(userId, link, { fence: keeper.fenceOf(run) });
    demandHeld(result);
    return result.kind === 'ok'
      ? { userId, status: 'SUCCESS', externalId, isNew }
      : { userId, status: 'FAIL', externalId, reasonCode: result.code, desc: result.detail };
  }
}

const BUSY: readonly ProvisionedAccount[] = [];
