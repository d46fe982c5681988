import type { UserRepository } from '../../../../shared/ports/identity.ts';
import { isRefused } from '../../domain/directory/directory.ts';
import { fingerprint } from '../../domain/directory/fingerprint.ts';
import { compileMapping } from '../../domain/directory/map-user.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import { problems } from '../../errors.ts';
import { quoted } from '../../providers/filter.ts';
import type { IdentitySourceClient, Providers } from '../../providers/provider.ts';
import { SourceError } from '../../providers/source-error.ts';
import { changesOf, factsOf } from '../run/account-facts.ts';
import { MembershipIndex } from '../run/memberships.ts';
import type { PreviewCall, PreviewedUser, WantedUser } from '../source-sync.ts';
import { isWithin } from '../steps/confirmer.ts';
import { inScope } from '../steps/plan.ts';
import { readAllGroups } from './read-groups.ts';

interface PreviewDependencies {
  readonly providers: Providers;
  readonly users: Pick<UserRepository, 'findByExternal'>;
}

/** Shows what a configuration makes of one user, before it is saved. */
export class Preview {
  readonly #deps: PreviewDependencies;

  constructor(dependencies: PreviewDependencies) {
    this.#deps = dependencies;
  }

  /** @returns `undefined` when the source has no such user. @throws Problem `SOURCE_UNREADABLE` (422) */
  async of(call: PreviewCall): Promise<PreviewedUser | undefined> {
    const { basicConfig } = call;
    // Logins of what is not saved are kept apart from those of sources.
    const key = `preview:${fingerprint([basicConfig])}`;
    const client = this.#deps.providers.of('EXTSRC').client(key, basicConfig);
    try {
      const resource = await found(client, call.wanted);
      return resource && (await this.#shown(call, client, resource));
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw problems.sourceUnreadable({ reason: error.message }, { cause: error });
    }
  }

  async #shown(
    { sourceId, strategyConfig }: PreviewCall,
    client: IdentitySourceClient,
    resource: Resource,
  ): Promise<PreviewedUser> {
    const { mapping, roles, scope } = strategyConfig;
    const memberships = new MembershipIndex(await readAllGroups(client), scope);
    const user = compileMapping(mapping, roles)(resource, memberships);
    const { externalId } = user;
    const isListed = await isWithin({ strategyConfig }, client, externalId);
    if (isRefused(user)) {
      return { externalId, refused: user.refused, isInScope: isListed, departments: [] };
    }
    const account =
      sourceId === undefined
        ? undefined
        : await this.#deps.users.findByExternal(sourceId, externalId);
    return {
      ...{ externalId, user },
      isInScope: isListed && (inScope({ strategyConfig })?.(user) ?? true),
      departments: user.groups.map((id) => memberships.nameOf(id) ?? id),
      ...(account && {
        account: { id: account.id, changes: changesOf(account, factsOf(user, account.orgIds)) },
      }),
    };
  }
}

async function found(
  client: IdentitySourceClient,
  wanted: WantedUser,
): Promise<Resource | undefined> {
  if ('externalId' in wanted) return client.find('Users', wanted.externalId);
  const filter = `userName eq ${quoted(wanted.userName)}`;
  const [first] = (await client.page({ kind: 'Users', filter })).resources;
  return first;
}
