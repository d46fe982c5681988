import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { checkTargets } from '../domain/definitions/definition.ts';
import { checkIncoming } from '../domain/definitions/room.ts';
import type { EntityDefinition, IncomingReference } from '../domain/entity/entity.ts';
import type { FieldDefinition } from '../domain/entity/field.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';

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
    for (const target of targets) {
      if (target !== code) await this.#stageTarget(unit, target, definition);
    }
    return targets.has(code)
      ? { ...definition, incoming: incomingOf(definition, definition) }
      : definition;
  }

  async #stageTarget(unit: UnitOfWork, target: string, source: EntityDefinition): Promise<void> {
    const stored = await this.#repository.find(target);
    if (!stored) return;
    const incoming = incomingOf(stored, source);
    if (JSON.stringify(incoming) === JSON.stringify(stored.incoming)) return;
    checkIncoming(target, incoming, source.code);
    const next = { ...stored, incoming, version: stored.version + 1 };
    this.#repository.stage(unit, next, stored.version);
  }
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
