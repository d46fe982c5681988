import {
  type CaseDefinition,
  CmmnError,
  type Command,
  type Compilation,
  compile,
  compileDecisions,
  type DecisionTable,
  type Limits,
  type Problem,
  type Variables,
} from '../../../functions/workflow/domain/cmmn/index.ts';
import { World } from '../../tools/conformance/world.ts';

const NAMESPACES =
  'xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL" xmlns:flowable="http://flowable.org/cmmn"';

/** A document with one case around the given content of its plan model. */
export function aModel(
  planModel: string,
  { key = 'theCase', attributes = '', around = '' } = {},
): string {
  return `<definitions ${NAMESPACES} targetNamespace="http://example.org/test">
<case id="${key}">${around}<casePlanModel id="${key}Plan" ${attributes}>
${planModel}
</casePlanModel></case></definitions>`;
}

/** A plan item with the human task that it places. */
export const aTask = (name: string, inner = '', attributes = ''): string =>
  `<planItem id="pi${name}" name="${name}" definitionRef="${name}">${inner}</planItem><humanTask id="${name}" name="${name}" ${attributes}/>`;

/** A sentry with one on-part, or with a condition, or with both. */
export function aSentry(
  id: string,
  source?: string,
  event = 'complete',
  condition?: string,
): string {
  const onPart = source
    ? `<planItemOnPart id="${id}On" sourceRef="${source}"><standardEvent>${event}</standardEvent></planItemOnPart>`
    : '';
  const ifPart = condition
    ? `<ifPart><condition><![CDATA[${condition}]]></condition></ifPart>`
    : '';
  return `<sentry id="${id}">${onPart}${ifPart}</sentry>`;
}

/** Compiles models that must be right. */
export async function compiled(...models: readonly string[]): Promise<CaseDefinition[]> {
  const definitions: CaseDefinition[] = [];
  for (const model of models) {
    const { isValid, cases, problems } = await compile(model, { hasProcesses: true });
    if (!isValid) throw new Error(problems.map((p) => `${p.code}: ${p.message}`).join('\n'));
    definitions.push(...cases);
  }
  return definitions;
}

/** The problems of a model that have one of the codes, or all but those that nearly every test model has. */
export function problemsOf({ problems }: Compilation, code?: string): Problem[] {
  const usual = ['DI_MISSING', 'HUMAN_TASK_UNASSIGNABLE'];
  return problems.filter((p) => (code ? p.code === code : !usual.includes(p.code)));
}

/** A running case and what can be asked of it in a test. */
export class TestCase {
  readonly world: World;

  constructor(definitions: readonly CaseDefinition[], decisions: readonly DecisionTable[] = []) {
    this.world = new World(definitions, decisions);
  }

  give(command: Command): this {
    this.world.give(command);
    return this;
  }

  /** The code with which a command is refused. */
  refusal(command: Command): CmmnError {
    try {
      this.world.give(command);
    } catch (error) {
      if (error instanceof CmmnError) return error;
      throw error;
    }
    throw new Error('the command was not refused');
  }

  /** Id of the nth live instance of that name. */
  id(name: string, occurrence = 1): string {
    const found = this.world.cases
      .flatMap(({ live }) => live)
      .filter(({ instance }) => instance.name === name)[occurrence - 1];
    if (!found) throw new Error(`there is no live "${name}"`);
    return found.instance.id;
  }

  complete(name: string, variables?: Variables): this {
    return this.give({ type: 'completeTask', planItemInstanceId: this.id(name), variables });
  }

  trigger(name: string, variables?: Variables): this {
    return this.give({ type: 'trigger', planItemInstanceId: this.id(name), variables });
  }

  /** States of all instances of the root case, by name, those of ended ones too. */
  get states(): Record<string, string[]> {
    const { live, ended } = this.world.root;
    const states: Record<string, string[]> = {};
    for (const { instance } of [...ended, ...live]) {
      states[instance.name] = [...(states[instance.name] ?? []), instance.state];
    }
    return states;
  }

  get state(): string {
    return this.world.root.instance.state;
  }

  get variables(): Variables {
    return this.world.root.instance.variables;
  }
}

/** Starts the first case of the models. */
export async function startCase(
  models: string | readonly string[],
  command: Partial<Extract<Command, { type: 'start' }>> & {
    dmn?: string;
    limits?: Partial<Limits>;
  } = {},
): Promise<TestCase> {
  const { dmn, limits, ...start } = command;
  const definitions = await compiled(...[models].flat());
  const decisions = dmn ? compileDecisions(dmn).decisions : [];
  const testCase = new TestCase(definitions, decisions);
  testCase.world.limits = limits ?? {};
  return testCase.give({ type: 'start', definitionKey: definitions[0]?.key ?? '', ...start });
}
