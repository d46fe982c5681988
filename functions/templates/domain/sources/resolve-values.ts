import { ExpressionError } from '../expressions/basics/expression-error.ts';
import { MAX_DOCUMENT_STEPS } from '../expressions/basics/limits.ts';
import { evaluate, type Lookup } from '../expressions/evaluate.ts';
import { fieldKey, type MergeField } from '../fields/field.ts';
import { atDottedName, atPath } from '../values/json-path.ts';
import { type BuiltinValues, builtinValues, isBuiltin } from './builtin-values.ts';
import {
  type ComputedField,
  type FieldTable,
  fieldTable,
  orderComputed,
  referredField,
} from './computed-order.ts';
import { EntityValues } from './entity-values.ts';
import { isEmpty, ROW_NUMBER, restOf, typed } from './row-names.ts';
import { systemValue } from './system-values.ts';
import type { ResolvedValue, RowContext, ValueSources } from './value-sources.ts';
import { ValueWarnings } from './value-warnings.ts';

/** Finds the values of one generation. What is asked for is resolved once, and warned of once. */
export class ResolvedValues {
  readonly warnings = new ValueWarnings();
  readonly #sources: ValueSources;
  readonly #table: FieldTable;
  readonly #entity: EntityValues;
  readonly #builtins: BuiltinValues;
  readonly #computed: ReadonlyMap<string, ComputedField>;
  readonly #values = new Map<string, unknown>();
  readonly #budget = { left: MAX_DOCUMENT_STEPS };

  constructor(sources: ValueSources) {
    this.#sources = sources;
    this.#table = fieldTable(sources.fields);
    this.#entity = new EntityValues(sources);
    this.#builtins = builtinValues(sources.builtins, sources.settings);
    this.#computed = this.#orderComputed();
    for (const { name, sourceType } of sources.fields) {
      if (sourceType !== 'ENTITY' && this.#entity.isGiven(name)) this.warnings.ofOverride(name);
    }
  }

  /** Names of required fields that have no value. */
  get missingRequired(): readonly string[] {
    return this.#sources.fields
      .filter(({ name, required }) => required === true && isEmpty(this.#fieldValue(name)))
      .map(({ name }) => name);
  }

  /** The declaration of a marker, within a row too. */
  fieldOf(name: string): MergeField | undefined {
    return this.#table.get(fieldKey(name));
  }

  /** The value of a marker, with a warning where there is none. */
  valueOf(name: string): ResolvedValue {
    return this.valueIn(name, []);
  }

  /** The value of a marker within rows, the innermost last. */
  valueIn(name: string, rows: readonly RowContext[]): ResolvedValue {
    const found = this.find(name, rows);
    const isMissed = found.field !== undefined || !this.#isBuiltin(name);
    if (isEmpty(found.value) && isMissed) this.warnings.ofNothing(name, found.field !== undefined);
    return found;
  }

  /** As `valueIn`, but nothing is missed. */
  find(name: string, rows: readonly RowContext[]): ResolvedValue {
    for (const row of rows.toReversed()) {
      const found = this.#inRow(name, row);
      if (found) return found;
    }
    const field = this.#table.get(fieldKey(name));
    const value = field ? this.#fieldValue(name) : this.#undeclared(name);
    return { value, field, isBound: field !== undefined && !isEmpty(value) };
  }

  /** The elements of a list; `undefined` when the name has no list. A declared list without a value is empty. */
  listIn(name: string, rows: readonly RowContext[]): readonly unknown[] | undefined {
    const { value, field } = this.find(name, rows);
    if (Array.isArray(value)) return value;
    return isEmpty(value) && field?.dataType === 'LIST' ? [] : undefined;
  }

  /** A name below that of the list (`items.price`), or one that the element has (`price`). */
  #inRow(name: string, row: RowContext): ResolvedValue | undefined {
    const below = restOf(name, row.list);
    const isElement = fieldKey(name) === fieldKey(row.list);
    if (isElement) return this.#rowValue(name, [], row);
    if (below) return this.#rowValue(name, below, row);
    const whole = `${row.list}.${name}`;
    const isOwn = atDottedName(row.element, name) !== undefined || this.#table.has(fieldKey(whole));
    return isOwn ? this.#rowValue(whole, name.split('.'), row) : undefined;
  }

  #rowValue(name: string, rest: readonly string[], row: RowContext): ResolvedValue {
    const field = this.#table.get(fieldKey(name));
    const computed = rest.length > 0 ? this.#computed.get(fieldKey(name)) : undefined;
    const given = rest.length > 0 ? atDottedName(row.element, rest.join('.')) : row.element;
    const own = computed ? this.#compute(computed, this.#lookup(row)) : given;
    const numbered = rest[0] === ROW_NUMBER && isEmpty(own) ? row.number : own;
    const value = isEmpty(numbered) ? (field?.defaultValue ?? null) : numbered;
    return { value, field, isBound: field !== undefined && !isEmpty(value) };
  }

  #orderComputed(): ReadonlyMap<string, ComputedField> {
    const { order, unreadable, circular } = orderComputed(this.#table);
    for (const { field, error } of unreadable) this.warnings.ofError(field, error.message);
    for (const { field, path } of circular)
      this.warnings.ofError(field, `refers to itself: ${path.join(' -> ')}`);
    return new Map(order.map((computed) => [fieldKey(computed.field.name), computed]));
  }

  /** A declared field: its own value, else its default. */
  #fieldValue(name: string): unknown {
    const key = fieldKey(name);
    if (this.#values.has(key)) return this.#values.get(key);
    const field = this.#table.get(key);
    if (field === undefined) return undefined;
    for (const needed of this.#neededBy(key)) this.#settle(needed);
    this.#settle(field);
    return this.#values.get(key);
  }

  #settle(field: MergeField): void {
    const key = fieldKey(field.name);
    if (this.#values.has(key)) return;
    const own = this.#ownValue(field);
    this.#values.set(key, isEmpty(own) ? (field.defaultValue ?? null) : own);
  }

  /** Computed fields that a computed field refers to, over others too, in the order of computation. */
  #neededBy(key: string): readonly MergeField[] {
    const needed = new Set<string>();
    const open = [key];
    for (const next of open) {
      for (const path of this.#computed.get(next)?.expression.references ?? []) {
        const found = referredField(path, this.#table);
        const foundKey = found && fieldKey(found.field.name);
        if (foundKey === undefined || needed.has(foundKey) || foundKey === key) continue;
        needed.add(foundKey);
        open.push(foundKey);
      }
    }
    return [...this.#computed.values()]
      .filter(({ field }) => needed.has(fieldKey(field.name)))
      .map(({ field }) => field);
  }

  #ownValue(field: MergeField): unknown {
    const ref = field.sourceRef || field.name;
    switch (field.sourceType) {
      case 'ENTITY':
        return this.#entity.value(field.name, ref);
      case 'SYSTEM':
        return systemValue(ref, this.#sources.system, this.#sources.allowedSettings);
      case 'BUILTIN':
        return this.#builtins(ref);
      case 'COMPUTED': {
        const computed = this.#computed.get(fieldKey(field.name));
        return computed && this.#compute(computed, this.#lookup());
      }
    }
  }

  /** An undeclared marker shows a builtin of that name, else the value of the request or record. */
  #undeclared(name: string): unknown {
    if (!this.#isBuiltin(name)) return this.#entity.value(name);
    if (this.#entity.isGiven(name)) this.warnings.ofOverride(name);
    return this.#builtins(name);
  }

  #isBuiltin(name: string): boolean {
    return isBuiltin(name, this.#sources.builtins.constants);
  }

  #compute({ field, expression }: ComputedField, lookup: Lookup): unknown {
    try {
      return evaluate(expression, lookup, this.#sources.settings, this.#budget);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.warnings.ofError(field, `At ${error.position} the expression ${error.message}.`);
      return null;
    }
  }

  /** Within a row, names below its list stand for the element. */
  #lookup(row?: RowContext): Lookup {
    return (path) => {
      const name = path.filter((segment) => typeof segment === 'string').join('.');
      const rest = row && restOf(name, row.list);
      const found = referredField(path, this.#table);
      if (row && rest) return typed(atPath(row.element, rest), found?.field);
      if (found === undefined)
        return atPath(this.#undeclared(String(path[0])), path.slice(1)) ?? this.#entity.value(name);
      return atPath(typed(this.#fieldValue(found.field.name), found.field), found.rest);
    };
  }
}
