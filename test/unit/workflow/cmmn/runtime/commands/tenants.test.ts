// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import {
  type CaseDefinition,
  compileDecisions,
  type DefinitionSource,
  type EngineState,
  execute,
  viewPlanItems,
} from '../../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, compiled } from '../../../../../helpers/cmmn/cmmn.ts';

const CALLING =
  '<planItem id="piCall" name="Call" definitionRef="C"/><caseTask id="C" caseRef="child" flowable:sameDeployment="true"/>';
const DECIDING =
  '<planItem id="pd" name="Decide" definitionRef="D"/><decisionTask id="D" decisionRef="d"/>';

const aDecision = (value: string): string =>
  `<definitions><decision id="d"><decisionTable><output name="level"/><rule><outputEntry><text>"${value}"</text></outputEntry></rule></decisionTable></decision></definitions>`;

/** Definitions by tenant and key; what is under no tenant is for all. */
function sourceOf(
  cases: Readonly<Record<string, CaseDefinition>>,
  asked: unknown[] = [],
): DefinitionSource {
  const find = (id: string) => {
    const definition = cases[id];
    return definition && { id, definition };
  };
  return {
    latest: (key, tenantId, sameDeploymentAs) => {
      asked.push({ key, tenantId, sameDeploymentAs });
      return find(`${tenantId ?? ''}/${key}`);
    },
    byId: find,
    decision: (_, tenantId) => compileDecisions(aDecision(tenantId ?? 'all')).decisions[0],
  };
}

function start(definitions: DefinitionSource, tenantId?: string): EngineState {
  let next = 1;
  const newId = (): string => `id-${next++}`;
  const command = { type: 'start', definitionKey: 'parent', tenantId } as const;
  return execute(undefined, command, { definitions, now: 0, newId }).state;
}

const namesIn = ({ cases }: EngineState): string[][] =>
  cases.map(({ planItems }) => planItems.map(({ planItemId }) => planItemId.replace(/^pi/, '')));

describe('the cases of a tenant', () => {
  it('are started from its own definitions, else from those of all, at every depth', async () => {
    const [parent, mine, child] = await compiled(
      aModel(CALLING, { key: 'parent' }),
      aModel(aTask('Mine'), { key: 'child' }),
      aModel(aTask('Common'), { key: 'child' }),
    );
    if (!(parent && mine && child)) throw new Error('three models are needed');
    const definitions = sourceOf({ '/parent': parent, '/child': child, 'acme/child': mine });

    const acme = start(definitions, 'acme');

    expect(namesIn(acme)).toEqual([['Call'], ['Mine']]);
    expect(acme.cases.map(({ tenantId }) => tenantId)).toEqual(['acme', 'acme']);
    expect(namesIn(start(definitions, 'other'))).toEqual([['Call'], ['Common']]);
    expect(namesIn(start(definitions))).toEqual([['Call'], ['Common']]);
  });

  it('tell in which deployment their case tasks look first', async () => {
    const [parent, child] = await compiled(
      aModel(CALLING, { key: 'parent' }),
      aModel(aTask('A'), { key: 'child' }),
    );
    if (!(parent && child)) throw new Error('two models are needed');
    const asked: unknown[] = [];

    start(sourceOf({ '/parent': parent, '/child': child }, asked));

    expect(asked).toContainEqual({
      key: 'child',
      tenantId: undefined,
      sameDeploymentAs: '/parent',
    });
  });

  it('show their tenant to expressions and decide by its tables', async () => {
    const [parent] = await compiled(
      aModel(
        DECIDING +
          aTask('A', '<entryCriterion id="e" sentryRef="s"/>') +
          aSentry('s', undefined, '', '${caseInstance.tenantId == "acme"}'),
        { key: 'parent' },
      ),
    );
    if (!parent) throw new Error('a model is needed');
    const definitions = sourceOf({ '/parent': parent });

    const acme = start(definitions, 'acme').cases[0];

    const instances = acme && viewPlanItems(acme, parent).map(({ instance }) => instance);
    expect(instances).toMatchObject([{ name: 'A', state: 'active' }]);
    expect(acme?.variables).toEqual({ level: 'acme' });
    expect(start(definitions).cases[0]?.variables).toEqual({ level: 'all' });
  });
});
