import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { notExists, versionIs } from '../../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../../shared/store/paged-read.ts';
import { readAll } from '../../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { ProcessState } from '../../domain/bpmn/index.ts';
import type { ProcessHead, ProcessInstanceState } from '../../domain/processes/process-head.ts';
import { restKey } from '../case-keys.ts';
import type { CaseObjects } from '../families/case-objects.ts';
import type { RestRunner } from '../families/rest-runner.ts';
import { MissingObjectError, type Packed, type Packer, packedIn } from '../packed.ts';
import { processesOf, processHeadKey, processPartition, processStateKey } from '../process-keys.ts';

/** An instance as it was read, with the place of its state. */
export interface StoredProcess {
  readonly head: ProcessHead;
  readonly state: ProcessState;
  readonly version: number;
  readonly place: Packed;
}

/** Which instances a list has. */
export interface ProcessFilter {
  readonly tenantCode: string;
  readonly state: ProcessInstanceState;
  readonly workflowCode?: string | undefined;
  readonly businessKey?: string | undefined;
}

export interface ProcessStoreDependencies {
  readonly table: Table;
  readonly packer: Packer;
  readonly objects: CaseObjects;
  readonly rests: RestRunner;
}

type HeadItem = Item & { readonly head: ProcessHead };

/** The state moves to another object at most so often while it is read. */
const MAX_ROUNDS = 5;

/** Process instances. */
export class ProcessStore {
  readonly #deps: ProcessStoreDependencies;

  constructor(dependencies: ProcessStoreDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The instance, after what is left of its last command has been written; strongly consistent.
   * @throws Problem `CONCURRENT_UPDATE` (409)
   */
  async load(id: string): Promise<StoredProcess | undefined> {
    const { table, rests, packer } = this.#deps;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const [items, rest] = await Promise.all([
        readAll<Item>(table, { partition: processPartition(id) }),
        table.get(restKey(id)),
      ]);
      const at = (sk: string) => items.find((item) => item.sk === sk);
      const head = at(processHeadKey(id).sk) as HeadItem | undefined;
      const state = at(processStateKey(id).sk);
      if (!head || !state) return undefined;
      if (rest) {
        await rests.finish(id);
        continue;
      }
      const place = packedIn(state);
      try {
        const unpacked = (await packer.unpack(place)) as ProcessState;
        return { head: head.head, state: unpacked, version: state.version ?? 0, place };
      } catch (cause) {
        if (!(cause instanceof MissingObjectError)) throw cause;
      }
    }
    throw httpProblems.concurrentUpdate();
  }

  /** Stages head and state on condition that the instance is unchanged; otherwise the unit runs again. */
  async stage(
    unit: UnitOfWork,
    before: StoredProcess | undefined,
    head: ProcessHead,
    state: ProcessState,
  ): Promise<void> {
    const { objects } = this.#deps;
    const id = head.processInstanceId;
    const packed = await objects.pack(unit, state, `${id}/state`);
    const version = before?.version ?? 0;
    unit.put(
      { ...processStateKey(id), type: 'process_state', version: version + 1, ...packed },
      { condition: version === 0 ? notExists : versionIs(version), otherwise: 'retry' },
    );
    unit.put(headItem(head));
    objects.release(unit, before?.place);
  }

  /** Newest start first. */
  async page(filter: ProcessFilter, request: PageRequest): Promise<ReadPage<ProcessHead>> {
    const { tenantCode, state } = filter;
    const query = {
      index: 'gsi1' as const,
      partition: processesOf(tenantCode, state),
      reverse: true,
      ...filterOf(filter),
    };
    const found = await readPage<Item>(this.#deps.table, query, request, ['processes', filter]);
    const keys = found.content.map(({ pk, sk }) => ({ pk, sk }));
    const heads = await this.#deps.table.getMany<HeadItem>(keys);
    return { ...found, content: heads.map(({ head }) => head) };
  }
}

function filterOf({ workflowCode, businessKey }: ProcessFilter) {
  const wanted = Object.entries({ workflowCode, businessKey }).filter(
    ([, value]) => value !== undefined,
  );
  if (wanted.length === 0) return {};
  return {
    filter: {
      expression: wanted.map(([name]) => `#summary.#${name} = :${name}`).join(' AND '),
      names: {
        '#summary': 'summary',
        ...Object.fromEntries(wanted.map(([name]) => [`#${name}`, name])),
      },
      values: Object.fromEntries(wanted.map(([name, value]) => [`:${name}`, value])),
    },
  };
}

function headItem(head: ProcessHead) {
  const { processInstanceId, tenantCode, workflowCode, businessKey, state, startedAt } = head;
  return {
    ...processHeadKey(processInstanceId),
    type: 'process',
    head,
    summary: { workflowCode, ...(businessKey !== undefined && { businessKey }) },
    gsi1pk: processesOf(tenantCode, state),
    gsi1sk: `${startedAt}#${processInstanceId}`,
  };
}
