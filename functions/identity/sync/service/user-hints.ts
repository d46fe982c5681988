import { isRefused, outlineOf } from '../../domain/directory/directory.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import type { UserOperation } from '../../domain/plan/operations.ts';
import { type LinkedUser, UserPlan } from '../../domain/plan/user-plan.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { IdentitySourceClient } from '../../providers/provider.ts';
import { KnownUsers } from '../run/known-users.ts';
import type { RecordFacts } from '../run/records.ts';
import type { Run } from '../run/run.ts';
import { DepartmentStep } from '../steps/apply-departments.ts';
import { MissingStep } from '../steps/apply-missing.ts';
import { UserStep } from '../steps/apply-users.ts';
import { Confirmer, isWithin } from '../steps/confirmer.ts';
import type { StepDependencies } from '../steps/dependencies.ts';
import { inScope } from '../steps/plan.ts';
import { type CurrentGroups, currentGroups, neededFor } from './current-groups.ts';

/** A source that is held, and what it says of its groups. */
export interface HintWork {
  readonly run: Run;
  readonly source: IdentitySource;
  readonly client: IdentitySourceClient;
  /** Read where they are not given. */
  readonly current?: CurrentGroups | undefined;
}

/** Applies what a source says now of one user. */
export class UserHints {
  readonly #deps: StepDependencies;
  readonly #users: UserStep;
  readonly #missing: MissingStep;
  readonly #departments: DepartmentStep;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
    this.#users = new UserStep(dependencies);
    this.#missing = new MissingStep(dependencies);
    this.#departments = new DepartmentStep(dependencies);
  }

  /** @returns what was done; nothing where the account is as the source says */
  async apply(work: HintWork, externalId: string): Promise<RecordFacts | undefined> {
    const { run, source, client } = work;
    const [resource, account] = [
      await client.find('Users', externalId),
      await this.#deps.users.findByExternal(source.id, externalId),
    ];
    if (resource) {
      const active = account?.status === 'ENABLED';
      const link = account && { userId: account.id, externalId, hash: '', active };
      const operations = await this.#planned(work, resource, link);
      const [facts] = await this.#users.apply({ run, source, chunk: 0 }, operations);
      const isSame = facts?.actionType === 'UPDATE' && facts.changes?.length === 0;
      return isSame && facts.status === 'SUCCESS' ? undefined : facts;
    }
    if (!account) return undefined;
    const { id, userName } = account;
    const operation = { kind: 'missing' as const, id, externalId, userName };
    const said = await new Confirmer(source, client).of(operation);
    return this.#missing.apply(run, source, operation, said);
  }

  async #planned(
    { run, source, client, ...work }: HintWork,
    resource: Resource,
    link: LinkedUser | undefined,
  ): Promise<readonly UserOperation[]> {
    const current = work.current ?? (await currentGroups(this.#deps, source, client));
    // Who has left the scope is left to the next run.
    if (!current || !(await isWithin(source, client, String(resource.id)))) return [];
    const user = this.#deps.access.mapping(source)(resource, current.memberships);
    const plan = new UserPlan({
      links: link ? [link] : [],
      ...{ departmentIdOf: current.plan.idOf, rootId: current.rootId, newId: this.#deps.ids },
      isInScope: inScope(source),
    });
    if (!link) plan.learn(await new KnownUsers(this.#deps, source.id).of([outlineOf(user)]));
    const operations = plan.add([outlineOf(user)]);
    if (operations.length === 0 || isRefused(user)) return operations;
    // Nobody is put into a department that does not exist.
    for (const create of neededFor(current, user.groups)) {
      await this.#departments.apply(run, source, create);
    }
    return operations;
  }
}
