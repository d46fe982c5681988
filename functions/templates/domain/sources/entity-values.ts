import { fieldKey } from '../fields/field.ts';
import { atDottedName } from '../values/json-path.ts';
import { isObjectValue } from '../values/own-property.ts';

/** What a document is about. */
export interface EntityFacts {
  readonly entityType?: string | undefined;
  /** Values of the request. */
  readonly entityData?: unknown;
  /** The record as the caller may see it. */
  readonly record?: unknown;
}

/** Finds values of the request, and then of the record, by the names and paths of fields. */
export class EntityValues {
  readonly #facts: EntityFacts;
  readonly #spellings = new Map<string, string>();

  constructor(facts: EntityFacts) {
    this.#facts = facts;
    if (!isObjectValue(facts.entityData)) return;
    for (const name of Object.keys(facts.entityData)) {
      const key = fieldKey(name);
      if (!this.#spellings.has(key)) this.#spellings.set(key, name);
    }
  }

  /** Whether the request gives a value under this name; below a list, to one of its elements. */
  isGiven(name: string): boolean {
    const value = this.#ofRequest(name);
    const isOfElements = Array.isArray(value) && name.includes('.');
    return isOfElements ? value.some((each) => each !== null) : value !== undefined;
  }

  /** @param ref dotted path of the value; the name of the type of the record may come first */
  value(name: string, ref = name): unknown {
    const given = this.#ofRequest(name) ?? (ref === name ? undefined : this.#ofRequest(ref));
    return given ?? this.#ofRecord(ref);
  }

  #ofRequest(name: string): unknown {
    const { entityData } = this.#facts;
    const exact = atDottedName(entityData, name);
    if (exact !== undefined) return exact;
    const spelling = this.#spellings.get(fieldKey(name));
    return spelling === undefined ? undefined : atDottedName(entityData, spelling);
  }

  #ofRecord(ref: string): unknown {
    const { record, entityType } = this.#facts;
    const whole = atDottedName(record, ref);
    if (whole !== undefined || entityType === undefined) return whole;
    const isOfType = fieldKey(ref).startsWith(`${fieldKey(entityType)}.`);
    return isOfType ? atDottedName(record, ref.slice(entityType.length + 1)) : undefined;
  }
}
