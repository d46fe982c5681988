import { readFileSync } from 'node:fs';
import type { Executions } from '../../../functions/identity/sync/machine/executions.ts';
import type { Task } from '../../../shared/lambda/module-context.ts';

interface State {
  readonly Type: 'Task' | 'Choice' | 'Map' | 'Wait' | 'Succeed' | 'Fail';
  readonly Next?: string;
  readonly End?: boolean;
  readonly Default?: string;
  readonly Choices?: readonly Rule[];
  readonly Parameters?: { readonly task: string; readonly input: Readonly<Record<string, string>> };
  readonly Retry?: readonly { readonly MaxAttempts: number }[];
  readonly Catch?: readonly { readonly Next: string }[];
  readonly ItemsPath?: string;
  readonly ItemSelector?: Readonly<Record<string, string>>;
  readonly ItemProcessor?: Definition;
  readonly ResultPath?: string;
}

interface Rule {
  readonly Variable?: string;
  readonly StringEquals?: string;
  readonly IsPresent?: boolean;
  readonly And?: readonly Rule[];
  readonly Next?: string;
}

interface Definition {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

type Data = Readonly<Record<string, unknown>>;
type Context = Readonly<Record<string, unknown>>;

/** Thrown by tests to end an execution as StopExecution does: nothing catches it. */
export class Stopped extends Error {}

const DEFINITION = JSON.parse(
  readFileSync(new URL('../../../functions/identity/sync.asl.json', import.meta.url), 'utf8'),
) as Definition;

/** Runs the definition of the state machine, as far as it goes, over tasks in this process. */
export class Machine implements Executions {
  readonly started: { readonly name: string; readonly input: unknown }[] = [];
  readonly entered: string[] = [];
  readonly waits: unknown[] = [];
  /** Errors that the definition has caught. */
  readonly failures: unknown[] = [];
  readonly #running = new Set<string>();
  readonly #known = new Set<string>();
  /** Runs before each state; what it throws ends the execution. */
  beforeState: (name: string) => unknown = () => undefined;
  tasks: Readonly<Record<string, Task>> = {};
  now: () => string = () => '2026-03-01T09:30:00.000Z';

  async start(name: string, input: unknown): Promise<void> {
    if (this.started.some((each) => each.name === name)) return;
    this.started.push({ name, input });
    this.#running.add(this.arnOf(name));
    this.#known.add(this.arnOf(name));
  }

  async isRunning(execution: string): Promise<boolean> {
    return this.#running.has(this.#idOf(execution));
  }

  async exists(execution: string): Promise<boolean> {
    return this.#known.has(this.#idOf(execution));
  }

  #idOf(execution: string): string {
    return execution.startsWith('arn:') ? execution : this.arnOf(execution);
  }

  arnOf(name: string): string {
    return `arn:aws:states:eu-central-1:000000000000:execution:sync:${name}`;
  }

  /** Runs what was started. @returns how each execution ended */
  async work(): Promise<string[]> {
    const ends: string[] = [];
    for (const { name, input } of this.started.splice(0)) ends.push(await this.run(name, input));
    return ends;
  }

  /** One execution, as a schedule starts it. */
  async run(name: string, input: unknown): Promise<string> {
    const id = this.arnOf(name);
    this.#running.add(id);
    this.#known.add(id);
    const context = { 'Execution.Id': id, 'Execution.StartTime': this.now() };
    try {
      return (await this.#walk(DEFINITION, input as Data, context)).end;
    } catch (error) {
      if (error instanceof Stopped) return 'ABORTED';
      throw error;
    } finally {
      this.#running.delete(id);
    }
  }

  async #walk(
    { StartAt, States }: Definition,
    input: Data,
    context: Context,
  ): Promise<{ readonly end: string; readonly data: Data }> {
    let data = input;
    for (let name: string | undefined = StartAt; name !== undefined; ) {
      const state: State | undefined = States[name];
      if (!state) throw new Error(`There is no state ${name}`);
      this.entered.push(name);
      await this.beforeState(name);
      if (state.Type === 'Succeed') return { end: 'SUCCEEDED', data };
      if (state.Type === 'Fail') return { end: 'FAILED', data };
      ({ data, name } = await this.#leave(state, data, context));
    }
    return { end: 'SUCCEEDED', data };
  }

  /** What comes after a state, where its failures are caught. */
  async #leave(state: State, data: Data, context: Context) {
    try {
      const next = await this.#enter(state, data, context);
      return { data: next, name: state.Type === 'Choice' ? chosen(state, next) : state.Next };
    } catch (error) {
      const [handler] = state.Catch ?? [];
      if (!handler || error instanceof Stopped) throw error;
      this.failures.push(error);
      return { data, name: handler.Next };
    }
  }

  async #enter(state: State, data: Data, context: Context): Promise<Data> {
    if (state.Type === 'Wait') this.waits.push(data.waitSeconds);
    if (state.Type === 'Task') return plain(await this.#call(state, data, context));
    if (state.Type !== 'Map') return data;
    const results: Data[] = [];
    for (const item of data[(state.ItemsPath ?? '').slice(2)] as readonly unknown[]) {
      const selected = resolve(state.ItemSelector ?? {}, data, {
        ...context,
        'Map.Item.Value': item,
      });
      if (!state.ItemProcessor) continue;
      results.push((await this.#walk(state.ItemProcessor, selected, context)).data);
    }
    return { ...data, [(state.ResultPath ?? '').slice(2)]: results };
  }

  async #call({ Parameters, Retry = [] }: State, data: Data, context: Context): Promise<Data> {
    const { task = '', input = {} } = Parameters ?? {};
    const most = Retry[0]?.MaxAttempts ?? 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return plain((await this.tasks[task]?.(plain(resolve(input, data, context)))) as Data);
      } catch (error) {
        if (attempt >= most || error instanceof Stopped) throw error;
      }
    }
  }
}

/** What travels between states is JSON. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function resolve(input: Readonly<Record<string, string>>, data: Data, context: Context): Data {
  return Object.fromEntries(
    Object.entries(input).map(([key, path]) => {
      if (!key.endsWith('.$')) return [key, path];
      const name = key.slice(0, -2);
      if (path === '$') return [name, data];
      const value = path.startsWith('$$.') ? context[path.slice(3)] : data[path.slice(2)];
      if (value === undefined) throw new Error(`States.ParameterPathFailure: ${path}`);
      return [name, value];
    }),
  );
}

function chosen({ Choices = [], Default }: State, data: Data): string | undefined {
  const holds = ({ Variable = '', StringEquals, IsPresent, And }: Rule): boolean => {
    if (And) return And.every(holds);
    const value = data[Variable.slice(2)];
    return IsPresent === undefined ? value === StringEquals : (value !== undefined) === IsPresent;
  };
  return Choices.find(holds)?.Next ?? Default;
}
