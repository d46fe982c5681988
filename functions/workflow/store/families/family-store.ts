import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { readAll } from '../../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../../shared/store/table.ts';
import {
  type ChangedTask,
  caseIn,
  type Family,
  type FamilyContent,
} from '../../domain/cases/family.ts';
import type { TaskChange } from '../../domain/cmmn/index.ts';
import { loadEngine } from '../../engine.ts';
import { CHANGED_TASK, casePartition, headKey, LIVE, restKey, stateKey } from '../case-keys.ts';
import { toHead } from '../cases/case-items.ts';
import { MissingObjectError, type Packed, type Packer, packedIn } from '../packed.ts';
import type { RestRunner } from './rest-runner.ts';

/** A family as it was read, and where its content lies. */
export interface StoredFamily extends Family {
  readonly place: Packed;
}

export interface FamilyStoreDependencies {
  readonly table: Table;
  readonly packer: Packer;
  readonly rests: RestRunner;
}

interface LiveItems {
  readonly head: Item | undefined;
  readonly state: Item | undefined;
  readonly hasRest: boolean;
  readonly changedTasks: readonly ChangedTask[];
}

/** A case moves to another family, or its content to another object, at most so often while it is read. */
const MAX_ROUNDS = 5;

/** Reads families, strongly consistent. */
export class FamilyStore {
  readonly #deps: FamilyStoreDependencies;

  constructor(dependencies: FamilyStoreDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The family that the case is stored with, after what is left of its last command has been written: one query, two for
   * a case that another waits for, and an object when it is large.
   * @throws Problem `CONCURRENT_UPDATE` (409)
   */
  async load(caseInstanceId: string): Promise<StoredFamily | undefined> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const own = await this.#read(caseInstanceId);
      const familyId = own.head ? toHead(own.head).familyId : caseInstanceId;
      const items = familyId === caseInstanceId ? own : await this.#read(familyId);
      if (!own.head && !own.state) return undefined;
      if (items.hasRest) await this.#deps.rests.finish(familyId);
      else {
        const family = await this.#toFamily(familyId, items);
        if (family && caseIn(family, caseInstanceId)) return family;
      }
    }
    throw httpProblems.concurrentUpdate();
  }

  async #read(id: string): Promise<LiveItems> {
    const items = await readAll(this.#deps.table, {
      partition: casePartition(id),
      beginsWith: LIVE,
    });
    const at = (sk: string) => items.find((item) => item.sk === sk);
    return {
      head: at(headKey(id).sk),
      state: at(stateKey(id).sk),
      hasRest: at(restKey(id).sk) !== undefined,
      changedTasks: items.filter(({ sk }) => sk.startsWith(CHANGED_TASK)).map(toChangedTask),
    };
  }

  async #toFamily(
    familyId: string,
    { state: item, changedTasks }: LiveItems,
  ): Promise<StoredFamily | undefined> {
    if (!item) return undefined;
    const place = packedIn(item);
    try {
      const content = (await this.#deps.packer.unpack(place)) as FamilyContent;
      const { readState } = await loadEngine();
      const state = readState(content.state);
      return { ...content, state, familyId, version: item.version ?? 0, changedTasks, place };
    } catch (cause) {
      if (cause instanceof MissingObjectError) return undefined;
      throw cause;
    }
  }
}

const toChangedTask = (item: Item): ChangedTask => ({
  taskId: item.sk.slice(CHANGED_TASK.length),
  change: (item as Item & { change: TaskChange }).change,
  version: item.version ?? 0,
});
