import { shown } from '../../cmmn/basics/cmmn-error.ts';
import {
  isJson,
  type JsonValue,
  jsonSize,
  sameJson,
  type Variables,
} from '../../cmmn/basics/json.ts';
import { isReservedName } from '../../cmmn/expression/known-names.ts';
import { ProcessError } from '../model/process-error.ts';
import type { ProcessStep } from '../model/process-state.ts';

const MAX_NAME = 255;
/** Characters of JSON that one instance keeps. */
const MAX_SIZE = 4_194_304;

/** The variables of an instance during a command. */
export class ProcessVariables {
  readonly #tell: (step: ProcessStep) => void;
  #values: Variables;
  /** Those of the command: expressions see them before the others, and nothing keeps them. */
  #transient: Variables = {};
  #visible: Variables | undefined;

  constructor(values: Variables, tell: (step: ProcessStep) => void) {
    this.#values = values;
    this.#tell = tell;
  }

  /** What expressions see. */
  get visible(): Variables {
    this.#visible ??= { ...this.#values, ...this.#transient };
    return this.#visible;
  }

  get values(): Variables {
    return this.#values;
  }

  /** @throws ProcessError `VARIABLE_INVALID` */
  set(name: string, value: JsonValue): void {
    requireVariable(name, value);
    const oldValue = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    if (oldValue !== undefined && sameJson(oldValue, value)) return;
    this.#values = { ...this.#values, [name]: value };
    this.#visible = undefined;
    this.#tell({
      type: 'variableChanged',
      name,
      value,
      ...(oldValue !== undefined && { oldValue }),
    });
  }

  setAll(variables: Variables = {}): void {
    for (const [name, value] of Object.entries(variables)) this.set(name, value);
  }

  /** @throws ProcessError `VARIABLE_INVALID` */
  setTransient(variables: Variables = {}): void {
    for (const [name, value] of Object.entries(variables)) requireVariable(name, value);
    this.#transient = variables;
    this.#visible = undefined;
  }

  /** @throws ProcessError `VARIABLES_TOO_LARGE` when the instance keeps more than it may */
  requireFitting(): void {
    if (jsonSize(this.#values) <= MAX_SIZE) return;
    const message = `The variables of a process take at most ${MAX_SIZE} characters of JSON.`;
    throw new ProcessError('VARIABLES_TOO_LARGE', message);
  }
}

function requireVariable(name: string, value: unknown): void {
  const refuse = (why: string): never => {
    const message = `The variable "${shown(name)}" ${why}.`;
    throw new ProcessError('VARIABLE_INVALID', message, { reference: shown(name) });
  };
  if (isReservedName(name) || name === 'execution') refuse('cannot be called so');
  if (name.length > MAX_NAME) refuse(`has a name of more than ${MAX_NAME} characters`);
  if (!isJson(value)) refuse('holds what JSON cannot hold, or is nested deeper than 100');
}
