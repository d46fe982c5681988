import { notExists } from '../../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../../shared/store/paged-read.ts';
import type { Condition, Item, Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { ProcessModel, ProcessProblem } from '../../domain/bpmn/index.ts';
import type { CaseObjects } from '../families/case-objects.ts';
import { type Packer, packedIn } from '../packed.ts';
import {
  processCodeKey,
  processCodesPartition,
  processModelKey,
  processNameKey,
  processVersionKey,
  processVersionsPartition,
} from '../process-keys.ts';

/** A version of a process. */
export interface ProcessDefinition {
  readonly definitionId: string;
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly processKey: string;
  readonly name?: string;
  readonly version: number;
  readonly contentHash: string;
  readonly deployedAt: string;
  readonly deployedBy: string;
  readonly warnings: readonly ProcessProblem[];
}

/** The compiled form of a version, and its document. */
export interface ProcessContent {
  readonly model: ProcessModel;
  readonly xml: string;
}

type DefinitionItem = Item & { readonly definition: ProcessDefinition };

export interface ProcessDefinitionStoreDependencies {
  readonly table: Table;
  readonly packer: Packer;
  readonly objects: CaseObjects;
}

/** Versions of processes; they never change. */
export class ProcessDefinitionStore {
  readonly #table: Table;
  readonly #packer: Packer;
  readonly #objects: CaseObjects;

  constructor({ table, packer, objects }: ProcessDefinitionStoreDependencies) {
    this.#table = table;
    this.#packer = packer;
    this.#objects = objects;
  }

  /** The newest version of a code. */
  async newest(tenant: string, code: string): Promise<ProcessDefinition | undefined> {
    return (await this.#table.get<DefinitionItem>(processCodeKey(tenant, code)))?.definition;
  }

  /** The code whose versions have the process key. */
  async codeOf(tenant: string, processKey: string): Promise<string | undefined> {
    const item = await this.#table.get<Item & { readonly code: string }>(
      processNameKey(tenant, processKey),
    );
    return item?.code;
  }

  async version(
    tenant: string,
    code: string,
    version: number,
  ): Promise<ProcessDefinition | undefined> {
    const key = processVersionKey(tenant, code, version);
    return (await this.#table.get<DefinitionItem>(key))?.definition;
  }

  /** The newest version of each code, by code. */
  async page(tenant: string, request: PageRequest): Promise<ReadPage<ProcessDefinition>> {
    const partition = processCodesPartition(tenant);
    const found = await readPage<DefinitionItem>(
      this.#table,
      { partition, consistent: true },
      request,
      ['process definitions', tenant],
    );
    return { ...found, content: found.content.map(({ definition }) => definition) };
  }

  /** Newest first. */
  async versions(
    tenant: string,
    code: string,
    request: PageRequest,
  ): Promise<ReadPage<ProcessDefinition>> {
    const partition = processVersionsPartition(tenant, code);
    const found = await readPage<DefinitionItem>(
      this.#table,
      { partition, reverse: true, consistent: true },
      request,
      ['process versions', tenant, code],
    );
    return { ...found, content: found.content.map(({ definition }) => definition) };
  }

  async content(definitionId: string): Promise<ProcessContent | undefined> {
    const item = await this.#table.get(processModelKey(definitionId));
    return item && ((await this.#packer.unpack(packedIn(item))) as ProcessContent);
  }

  /** Stages a new version; whoever has deployed the code meanwhile wins, and the unit runs again. */
  async stage(
    unit: UnitOfWork,
    definition: ProcessDefinition,
    content: ProcessContent,
  ): Promise<void> {
    const { definitionId, tenantCode, workflowCode, processKey, version } = definition;
    const packed = await this.#objects.pack(unit, content, `definitions/${definitionId}`);
    unit.put({ ...processModelKey(definitionId), type: 'process_model', ...packed });
    unit.put({
      ...processVersionKey(tenantCode, workflowCode, version),
      type: 'process_version',
      definition,
    });
    unit.put(
      { ...processCodeKey(tenantCode, workflowCode), type: 'process_definition', definition },
      { condition: isBefore(version), otherwise: 'retry' },
    );
    if (version > 1) return;
    unit.put(
      { ...processNameKey(tenantCode, processKey), type: 'process_key', code: workflowCode },
      { condition: notExists, otherwise: 'retry' },
    );
  }
}

const isBefore = (version: number): Condition =>
  version === 1
    ? notExists
    : {
        expression: '#definition.#version = :before',
        names: { '#definition': 'definition', '#version': 'version' },
        values: { ':before': version - 1 },
      };
