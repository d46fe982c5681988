import type { Resource } from '../../domain/directory/scim-path.ts';
import type { DepartmentOperation } from '../../domain/plan/operations.ts';
import type { RecordFacts } from '../run/records.ts';
import { DepartmentStep } from '../steps/apply-departments.ts';
import { findsListed } from '../steps/confirmer.ts';
import type { StepDependencies } from '../steps/dependencies.ts';
import { type CurrentGroups, currentGroups, neededFor } from './current-groups.ts';
import type { HintWork, UserHints } from './user-hints.ts';

/** Members who have come or gone, and are read one by one; of more a run is made. */
const MAX_MEMBERS = 25;

/** What became of a group. */
export interface GroupOutcome {
  /** What was done with its department; nothing where it is as the source says. */
  readonly facts?: RecordFacts | undefined;
  /** Whether only a run of everything can do the rest. */
  readonly needsRun?: boolean | undefined;
}

/** Applies what a source says now of one group: its department, and who has come into it or left it. */
export class GroupHints {
  readonly #deps: StepDependencies;
  readonly #departments: DepartmentStep;
  readonly #users: UserHints;

  constructor(dependencies: StepDependencies, users: UserHints) {
    this.#deps = dependencies;
    this.#departments = new DepartmentStep(dependencies);
    this.#users = users;
  }

  async apply(work: HintWork, externalId: string): Promise<GroupOutcome> {
    const { source, client } = work;
    const group = await client.find('Groups', externalId);
    const current = await currentGroups(this.#deps, source, client, group ? [group] : []);
    if (!current) return {};
    return group
      ? this.#follow({ ...work, current }, current, group)
      : this.#remove(work, current, externalId);
  }

  async #follow(work: HintWork, current: CurrentGroups, { id }: Resource): Promise<GroupOutcome> {
    const externalId = String(id);
    if (!current.memberships.has(externalId)) return {};
    const told: RecordFacts[] = [];
    for (const operation of changesOf(current, externalId)) {
      told.push(await this.#departments.apply(work.run, work.source, operation));
    }
    const facts = told.find((each) => each.externalId === externalId);
    if (facts && facts.status !== 'SUCCESS') return { facts };
    const moved = await this.#moved(work, current, externalId);
    if (moved.length > MAX_MEMBERS) return { facts, needsRun: true };
    for (const user of moved) {
      const member = await this.#users.apply(work, user);
      if (member?.status === 'FAIL') return { facts: member };
    }
    return { facts };
  }

  /** Ids of users who are in the group and not in the department, or the other way round. */
  async #moved(
    { source }: HintWork,
    { groups, plan }: CurrentGroups,
    externalId: string,
  ): Promise<readonly string[]> {
    const { users, membersOf } = this.#deps;
    const departmentId = plan.idOf.get(externalId) ?? '';
    const members = groups.find((group) => group.externalId === externalId)?.users ?? [];
    const moved: string[] = [];
    for (const member of members) {
      if (moved.length > MAX_MEMBERS) return moved;
      const account = await users.findByExternal(source.id, member);
      if (!account?.orgIds.includes(departmentId)) moved.push(member);
    }
    const there = (await membersOf?.(departmentId)) ?? [];
    for (const id of there) {
      if (moved.length > MAX_MEMBERS) return moved;
      const { links = [] } = (await users.findById(id)) ?? {};
      const link = links.find(({ sourceId }) => sourceId === source.id);
      if (link && !members.includes(link.externalId)) moved.push(link.externalId);
    }
    return moved;
  }

  /** Only the source's word removes, and only a department that is empty. */
  async #remove(
    { run, client }: HintWork,
    { plan }: CurrentGroups,
    externalId: string,
  ): Promise<GroupOutcome> {
    const removal = plan.operations
      .filter((each) => each.kind === 'remove')
      .find((each) => each.externalId === externalId);
    if (!removal) return {};
    const { id: objectId, name: objectName } = removal;
    const named = { objectType: 'ORGANIZATION' as const, externalId, objectId, objectName };
    if (!(await findsListed(client, 'Groups'))) {
      const reasonCode = 'SOURCE_UNREACHABLE';
      return { facts: { ...named, actionType: 'DELETE', status: 'FAIL', reasonCode } };
    }
    const facts = await this.#departments.removeOne(run, removal);
    return facts.reasonCode === 'NOT_EMPTY' ? { facts, needsRun: true } : { facts };
  }
}

/** Departments above the group that are to be made, then what changes of its own. */
function changesOf(
  current: CurrentGroups,
  externalId: string,
): readonly Exclude<DepartmentOperation, { kind: 'remove' | 'note' }>[] {
  const own = current.plan.operations
    .filter((each) => each.kind === 'update')
    .find((each) => each.externalId === externalId);
  const parent = current.memberships.tree.departments.find(
    (each) => each.externalId === externalId,
  )?.parent;
  const above = own ? (parent === undefined ? [] : [parent]) : [externalId];
  return [...neededFor(current, above), ...(own ? [own] : [])];
}
