import type { JsonValue } from '../basics/json.ts';
import type { Value } from './host-object.ts';

/** What an expression can see and call while it is evaluated. */
export interface ExpressionScope {
  /** A root object or a variable; undefined = there is none of that name. */
  resolve(name: string): Value | undefined;
  /** A variable only; undefined = absent. */
  variable(name: string): JsonValue | undefined;
  /** All variables that can be seen, for languages that want a whole context. */
  variables(): Readonly<Record<string, JsonValue>>;
  /** A function of the engine; undefined = unknown. */
  call(prefix: string, name: string, args: readonly Value[]): Value | undefined;
  /** The instant of the command (ISO 8601, UTC). */
  readonly at: string;
  /** Called with the steps of an evaluation, which count against the limit of a command. */
  spend?(steps: number): void;
}
