import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { checkTargets } from '../domain/definitions/definition.ts';
import { checkIncoming } from '../domain/definitions/room.ts';
import type { EntityDefinition, IncomingReference } from '../domain/entity/entity.ts';
import type { FieldDefinition } from '../domain/entity/field.ts';
import { pointerTo } from '../domain/entity/pointer.ts';
import { problems } from '../errors.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';

/** Entities that list other references after one change: each takes two writes of its transaction. */
const MAX_TARGETS = 44;

/** Stores references in both directions: fields name the code of their target, and the target lists them. */
export class ReferenceRegister {
  readonly #repository: DefinitionRepository;

  constructor(repository: DefinitionRepository) {
    this.#repository = repository;
  }

  /**
   * Fields with references resolved to the code of their target (from code or apiPath).
   * @param ownNames code and apiPath of the entity itself
   * @throws Problem `INVALID_SCHEMA` (400) for a target that does not exist
   */
  async resolve(
    fields: readonly FieldDefinition[],
    { code, apiPath }: Pick<EntityDefinition, 'code' | 'apiPath'>,
  ): Promise<FieldDefinition[]> {
    const names = new Set(fields.flatMap(({ reference }) => reference?.entity ?? []));
    const codeOf = async (name: string): Promise<string | undefined> =>
      name === code || name === apiPath ? code : this.#repository.codeOf(name);
    const known = await Promise.all(
      [...names].map(async (name) => [name, await codeOf(name)] as const),
    );
    return checkTargets(fields, new Map(known));
  }

  /**
   * Registers references at their targets, so that deletions are checked.
   * @param before fields of the version before
   * @returns the definition itself, which may reference itself
   * @throws Problem `INVALID_SCHEMA` (400) when more targets change than one transaction writes
   */
  async stage(
    unit: UnitOfWork,
    before: readonly FieldDefinition[],
    definition: EntityDefinition,
  ): Promise<EntityDefinition> {
    const { code, fields } = definition;
    const targets = new Set(
      [...before, ...fields].flatMap(({ reference }) => reference?.entity ?? []),
    );
    let changed = 0;
    for (const target of targets) {
      if (target === code) continue;
      if (await this.#stageTarget(unit, target, definition)) changed += 1;
      if (changed > MAX_TARGETS) throw tooManyTargets(target, fields);
    }
    return targets.has(code)
      ? { ...definition, incoming: incomingOf(definition, definition) }
      : definition;
  }

  /** @returns whether the target lists other references from now on */
  async #stageTarget(unit: UnitOfWork, target: string, source: EntityDefinition): Promise<boolean> {
    const stored = await this.#repository.find(target);
    if (!stored) return false;
    const incoming = incomingOf(stored, source);
    if (JSON.stringify(incoming) === JSON.stringify(stored.incoming)) return false;
    checkIncoming(target, incoming, source.code);
    const next = { ...stored, incoming, version: stored.version + 1 };
    this.#repository.stage(unit, next, stored.version);
    return true;
  }
}

function tooManyTargets(target: string, fields: readonly FieldDefinition[]): Error {
  const field = fields.find(({ reference }) => reference?.entity === target);
  const pointer = field ? `/properties${pointerTo(field.code)}/x-reference` : '/properties';
  const detail = `is one too many: a change brings or takes references to at most ${MAX_TARGETS} entities; send some of them with a second change`;
  return problems.invalidSchema([{ pointer, code: 'TOO_MANY', detail }]);
}

/** All references to an entity, with those of one source replaced by what its fields declare now. */
function incomingOf(
  { code: target, incoming }: EntityDefinition,
  { code: entity, fields }: EntityDefinition,
): IncomingReference[] {
  const others = incoming.filter((each) => each.entity !== entity);
  const own = fields.flatMap(({ code: field, reference }) =>
    reference?.entity === target ? [{ entity, field, onDelete: reference.onDelete }] : [],
  );
  return [...others, ...own];
}
