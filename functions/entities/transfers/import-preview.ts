import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { UniqueClaim } from '../domain/records/index-rows.ts';
import { planWrite, type ReferenceCheck, type WritePlan } from '../domain/records/write-plan.ts';
import { problems } from '../errors.ts';
import type { ConflictFinder } from '../records/conflict-finder.ts';
import type { RecordFiles } from '../records/record-files.ts';
import type { RecordRepository } from '../store/record-repository.ts';

export interface ImportPreviewDependencies {
  readonly repository: Pick<RecordRepository, 'findHeaders'>;
  readonly conflicts: ConflictFinder;
  readonly recordFiles: Pick<RecordFiles, 'check'>;
}

/** What a row of a file would make of a record. */
export interface PlannedRow {
  readonly index: number;
  readonly before: RecordHeader | undefined;
  readonly after: RecordHeader;
}

/** Unique values that rows before one have taken and released. */
interface Values {
  readonly taken: Set<string>;
  readonly freed: Set<string>;
}

/**
 * Finds out in a dry run what an import would refuse beyond the values of a row: missing references and files, and unique
 * values that another row has, or a record that the caller may view.
 */
export class ImportPreview {
  readonly #deps: ImportPreviewDependencies;

  constructor(dependencies: ImportPreviewDependencies) {
    this.#deps = dependencies;
  }

  /** @param isPart whether the file has further rows, which records may refer to */
  async refusals(
    model: EntityModel,
    rows: readonly PlannedRow[],
    principal: Principal,
    isPart: boolean,
  ): Promise<ReadonlyMap<number, Problem>> {
    const plans = rows.map(({ index, before, after }) => ({
      index,
      ...planWrite(model, before, after),
    }));
    const missing = await this.#missing(referencesOut(model, plans, isPart));
    const refused = new Map<number, Problem>();
    const values: Values = { taken: new Set(), freed: new Set() };
    const files = new Set<string>();
    for (const { index, before, after, references, claims } of plans) {
      const lost = references.find((each) => missing.has(nameOf(each)));
      const refusal = lost
        ? problems.referenceNotFound(lost)
        : ((await this.#violation(model, claims.added, values, principal)) ??
          (await this.#withoutFile(model, { before, after, principal }, files)));
      if (refusal) {
        refused.set(index, refusal);
        continue;
      }
      for (const claim of claims.removed) values.freed.add(keyOf(claim));
      for (const claim of claims.added) values.taken.add(keyOf(claim));
    }
    return refused;
  }

  /** Why a row cannot have its unique values. */
  async #violation(
    model: EntityModel,
    claims: readonly UniqueClaim[],
    { taken, freed }: Values,
    principal: Principal,
  ): Promise<Problem | undefined> {
    for (const claim of claims) {
      const { fields } = claim;
      if (taken.has(keyOf(claim)))
        return problems.uniqueViolation({ fields, conflictId: undefined });
      if (freed.has(keyOf(claim))) continue;
      const conflictId = await this.#deps.conflicts.conflictId(model, claim, principal);
      if (conflictId !== undefined) return problems.uniqueViolation({ fields, conflictId });
    }
    return undefined;
  }

  /** Why a row cannot have the files that it names. */
  async #withoutFile(
    model: EntityModel,
    change: Parameters<RecordFiles['check']>[1],
    taken: Set<string>,
  ): Promise<Problem | undefined> {
    try {
      await this.#deps.recordFiles.check(model, change, taken);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  /** References to records that are not there, by name. */
  async #missing(references: readonly ReferenceCheck[]): Promise<ReadonlySet<string>> {
    const missing = new Set<string>();
    for (const [entity, some] of Map.groupBy(references, (each) => each.entity)) {
      const ids = [...new Set(some.map(({ id }) => id))];
      for (let at = 0; at < ids.length; at += 100) {
        const part = ids.slice(at, at + 100);
        const found = await this.#deps.repository.findHeaders(entity, part, true);
        const isThere = (id: string): boolean =>
          found.has(id) && found.get(id)?.deletedAt === undefined;
        for (const id of part) if (!isThere(id)) missing.add(nameOf({ entity, id }));
      }
    }
    return missing;
  }
}

/** References that lead to records which are not in the file, nor in a part of it that is not known. */
function referencesOut(
  { code }: EntityModel,
  plans: readonly WritePlan[],
  isPart: boolean,
): ReferenceCheck[] {
  const own = new Set(plans.map(({ after }) => after.id));
  const isInFile = ({ entity, id }: ReferenceCheck): boolean =>
    entity === code && (isPart || own.has(id));
  return plans.flatMap(({ references }) => references).filter((each) => !isInFile(each));
}

const nameOf = ({ entity, id }: Pick<ReferenceCheck, 'entity' | 'id'>): string => `${entity}#${id}`;
const keyOf = ({ name, key }: UniqueClaim): string => `${name}#${key}`;
