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
import { previewMove } from '../trees/tree-moves.ts';

export interface ImportPreviewDependencies {
  readonly repository: RecordRepository;
  readonly conflicts: ConflictFinder;
  readonly recordFiles: Pick<RecordFiles, 'check'>;
}

/** What a row of a file would make of a record. */
export interface PlannedRow {
  readonly index: number;
  readonly before: RecordHeader | undefined;
  readonly after: RecordHeader;
}

/** A row with what it writes. */
type Planned = PlannedRow & WritePlan;

/** What rows of a file are judged by. */
interface Facts {
  readonly model: EntityModel;
  readonly principal: Principal;
  /** Rows whose id a record has that the caller may view, or a row before them. */
  readonly known: ReadonlySet<number>;
  /** Whether there is no record that a reference leads to, in the table or among some rows. */
  readonly isLost: (reference: ReferenceCheck, made: ReadonlySet<string>) => boolean;
}

/** Unique values that rows before one have taken and released. */
interface Values {
  readonly taken: Set<string>;
  readonly freed: Set<string>;
}

/**
 * Finds out in a dry run what an import would refuse beyond the values of a row: missing references and files, places in
 * a tree, and ids and unique values that another row has, or a record that the caller may view.
 */
export class ImportPreview {
  readonly #deps: ImportPreviewDependencies;

  constructor(dependencies: ImportPreviewDependencies) {
    this.#deps = dependencies;
  }

  /** Why rows would be refused, by their index. @param isPart whether the file has further rows, which records may refer to */
  async refusals(
    model: EntityModel,
    rows: readonly PlannedRow[],
    principal: Principal,
    isPart: boolean,
  ): Promise<ReadonlyMap<number, Problem>> {
    const plans = rows.map(({ index, before, after }) => ({
      ...{ index, before },
      ...planWrite(model, before, after),
    }));
    const { code } = model;
    const missing = await this.#missing(
      plans.flatMap(({ references }) =>
        references.filter((each) => !isPart || each.entity !== code),
      ),
    );
    const facts: Facts = {
      ...{ model, principal, known: await this.#known(model, plans, principal) },
      isLost: ({ entity, id }, made) =>
        missing.has(nameOf({ entity, id })) && !(entity === code && made.has(id)),
    };
    let refused: ReadonlyMap<number, Problem> = new Map();
    for (;;) {
      const made = madeBy(plans, refused);
      const next = await this.#judge(plans, facts, made);
      const left = madeBy(plans, next);
      // Rows may refer to one that is refused itself.
      const isSettled = plans.every(({ index, references }) =>
        references.every(
          (each) => next.has(index) || facts.isLost(each, made) === facts.isLost(each, left),
        ),
      );
      if (isSettled) return next;
      refused = next;
    }
  }

  async #judge(
    plans: readonly Planned[],
    { model, principal, known, isLost }: Facts,
    made: ReadonlySet<string>,
  ): Promise<ReadonlyMap<number, Problem>> {
    const refused = new Map<number, Problem>();
    const values: Values = { taken: new Set(), freed: new Set() };
    const files = new Set<string>();
    for (const plan of plans) {
      const { index, before, after, references, claims } = plan;
      const lost = references.filter((each) => isLost(each, made));
      const parent = lost.find(({ field }) => field === 'parentId');
      const [first] = lost;
      const refusal = known.has(index)
        ? problems.recordExists({ id: after.id })
        : ((parent && problems.referenceNotFound(parent)) ??
          (await this.#misplaced(model, plan, made)) ??
          (await this.#violation(model, claims.added, values, principal)) ??
          (first && problems.referenceNotFound(first)) ??
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

  /** New rows whose id is in use. */
  async #known(
    model: EntityModel,
    plans: readonly Planned[],
    principal: Principal,
  ): Promise<ReadonlySet<number>> {
    const created = plans.filter(({ before }) => before === undefined);
    const ids = created.map(({ after }) => after.id);
    const used = new Set(await this.#deps.conflicts.idsInUse(model, ids, principal));
    const isUsed = ({ after: { id } }: Planned): boolean => used.size === used.add(id).size;
    return new Set(created.filter(isUsed).map(({ index }) => index));
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

  /** Why a record cannot come to its new place in the tree; that below a row of the file is not known yet. */
  #misplaced(
    { code }: EntityModel,
    { before, after }: Planned,
    made: ReadonlySet<string>,
  ): Promise<Problem | undefined> | undefined {
    if (!before || before.parentId === after.parentId || made.has(after.parentId ?? '')) return;
    return refusalOf(() => previewMove(this.#deps.repository, code, { before, after }));
  }

  /** Why a row cannot have the files that it names. */
  #withoutFile(
    model: EntityModel,
    change: Parameters<RecordFiles['check']>[1],
    taken: Set<string>,
  ): Promise<Problem | undefined> {
    return refusalOf(() => this.#deps.recordFiles.check(model, change, taken));
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

async function refusalOf(work: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Ids of the records that rows make. */
function madeBy(
  plans: readonly Planned[],
  refused: ReadonlyMap<number, Problem>,
): ReadonlySet<string> {
  const made = plans.filter(({ index, before }) => !before && !refused.has(index));
  return new Set(made.map(({ after }) => after.id));
}

const nameOf = ({ entity, id }: Pick<ReferenceCheck, 'entity' | 'id'>): string => `${entity}#${id}`;
const keyOf = ({ name, key }: UniqueClaim): string => `${name}#${key}`;
