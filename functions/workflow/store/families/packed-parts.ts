import type { StorableItem } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { FamilyChange } from '../../domain/cases/family-change.ts';
import { stateKey } from '../case-keys.ts';
import type { Packed } from '../packed.ts';
import type { CaseObjects } from './case-objects.ts';

/** Parts of a change that were packed, in the order of the change. */
export interface PackedParts {
  readonly families: readonly StorableItem[];
  readonly history: readonly Packed[];
  readonly ended: readonly Packed[];
  readonly works: ReadonlyMap<string, Packed>;
  /** Variables of the processes that are started and ended. */
  readonly processes: readonly Packed[];
}

/** Packs everything of a change that may be large, but for the state of its own family. */
export async function packParts(
  unit: UnitOfWork,
  objects: CaseObjects,
  change: FamilyChange,
): Promise<PackedParts> {
  const families: StorableItem[] = [];
  for (const [id, content] of change.apart) {
    families.push(stateItem(id, 1, await objects.pack(unit, content, `${id}/state`)));
  }
  const history: Packed[] = [];
  for (const { caseInstanceId, changes } of change.history) {
    history.push(await objects.pack(unit, changes, `${caseInstanceId}/history`));
  }
  const ended: Packed[] = [];
  for (const { caseInstanceId, instance } of change.ended) {
    ended.push(await objects.pack(unit, instance, `${caseInstanceId}/ended`));
  }
  const works = new Map<string, Packed>();
  for (const work of change.works.values()) {
    if (!('variables' in work)) continue;
    works.set(work.id, await objects.pack(unit, work.variables, `${work.caseInstanceId}/work`));
  }
  const processes: Packed[] = [];
  for (const call of change.processes) {
    const variables = call.step === 'start' ? call.variables : {};
    processes.push(await objects.pack(unit, variables, `${call.processInstanceId}/call`));
  }
  return { families, history, ended, works, processes };
}

/** The state of a family, as it is stored. */
export const stateItem = (familyId: string, version: number, packed: Packed): StorableItem => ({
  ...stateKey(familyId),
  type: 'case_family',
  version,
  ...packed,
});
