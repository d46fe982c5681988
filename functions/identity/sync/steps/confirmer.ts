import type { UserOperation } from '../../domain/plan/operations.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { quoted } from '../../providers/filter.ts';
import type { IdentitySourceClient, ResourceKind } from '../../providers/provider.ts';
import { SourceError } from '../../providers/source-error.ts';

/** What the source says of a user whom it did not list. */
export type Confirmation =
  | 'GONE'
  | 'OUT_OF_SCOPE'
  | 'SOURCE_INACTIVE'
  | 'STILL_PRESENT'
  | 'SOURCE_UNREACHABLE';

type Asked = Pick<Extract<UserOperation, { kind: 'missing' }>, 'externalId' | 'isOutOfScope'>;

/** Asks a source for users whom it did not list: a lost page must not remove users. */
export class Confirmer {
  readonly #source: Pick<IdentitySource, 'strategyConfig'>;
  readonly #client: IdentitySourceClient;

  constructor(source: Pick<IdentitySource, 'strategyConfig'>, client: IdentitySourceClient) {
    this.#source = source;
    this.#client = client;
  }

  async of(user: Asked): Promise<Confirmation> {
    const [said = 'SOURCE_UNREACHABLE'] = await this.ofAll([user]);
    return said;
  }

  /** The answers for some of them, in their order; a source that has begun to find no user says so for each. */
  async ofAll(users: readonly Asked[]): Promise<readonly Confirmation[]> {
    const said: Confirmation[] = [];
    for (const user of users) said.push(await this.#one(user));
    if (!said.includes('GONE') || (await this.#findsUsers())) return said;
    return said.map((each) => (each === 'GONE' ? 'SOURCE_UNREACHABLE' : each));
  }

  async #findsUsers(): Promise<boolean> {
    try {
      return await findsListed(this.#client, 'Users');
    } catch (error) {
      if (error instanceof SourceError) return false;
      throw error;
    }
  }

  async #one({ externalId, isOutOfScope }: Asked): Promise<Confirmation> {
    try {
      const user = await this.#client.find('Users', externalId);
      if (!user) return 'GONE';
      if (user.active === false) return 'SOURCE_INACTIVE';
      if (isOutOfScope) return 'OUT_OF_SCOPE';
      return (await isWithin(this.#source, this.#client, externalId))
        ? 'STILL_PRESENT'
        : 'OUT_OF_SCOPE';
    } catch (error) {
      if (error instanceof SourceError) return 'SOURCE_UNREACHABLE';
      throw error;
    }
  }
}

/** Whether the filter of the scope finds a user. */
export async function isWithin(
  { strategyConfig: { scope } }: Pick<IdentitySource, 'strategyConfig'>,
  client: IdentitySourceClient,
  externalId: string,
): Promise<boolean> {
  const { userFilter } = scope;
  if (userFilter === undefined) return true;
  return (await client.count('Users', `(${userFilter}) and id eq ${quoted(externalId)}`)) > 0;
}

/** Where even an object of the list is not found by id, not being found means nothing. */
export async function findsListed(
  client: Pick<IdentitySourceClient, 'find' | 'page'>,
  kind: ResourceKind,
): Promise<boolean> {
  const position = { startIndex: 1, read: 0, total: -1, size: 1 };
  const [listed] = (await client.page({ kind, position })).resources;
  return listed === undefined || (await client.find(kind, String(listed.id))) !== undefined;
}
