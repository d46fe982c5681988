import {
  compileProcess,
  type ProcessCommand,
  type ProcessModel,
  type ProcessResult,
  runProcess,
  type Wait,
} from '../../../../functions/workflow/domain/bpmn/index.ts';
import type { Variables } from '../../../../functions/workflow/domain/cmmn/index.ts';

const NOW = Date.parse('2026-03-01T09:00:00.000Z');

/** The model of a document without errors. */
async function modelOf(xml: string): Promise<ProcessModel> {
  const { model, problems } = await compileProcess(xml);
  if (!model) throw new Error(problems.map(({ code, message }) => `${code} ${message}`).join('; '));
  return model;
}

/** One instance that is played, stored as JSON between commands. */
export class Played {
  result: ProcessResult;
  readonly #model: ProcessModel;
  #ids = 0;

  private constructor(model: ProcessModel, variables: Variables) {
    this.#model = model;
    this.result = this.#run(undefined, { type: 'start', variables });
  }

  static async start(xml: string, variables: Variables = {}): Promise<Played> {
    return new Played(await modelOf(xml), variables);
  }

  /** Activities that wait, in order. */
  get waiting(): string[] {
    return this.result.state.waits.map(({ activityId }) => activityId).sort();
  }

  get variables(): Variables {
    return this.result.state.variables;
  }

  wait(activityId: string, at = 0): Wait {
    const found = this.result.state.waits.filter((wait) => wait.activityId === activityId)[at];
    if (!found) throw new Error(`${activityId} does not wait`);
    return found;
  }

  /** Lets what waits at an activity go on. */
  go(activityId: string, variables: Variables = {}, at = 0): this {
    return this.give({ type: 'continue', waitId: this.wait(activityId, at).id, variables });
  }

  give(command: ProcessCommand): this {
    this.result = this.#run(JSON.parse(JSON.stringify(this.result.state)), command);
    return this;
  }

  #run(state: ProcessResult['state'] | undefined, command: ProcessCommand): ProcessResult {
    const facts = { id: 'p1', processKey: this.#model.processKey, tenantCode: '' };
    const newId = (): string => `id-${++this.#ids}`;
    return runProcess(this.#model, state, command, { now: NOW, newId, facts });
  }
}
