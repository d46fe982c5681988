import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkCase } from '../check.ts';
import type { Player } from '../outcomes.ts';
import { isIllegal } from '../refusals.ts';
import { type Scenario, START_OF_TIME, type Step } from '../scenario.ts';
import type { SeenWorld } from '../seen.ts';
import { caseOf, choose } from '../select.ts';
import { type PlanItemCalls, planItemCalls } from './plan-item-calls.ts';
import { readWorld, wantedBy } from './read-world.ts';
import { type Caller, type HttpTarget, Refusal, TenantApi } from './tenant-api.ts';

/** What the models of a scenario say that no endpoint tells. */
interface ModelFacts {
  /** Roles of the cases: who has them all may do everything. */
  readonly roles: readonly string[];
  readonly topics: readonly string[];
}

/** Plays scenarios against a running platform, each in a tenant of its own, whose time stands but for its steps. */
export const overHttp =
  (target: HttpTarget): Player =>
  async (folder, scenario) => {
    const api = new TenantApi(target, `conformance-${randomUUID()}`);
    const { now } = await advance(api, { duration: 'PT0.001S', stop: true }, DEPLOYER);
    const facts = await deploy(api, folder, scenario, Date.parse(now));
    const run = new HttpRun(api, scenario, facts);
    for (const [index, step] of scenario.steps.entries()) {
      const failure = await run.play(step);
      if (failure) return `step ${index} (${step.op}): ${failure}`;
    }
    return undefined;
  };

interface Advanced {
  readonly now: string;
  readonly failed: number;
  readonly truncated: boolean;
}

const DEPLOYER: Caller = { user: 'deployer', groups: [] };

/** Moves the tenant's clock. */
const advance = (
  api: TenantApi,
  by: { readonly duration: string; readonly stop?: true },
  caller: Caller,
): Promise<Advanced> => api.post<Advanced>('/clock:advance', by, caller);

/** Deploys the models as one deployment. */
async function deploy(
  api: TenantApi,
  folder: string,
  scenario: Scenario,
  now: number,
): Promise<ModelFacts> {
  const read = async (name: string) => {
    const xml = await readFile(join(folder, name), 'utf8');
    return { name, xml: movedTo(now, xml) };
  };
  const { xml } = await read(scenario.model);
  const resources = await Promise.all(
    (scenario.extraModels ?? []).map(async (model, at) => ({
      ...(await read(model)),
      name: `${at}.cmmn`,
    })),
  );
  await api.post('/deployments', { workflowCode: 'main', xml, resources }, DEPLOYER);
  const models = [xml, ...resources.map((each) => each.xml)].join('');
  return {
    roles: matchesIn(models, /<(?:\w+:)?(?:caseRoles|role)\s[^>]*\bid="([^"]+)"/g),
    topics: matchesIn(models, /:topic="([^"]+)"/g),
  };
}

const matchesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

/** Moves the instants of a model by as much as the tenant's time is ahead of that of the scenarios. */
const movedTo = (now: number, xml: string): string =>
  xml.replaceAll(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/g, (instant) =>
    new Date(Date.parse(instant) + now - START_OF_TIME).toISOString(),
  );

class HttpRun {
  readonly #api: TenantApi;
  readonly #scenario: Scenario;
  readonly #facts: ModelFacts;
  readonly #calls: PlanItemCalls;
  #user = 'conformance';
  #rootId = '';

  constructor(api: TenantApi, scenario: Scenario, facts: ModelFacts) {
    this.#api = api;
    this.#scenario = scenario;
    this.#facts = facts;
    this.#calls = planItemCalls(api, facts.topics);
  }

  /** @returns what went wrong, or undefined */
  async play(step: Step): Promise<string | undefined> {
    this.#user = step.user ?? this.#user;
    const failure = await this.#act(step);
    if (failure || !step.expect) return failure;
    const world = await this.#world({ expect: step.expect });
    return checkCase(world, world.root, step.expect);
  }

  async #act(step: Step): Promise<string | undefined> {
    const { expectError } = step;
    try {
      await this.#perform(step);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (expectError === error.code || isIllegal(error.code, expectError)) return undefined;
      return error.message;
    }
    return expectError ? `expected ${expectError}, but nothing was refused` : undefined;
  }

  async #perform(step: Step): Promise<void> {
    const { op } = step;
    if (op === 'assert') return;
    if (op === 'start') await this.#start(step);
    else if (op === 'advanceTime') await this.#advance(step.duration ?? 'PT0S');
    else if (op === 'signal') {
      const { signal = '', variables } = step;
      await this.#api.post(`/signals/${encodeURIComponent(signal)}`, { variables }, this.#caller());
    } else if (Object.hasOwn(this.#calls, op)) await this.#giveToItems(step);
    else await this.#giveToCase(step);
  }

  async #start({ variables, transientVariables, businessStatus }: Step): Promise<void> {
    const { caseDefinitionKey } = this.#scenario;
    const started = await this.#api.post<{ readonly caseInstanceId: string }>(
      '/cases',
      { caseDefinitionKey, variables, transientVariables, businessStatus },
      this.#caller(),
    );
    this.#rootId = started.caseInstanceId;
  }

  /** A call fires so many timers only. */
  async #advance(duration: string): Promise<void> {
    const advanced = await advance(this.#api, { duration }, this.#caller());
    if (advanced.failed > 0) throw new Error(`${advanced.failed} timers could not be fired`);
    if (advanced.truncated) await this.#advance('PT0.001S');
  }

  async #giveToItems(step: Step): Promise<void> {
    const seen = caseOf(await this.#world({ case: step.case }), step);
    for (const item of choose(seen.live, step)) {
      await this.#calls[step.op]?.({
        caseId: seen.instance.id,
        item,
        step,
        caller: this.#caller(step),
      });
    }
  }

  async #giveToCase(step: Step): Promise<void> {
    const { op, names = [], force, variables, transientVariables } = step;
    const id =
      step.case === undefined
        ? this.#rootId
        : caseOf(await this.#world({ case: step.case }), step).instance.id;
    const path = `/cases/${id}`;
    const caller = this.#caller(step);
    if (op === 'setVariables') await this.#api.patch(`${path}/variables`, { variables }, caller);
    else if (op === 'removeVariables') await this.#remove(path, names, caller);
    else if (op === 'plan') {
      const body = { discretionaryItemId: step.definitionId, variables };
      await this.#api.post(`${path}:plan`, body, caller);
    } else if (op === 'completeCase') {
      await this.#api.post(`${path}:complete`, { force, variables }, caller);
    } else if (op === 'reactivate') {
      await this.#api.post(`${path}:reactivate`, { variables, transientVariables }, caller);
    } else if (['terminate', 'suspend', 'resume'].includes(op)) {
      await this.#api.post(`${path}:${op}`, {}, caller);
    } else throw new Error(`the operation ${op} is not known`);
  }

  /** Over HTTP only what is there can be removed. */
  async #remove(path: string, names: readonly string[], caller: Caller): Promise<void> {
    const { variables } = await this.#api.get<{ readonly variables: object }>(
      `${path}/variables`,
      caller,
    );
    const present = names.filter((name) => Object.hasOwn(variables, name));
    const query = present.map((name) => `name=${encodeURIComponent(name)}`).join('&');
    if (present.length > 0) await this.#api.delete(`${path}/variables?${query}`, caller);
  }

  #caller({ roles = this.#facts.roles }: Pick<Step, 'roles'> = {}): Caller {
    return { user: this.#user, groups: roles };
  }

  #world(asked: Pick<Step, 'case' | 'expect'>): Promise<SeenWorld> {
    return readWorld(this.#api, this.#rootId, wantedBy(asked), this.#caller());
  }
}
