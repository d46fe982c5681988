import type { Department, ItemResult, WriteOptions } from '../../../../shared/ports/identity.ts';
import { toInstant } from '../../../../shared/primitives/clock.ts';
import type { DepartmentOperation } from '../../domain/plan/operations.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { type RecordFacts, recordOf } from '../run/records.ts';
import type { Run, StepResult } from '../run/run.ts';
import { StopRun } from '../run/stop.ts';
import type { StoredPlan } from '../run/stored-plan.ts';
import type { StepDependencies } from './dependencies.ts';
import { noted } from './planned-records.ts';

/** Departments between two looks at the lock. */
const BATCH = 25;

type Operation<K extends DepartmentOperation['kind']> = Extract<DepartmentOperation, { kind: K }>;

/** Applies changes of departments: parents before their children, and removals after all accounts. */
export class DepartmentStep {
  readonly #deps: StepDependencies;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
  }

  /** Makes, renames and moves. */
  async run(run: Run): Promise<StepResult> {
    const { access, files, keeper } = this.#deps;
    const source = await access.sourceOf(run);
    const plan = await files.read<StoredPlan>(run, 'plan');
    await keeper.check(run);
    if (plan.isNewRoot) await this.#makeRoot(run, source, plan.rootId);
    const operations = plan.departments.filter((each) => each.kind !== 'remove');
    await this.#inBatches(run, operations, (each) => this.apply(run, source, each));
    return { outcome: 'GO', run: { ...run, isFirst: plan.isFirst }, chunks: plan.chunks };
  }

  /** Removes empty departments that the source no longer has. */
  async remove(run: Run): Promise<void> {
    const { departments } = await this.#deps.files.read<StoredPlan>(run, 'plan');
    const removals = departments.filter((each) => each.kind === 'remove');
    await this.#inBatches(run, removals, (each) => this.removeOne(run, each));
  }

  /** Removes an empty department; `NOT_EMPTY`: it has users or departments. */
  async removeOne(run: Run, operation: Operation<'remove'>): Promise<RecordFacts> {
    const result = await this.#deps.departments.remove(operation.id, this.#options(run));
    return outcomeOf(operation, 'DELETE', result);
  }

  async #inBatches<T extends DepartmentOperation>(
    run: Run,
    operations: readonly T[],
    apply: (operation: T) => Promise<RecordFacts>,
  ): Promise<void> {
    const { keeper, history, clock } = this.#deps;
    for (let at = 0; at < operations.length; at += BATCH) {
      if (at > 0) await keeper.check(run);
      const facts: RecordFacts[] = [];
      for (const operation of operations.slice(at, at + BATCH)) facts.push(await apply(operation));
      const time = toInstant(clock.now());
      await history.putRecords(facts.map((each) => recordOf(run, each, time)));
    }
  }

  /** The unit that the tree of a source hangs below, where none was chosen. */
  async #makeRoot(run: Run, { id, tenant, name }: IdentitySource, rootId: string): Promise<void> {
    const { departments, states, unitOfWork } = this.#deps;
    await unitOfWork((unit) => states.stageChange(unit, id, () => ({ rootDepartmentId: rootId })));
    const [result] = await departments.createMany(
      [{ id: rootId, tenant, name }],
      this.#options(run),
    );
    if (result?.kind !== 'failed') return;
    demandHeld(result);
    throw new StopRun({ status: 'FAIL', reasonCode: result.code, desc: result.detail });
  }

  /** Makes, renames or moves one. @throws StopRun when it cannot be made */
  async apply(
    run: Run,
    { id: sourceId, tenant }: IdentitySource,
    operation: Exclude<DepartmentOperation, { kind: 'remove' }>,
  ): Promise<RecordFacts> {
    if (operation.kind === 'note') return noted(operation);
    if (operation.kind === 'update') return this.#update(run, operation);
    const { kind: _kind, ...department } = operation;
    const [result] = await this.#deps.departments.createMany(
      [{ ...department, tenant, sourceId }],
      this.#options(run),
    );
    if (result?.kind === 'failed') {
      demandHeld(result);
      // Accounts would be in a department that does not exist, and nothing would tell the next run.
      throw new StopRun({ status: 'FAIL', reasonCode: result.code, desc: result.detail });
    }
    return outcomeOf(operation, 'INSERT', result);
  }

  async #update(run: Run, operation: Operation<'update'>): Promise<RecordFacts> {
    const { departments } = this.#deps;
    const { id, name, hash, newName, newParentId } = operation;
    const options = this.#options(run);
    const moved =
      newParentId === undefined ? undefined : await departments.move(id, newParentId, options);
    if (moved?.kind === 'failed') return outcomeOf(operation, 'MOVE', moved);
    const renamed = await departments.rename(id, newName ?? name, { ...options, hash });
    return outcomeOf(operation, moved ? 'MOVE' : 'UPDATE', renamed);
  }

  #options(run: Run): WriteOptions {
    return { fence: this.#deps.keeper.fenceOf(run) };
  }
}

/** @throws StopRun when another run has taken over */
export function demandHeld(result: ItemResult<unknown> | undefined): void {
  if (result?.kind === 'failed' && result.code === 'FENCED') {
    throw new StopRun({ status: 'FAIL', reasonCode: 'LOCK_LOST', desc: 'Another run took over.' });
  }
}

function outcomeOf(
  { id, externalId, name }: Operation<'create' | 'update' | 'remove'>,
  actionType: RecordFacts['actionType'],
  result: ItemResult<Department | undefined> | undefined,
): RecordFacts {
  demandHeld(result);
  const named = {
    objectType: 'ORGANIZATION' as const,
    actionType,
    externalId,
    objectId: id,
    objectName: name,
  };
  if (result?.kind !== 'failed') return { ...named, status: 'SUCCESS' };
  const status = result.code === 'NOT_EMPTY' ? 'SKIP' : 'FAIL';
  return { ...named, status, reasonCode: result.code, desc: result.detail };
}
