import { toInstant } from '../../../../shared/primitives/clock.ts';
import { mapLimited } from '../../../../shared/primitives/map-limited.ts';
import type { DepartmentOperation, UserOperation } from '../../domain/plan/operations.ts';
import { PLANNED } from '../../domain/runs/history.ts';
import { numbered } from '../../store/run-files.ts';
import { actionOf, changesOf, factsOf } from '../run/account-facts.ts';
import { type RecordFacts, recordOf } from '../run/records.ts';
import type { Run } from '../run/run.ts';
import type { StoredPlan } from '../run/stored-plan.ts';
import type { StepDependencies } from './dependencies.ts';

const READS_AT_ONCE = 16;
const AS_PLANNED = { status: 'SKIP', reasonCode: PLANNED } as const;

/** Tells what a plan would do, for whoever looks at it before it is applied. */
export class PlannedRecords {
  readonly #deps: StepDependencies;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
  }

  async write(run: Run, { departments, chunks, missing }: StoredPlan): Promise<void> {
    await this.#put(run, departments.flatMap(ofDepartment));
    const names = [
      ...chunks.map((number) => numbered('changes', number)),
      ...missing.map((number) => numbered('missing', number)),
    ];
    for (const name of names) {
      const operations = await this.#deps.files.read<readonly UserOperation[]>(run, name);
      await this.#put(
        run,
        await mapLimited(operations, READS_AT_ONCE, (each) => this.#ofUser(each)),
      );
    }
  }

  async #put(run: Run, facts: readonly RecordFacts[]): Promise<void> {
    const time = toInstant(this.#deps.clock.now());
    await this.#deps.history.putRecords(facts.map((each) => recordOf(run, each, time)));
  }

  async #ofUser(operation: UserOperation): Promise<RecordFacts> {
    if (operation.kind === 'refuse') return refusedUser(operation);
    const objectType = 'USER' as const;
    if (operation.kind === 'missing') {
      const { id, externalId, userName } = operation;
      return {
        ...AS_PLANNED,
        objectType,
        actionType: 'DELETE',
        objectId: id,
        externalId,
        objectName: userName,
      };
    }
    const { id, user, departmentIds } = operation;
    const { externalId, userName } = user;
    const named = { objectType, objectId: id, externalId, objectName: userName };
    if (operation.kind === 'create') {
      const isKnown = operation.accountId !== undefined;
      return { ...AS_PLANNED, ...named, actionType: isKnown ? 'LINK' : 'INSERT' };
    }
    const account = await this.#deps.users.findById(id);
    const changes = account ? changesOf(account, factsOf(user, departmentIds)) : [];
    return { ...AS_PLANNED, ...named, actionType: actionOf(changes, operation.status), changes };
  }
}

/** Record of a user that cannot become an account. */
export function refusedUser({
  externalId,
  userName = externalId,
  code,
}: Extract<UserOperation, { kind: 'refuse' }>): RecordFacts {
  return {
    ...{ objectType: 'USER', actionType: 'INSERT', status: 'FAIL' },
    ...{ externalId, objectName: userName, reasonCode: code },
  };
}

function ofDepartment(operation: DepartmentOperation): RecordFacts[] {
  const { externalId, name } = operation;
  const named = { objectType: 'ORGANIZATION' as const, externalId, objectName: name };
  if (operation.kind === 'note') return [noted(operation)];
  const { id: objectId } = operation;
  const planned = (actionType: RecordFacts['actionType']) => [
    { ...AS_PLANNED, ...named, objectId, actionType },
  ];
  if (operation.kind === 'create') return planned('INSERT');
  if (operation.kind === 'remove') return planned('DELETE');
  return planned(operation.newParentId === undefined ? 'UPDATE' : 'MOVE');
}

/** Record of an unusual group. */
export const noted = ({
  externalId,
  name,
  code,
}: Extract<DepartmentOperation, { kind: 'note' }>): RecordFacts => ({
  ...{ objectType: 'ORGANIZATION', actionType: 'UPDATE', status: 'SKIP' },
  ...{ externalId, objectName: name, reasonCode: code, isNote: true },
});
