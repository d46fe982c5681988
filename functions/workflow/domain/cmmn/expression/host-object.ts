import type { JsonValue } from '../basics/json.ts';

/** A value of an expression: JSON, or an object of the engine. */
export type Value = JsonValue | HostObject | undefined;

/** An object of the engine as expressions see it (`caseInstance`, `planItemInstances`...): nothing but these. */
export class HostObject {
  readonly properties: Readonly<Record<string, () => Value>>;
  readonly methods: Readonly<Record<string, (...args: readonly Value[]) => Value>>;

  constructor(
    properties: Readonly<Record<string, () => Value>>,
    methods: Readonly<Record<string, (...args: readonly Value[]) => Value>> = {},
  ) {
    this.properties = properties;
    this.methods = methods;
  }
}
