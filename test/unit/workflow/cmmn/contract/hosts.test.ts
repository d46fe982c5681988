// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CaseDefinition,
  CmmnError,
  type Command,
  compileDecisions,
  type DecisionTable,
  type DeployedCase,
  type EngineState,
  type Environment,
  execute,
  type Result,
  viewPlanItems,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, compiled } from '../../../../helpers/cmmn/cmmn.ts';
import { compareWithLedger, Ledger } from '../../../../helpers/cmmn/ledger.ts';

const NOW = Date.UTC(2026, 0, 5);
const ENTRY = (sentry: string): string => `<entryCriterion id="e${sentry}" sentryRef="${sentry}"/>`;

/** Definitions and decisions by tenant and key, as a host keeps them; what is under no tenant is for all. */
interface Shelf {
  readonly cases: Map<string, DeployedCase>;
  readonly decisions: Map<string, DecisionTable>;
}

const placeOf = (key: string, tenantId = ''): string => `${tenantId}/${key}`;

function environmentOf({ cases, decisions }: Shelf, prefix: string): Environment {
  let ids = 0;
  return {
    definitions: {
      latest: (key, tenantId) => cases.get(placeOf(key, tenantId)),
      byId: (id) => cases.get(id),
      decision: (key, tenantId) => decisions.get(placeOf(key, tenantId)),
    },
    now: NOW,
    newId: () => `${prefix}-${++ids}`,
  };
}

const shelfOf = (
  definitions: Readonly<Record<string, CaseDefinition | undefined>>,
  decisions: Readonly<Record<string, string>> = {},
): Shelf => ({
  cases: new Map(
    Object.entries(definitions).flatMap(([id, definition]) =>
      definition ? [[id, { id, definition }]] : [],
    ),
  ),
  decisions: new Map(
    Object.entries(decisions).flatMap(([place, value]) =>
      compileDecisions(aDecision(value)).decisions.map((table) => [place, table] as const),
    ),
  ),
});

const aDecision = (value: string): string =>
  `<definitions><decision id="d"><decisionTable><output name="${value}"/><rule><outputEntry><text>"${value}"</text></outputEntry></rule></decisionTable></decision></definitions>`;

/** Whoever writes to a frozen state is found out. */
function frozen<Value>(value: Value): Value {
  if (value !== null && typeof value === 'object')
    Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const stored = (state: EngineState): EngineState =>
  frozen(JSON.parse(JSON.stringify(state)) as EngineState);

const idOf = ({ cases }: EngineState, planItemId: string): string =>
  cases.flatMap(({ planItems }) => planItems).find((item) => item.planItemId === planItemId)?.id ??
  '';

describe('a host that loads what it is asked for', () => {
  const decide = (name: string, after: string): string =>
    `<planItem id="p${name}" name="${name}" definitionRef="${name}">${ENTRY(`s${name}`)}</planItem><decisionTask id="${name}" flowable:decisionRef="\${${name}}" decisionRef="\${${name}}"/>${aSentry(`s${name}`, after)}`;
  const PARENT = aModel(
    aTask('A') +
      decide('first', 'piA') +
      decide('second', 'pfirst') +
      `<planItem id="pCall" name="Call" definitionRef="C">${ENTRY('sC')}</planItem><caseTask id="C" caseRef="\${third}"/>${aSentry('sC', 'psecond')}`,
  );

  it('gives the command again until nothing is missing, and has done nothing by halves', async () => {
    const [parent, child] = await compiled(PARENT, aModel(aTask('Inner'), { key: 'child' }));
    const all = shelfOf(
      { '/theCase': parent, 'acme/child': child },
      { 'acme/rates': 'rate', '/limits': 'limit' },
    );
    const loaded: Shelf = { cases: new Map(), decisions: new Map() };
    const missing: unknown[] = [];
    const load = ({ code, details: { reference = '', tenantId } }: CmmnError): void => {
      missing.push([code, reference]);
      for (const place of [placeOf(reference), placeOf(reference, tenantId), reference]) {
        const deployed = all.cases.get(place);
        const decision = all.decisions.get(place);
        if (deployed) loaded.cases.set(place, deployed);
        if (decision) loaded.decisions.set(place, decision);
      }
    };
    const give = (state: EngineState | undefined, command: Command): Result => {
      for (let attempt = 0; attempt < 10; attempt++) {
        try {
          return execute(state, command, environmentOf(loaded, command.type));
        } catch (error) {
          if (!(error instanceof CmmnError)) throw error;
          load(error);
        }
      }
      throw new Error('the host does not find what is asked for');
    };
    const variables = { first: 'rates', second: 'limits', third: 'child' };
    const start = { type: 'start', definitionKey: 'theCase', tenantId: 'acme', variables } as const;

    const begun = stored(give(undefined, start).state);
    const command = { type: 'completeTask', planItemInstanceId: idOf(begun, 'piA') } as const;
    const done = give(begun, command);

    expect(missing).toEqual([
      ['CASE_DEFINITION_NOT_FOUND', 'theCase'],
      ['DECISION_NOT_FOUND', 'rates'],
      ['DECISION_NOT_FOUND', 'limits'],
      ['CASE_DEFINITION_NOT_FOUND', 'child'],
    ]);
    expect(done).toEqual(execute(begun, command, environmentOf(all, command.type)));
    expect(done.state.cases[0]?.variables).toMatchObject({ rate: 'rate', limit: 'limit' });
    expect(done.state.cases[1]).toMatchObject({ definitionKey: 'child', tenantId: 'acme' });
  });

  it('may throw what it likes itself while it is asked', async () => {
    const [parent] = await compiled(PARENT);
    const environment = environmentOf(shelfOf({ '/theCase': parent }), 'x');
    const variables = { first: 'rates' };
    const begun = execute(
      undefined,
      { type: 'start', definitionKey: 'theCase', variables },
      environment,
    );
    const state = stored(begun.state);
    const notYet = new Error('not loaded yet');
    const decision = (): never => {
      throw notYet;
    };

    expect(() =>
      execute(
        state,
        { type: 'completeTask', planItemInstanceId: idOf(state, 'piA') },
        { ...environment, definitions: { ...environment.definitions, decision } },
      ),
    ).toThrow(notYet);
  });
});

describe('two tenants with definitions of the same key', () => {
  const listener = (signal: string): string =>
    `<planItem id="pL" name="L" definitionRef="L"/><eventListener id="L" flowable:eventType="signal" flowable:signalRef="${signal}"/>`;
  const DECIDE =
    '<planItem id="pd" name="D" definitionRef="D"/><decisionTask id="D" decisionRef="d"/><planItem id="pC" name="Call" definitionRef="C"/><caseTask id="C" caseRef="child"/>';

  it('work on their own, one command after the other', async () => {
    const [acme, acmeChild, other, common] = await compiled(
      aModel(DECIDE + aTask('Acme') + listener('paid')),
      aModel(aTask('AcmeInner'), { key: 'child' }),
      aModel(DECIDE + aTask('Other', '', 'flowable:assignee="${d}"') + listener('paid')),
      aModel(aTask('CommonInner'), { key: 'child' }),
    );
    const shelf = shelfOf(
      { 'acme/theCase': acme, 'acme/child': acmeChild, 'other/theCase': other, '/child': common },
      { 'acme/d': 'mine', '/d': 'd' },
    );
    const start = (tenantId: string): EngineState =>
      stored(
        execute(
          undefined,
          { type: 'start', definitionKey: 'theCase', tenantId },
          environmentOf(shelf, tenantId),
        ).state,
      );
    const open = ({ cases }: EngineState): unknown =>
      cases.map((one) => {
        const definition = shelf.cases.get(one.definitionId)?.definition;
        const views = definition ? viewPlanItems(one, definition) : [];
        return views.map(({ instance }) => instance.name);
      });

    const [mine, theirs] = [start('acme'), start('other')];

    expect(open(mine)).toEqual([['Call', 'Acme', 'L'], ['AcmeInner']]);
    expect(open(theirs)).toEqual([['Call', 'Other', 'L'], ['CommonInner']]);
    expect([mine, theirs].map(({ cases }) => cases[0]?.variables)).toEqual([
      { mine: 'mine' },
      { d: 'd' },
    ]);
    expect(() =>
      execute(
        mine,
        { type: 'evaluate' },
        {
          ...environmentOf(shelf, 'x'),
          definitions: {
            ...environmentOf(shelf, 'x').definitions,
            byId: (id) => shelf.cases.get(id.replace('acme', 'other')),
          },
        },
      ),
    ).toThrow(expect.objectContaining({ code: 'STATE_INVALID' }));
  });
});

type Wish = 'A' | 'B' | 'R' | 'set';

const commandFor = (wish: Wish, state: EngineState): Command =>
  wish === 'set'
    ? { type: 'setVariables', variables: { seen: wish } }
    : { type: 'completeTask', planItemInstanceId: idOf(state, `pi${wish}`) || 'none' };

/** A family under its version, as a table keeps it, and everything that was done to it. */
class Table {
  readonly #shelf: Shelf;
  readonly ledger = new Ledger();
  readonly log: { readonly command: Command; readonly attempt: string }[] = [];
  readonly refused = new Set<string>();
  readonly begun: EngineState;
  version = 1;
  state: EngineState;
  #attempts = 0;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
    const start = { type: 'start', definitionKey: 'theCase' } as const;
    const { state, effects } = execute(undefined, start, environmentOf(shelf, 'start'));
    this.begun = stored(state);
    this.state = this.begun;
    this.ledger.hear(effects);
  }

  /** @returns whether the command is done with: stored, or refused */
  give(version: number, state: EngineState, command: Command): boolean {
    const attempt = `attempt${++this.#attempts}`;
    try {
      const result = execute(state, command, environmentOf(this.#shelf, attempt));
      if (version !== this.version) return false;
      this.version++;
      this.state = stored(result.state);
      this.ledger.hear(result.effects);
      this.log.push({ command, attempt });
    } catch (error) {
      this.refused.add(error instanceof CmmnError ? error.code : String(error));
    }
    return true;
  }

  /** What the commands that were stored lead to, one after the other. */
  alone(): EngineState {
    return this.log.reduce((state, { command, attempt }) => {
      const result = execute(state, command, environmentOf(this.#shelf, attempt));
      return stored(result.state);
    }, this.begun);
  }
}

/** Reads in one turn and writes in the next; whoever has written meanwhile wins. */
class RacingHost {
  readonly #table: Table;
  readonly #todo: Wish[];
  #read: Pick<Table, 'version' | 'state'> | undefined;
  #command: Command | undefined;

  constructor(table: Table, todo: readonly Wish[]) {
    this.#table = table;
    this.#todo = [...todo];
  }

  takeTurn(): void {
    const [wish] = this.#todo;
    const { version, state } = this.#table;
    if (!wish) return;
    const read = this.#read;
    this.#read = read ? undefined : { version, state };
    this.#command ??= commandFor(wish, state);
    if (!read || !this.#table.give(read.version, read.state, this.#command)) return;
    this.#todo.shift();
    this.#command = undefined;
  }
}

it('two hosts that race store what one host would store that gives all commands', async () => {
  const [definition] = await compiled(
    aModel(
      `${aTask('A') + aTask('B', ENTRY('s')) + aSentry('s', 'piA')}<planItem id="piR" name="R" definitionRef="R"><itemControl><repetitionRule/></itemControl></planItem><humanTask id="R" name="R"/>${aTask('Keep')}`,
    ),
  );
  const shelf = shelfOf({ '/theCase': definition });
  const wishes = fc.array(fc.constantFrom<Wish>('A', 'B', 'R', 'set'), { maxLength: 6 });
  const turns = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 });

  await fc.assert(
    fc.asyncProperty(wishes, wishes, turns, async (mine, theirs, order) => {
      const table = new Table(shelf);
      const hosts = [new RacingHost(table, mine), new RacingHost(table, theirs)];
      for (const turn of order) hosts[Number(turn)]?.takeTurn();

      expect(table.state).toEqual(table.alone());
      const refusals = ['PLAN_ITEM_NOT_FOUND', 'PLAN_ITEM_ILLEGAL_STATE'];
      expect([...table.refused].filter((code) => !refusals.includes(code))).toEqual([]);
      const [told, heard] = compareWithLedger(table.state, table.ledger, () => 'humanTask');
      expect(heard).toEqual(told);
    }),
    { numRuns: 60 },
  );
});
