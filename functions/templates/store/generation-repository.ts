import { toInstant } from '../../../shared/primitives/clock.ts';
import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import type { Condition, Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { type Generation, isOpen } from '../domain/documents/generation.ts';
import {
  generationKey,
  generationsPartition,
  OPEN_PARTITION,
  sequenceKey,
} from './generation-keys.ts';

interface GenerationItem extends Item {
  readonly generation: Generation;
}

interface SequenceItem extends Item {
  readonly last: number;
}

/** Which generations a list has. */
export interface GenerationFilter {
  readonly status?: Generation['status'] | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
}

/** Somebody else has changed a generation. */
class GenerationChanged extends Error {}

/** @returns `undefined` when another call has changed the generation */
export async function unlessChanged<T>(save: () => Promise<T>): Promise<T | undefined> {
  try {
    return await save();
  } catch (error) {
    if (error instanceof GenerationChanged) return undefined;
    throw error;
  }
}

/** Stored generations. */
export class GenerationRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async find(templateId: string, id: string): Promise<Generation | undefined> {
    const item = await this.#table.get<GenerationItem>(generationKey(templateId, id));
    return item?.generation;
  }

  /** Newest first. */
  async list(
    templateId: string,
    filter: GenerationFilter,
    page: PageRequest,
  ): Promise<ReadPage<Generation>> {
    const condition = conditionOf(filter);
    const query = {
      partition: generationsPartition(templateId),
      ...{ reverse: true, consistent: true, ...(condition && { filter: condition }) },
    };
    const identity = ['generations', templateId, filter];
    const found = await readPage<GenerationItem>(this.#table, query, page, identity);
    return { ...found, content: found.content.map(({ generation }) => generation) };
  }

  /** Keys of generations that are due to be looked at, the oldest first. */
  async due(nowMs: number, limit: number): Promise<readonly { templateId: string; id: string }[]> {
    const { items } = await this.#table.query({
      ...{ index: 'gsi2', partition: OPEN_PARTITION, limit },
      between: { from: '0', to: `${toInstant(nowMs)}~` },
    });
    const prefix = generationsPartition('');
    return items.map(({ pk, sk }) => ({ templateId: pk.slice(prefix.length), id: sk }));
  }

  /** Alone in its unit it costs half. */
  stageNew(unit: UnitOfWork, generation: Generation): void {
    unit.add(toItem(generation));
  }

  /** Stages the next state of a generation. @param otherwise error when another call has changed it; default: `GenerationChanged` */
  stage(
    unit: UnitOfWork,
    generation: Generation,
    otherwise: 'retry' | (() => Error) = () => new GenerationChanged(),
  ): void {
    unit.put(toItem(generation), { condition: versionIs(generation.version - 1), otherwise });
  }

  /** Takes the next number of a template, in the unit that stores what it is for. */
  async stageNumber(unit: UnitOfWork, templateId: string): Promise<number> {
    const item = await this.#table.get<SequenceItem>(sequenceKey(templateId));
    const last = (item?.last ?? 0) + 1;
    const condition: Condition = item
      ? { expression: '#last = :seen', names: { '#last': 'last' }, values: { ':seen': item.last } }
      : notExists;
    unit.put(
      { ...sequenceKey(templateId), type: 'TEMPLATE_SEQUENCE', last },
      { condition, otherwise: 'retry' },
    );
    return last;
  }
}

/** Open ones, and those with remains, are found by a sweep when their lease has ended. */
function toItem(generation: Generation) {
  const { templateId, id, version, leaseUntil, remains } = generation;
  const isDue = isOpen(generation) || remains !== undefined;
  return {
    ...generationKey(templateId, id),
    ...{ type: 'TEMPLATE_GENERATION', version, generation },
    ...(isDue && { gsi2pk: OPEN_PARTITION, gsi2sk: `${toInstant(leaseUntil)}#${id}` }),
  };
}

function conditionOf(filter: GenerationFilter): Condition | undefined {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (wanted.length === 0) return undefined;
  return {
    expression: wanted.map(([name]) => `#generation.#${name} = :${name}`).join(' AND '),
    names: Object.fromEntries([
      ['#generation', 'generation'],
      ...wanted.map(([name]) => [`#${name}`, name]),
    ]),
    values: Object.fromEntries(wanted.map(([name, value]) => [`:${name}`, value])),
  };
}
