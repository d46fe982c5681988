// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import {
  type Explanation,
  explain,
  listPlannable,
  stageOverview,
} from '../../../../../../functions/workflow/domain/cmmn/index.ts';
import {
  aModel,
  aSentry,
  aTask,
  compiled,
  startCase,
  type TestCase,
} from '../../../../../helpers/cmmn/cmmn.ts';

function explained(running: TestCase, id: string): Explanation {
  const { world } = running;
  if (!world.state) throw new Error('nothing has been started');
  return explain(world.state, id, { definitions: world.definitions, now: world.now });
}

const ENTRY = '<entryCriterion id="e" sentryRef="s"/>';
const TWO_PARTS =
  '<sentry id="s"><planItemOnPart id="on1" sourceRef="piA"><standardEvent>complete</standardEvent></planItemOnPart><planItemOnPart id="on2" sourceRef="piC"><standardEvent>complete</standardEvent></planItemOnPart><ifPart id="if"><condition>${amount &gt; 5}</condition></ifPart></sentry>';

describe('explain', () => {
  it('tells the on-parts that were seen, those that are missing, and what the if-part says', async () => {
    const running = await startCase(
      aModel(aTask('A') + aTask('B', ENTRY) + aTask('C') + TWO_PARTS),
      {
        variables: { amount: 3 },
      },
    );

    running.complete('A');

    expect(explained(running, running.id('B')).entryCriteria).toEqual([
      {
        id: 'e',
        onParts: [
          { id: 'on1', source: 'piA', sourceName: 'A', standardEvent: 'complete', isSeen: true },
          { id: 'on2', source: 'piC', sourceName: 'C', standardEvent: 'complete', isSeen: false },
        ],
        ifPart: { condition: '${amount > 5}', isSatisfied: false, value: false },
      },
    ]);
  });

  it('remembers an if-part that was true once', async () => {
    const running = await startCase(
      aModel(aTask('A') + aTask('B', ENTRY) + aTask('C') + TWO_PARTS),
      {
        variables: { amount: 6 },
      },
    );

    running.give({ type: 'setVariables', variables: { amount: 1 } });

    const [criterion] = explained(running, running.id('B')).entryCriteria;
    expect(criterion?.ifPart).toMatchObject({ isSatisfied: true, value: false });
  });

  it('tells the error of a condition', async () => {
    const running = await startCase(
      aModel(aTask('A') + aTask('B', ENTRY) + aTask('C') + TWO_PARTS),
      {
        variables: { amount: 3 },
      },
    );

    running.give({ type: 'removeVariables', names: ['amount'] });

    const [criterion] = explained(running, running.id('B')).entryCriteria;
    expect(criterion?.ifPart?.error).toContain('unknown variable amount');
  });

  it('tells which children keep a stage open, and how', async () => {
    const manual = '<itemControl><manualActivationRule/></itemControl>';
    const required = '<itemControl><requiredRule/></itemControl>';
    const inside =
      aTask('A') +
      aTask('B', manual) +
      aTask('C', required + ENTRY) +
      aTask('D') +
      aSentry('s', 'piD');
    const running = await startCase(
      aModel(`<planItem id="pS" name="S" definitionRef="S"/><stage id="S">${inside}</stage>`),
    );

    const { completion } = explained(running, running.id('S'));

    expect(completion?.isCompletable).toBe(false);
    expect(
      completion?.openChildren.map(({ name, state, effect }) => [name, state, effect]),
    ).toEqual([
      ['A', 'active', 'blocks'],
      ['B', 'enabled', 'waits'],
      ['C', 'available', 'blocks'],
      ['D', 'active', 'blocks'],
    ]);
  });

  it('tells the same of a case, until it has ended', async () => {
    const running = await startCase(aModel(aTask('A')));
    const { id } = running.world.root.instance;

    expect(explained(running, id).completion?.openChildren).toHaveLength(1);
    running.complete('A');

    expect(explained(running, id)).toMatchObject({ state: 'completed', completion: undefined });
  });

  it('tells when a timer is due', async () => {
    const running = await startCase(
      aModel(
        `<planItem id="pT" name="T" definitionRef="T"/><timerEventListener id="T"><timerExpression>PT1H</timerExpression></timerEventListener>${aTask('A', ENTRY)}${aSentry('s', 'pT', 'occur')}`,
      ),
    );

    expect(explained(running, running.id('T')).dueAt).toBe('2026-01-05T10:00:00.000Z');
  });

  it('does not know what has ended', async () => {
    const running = await startCase(aModel(aTask('A') + aTask('B')));
    const id = running.id('A');

    running.complete('A');

    expect(() => explained(running, id)).toThrow('has ended');
  });
});

describe('listPlannable', () => {
  const model = aModel(
    `${aTask('A')}<planningTable id="t"><discretionaryItem id="d1" name="Extra" definitionRef="X"/><discretionaryItem id="d2" definitionRef="X" authorizedRoleRefs="boss" applicabilityRuleRefs="r"/><applicabilityRule id="r"><condition>\${risky}</condition></applicabilityRule></planningTable><humanTask id="X" name="X"/>`,
    { around: '<caseRoles><role id="boss"/></caseRoles>' },
  );
  const names = (running: TestCase, roles?: readonly string[]): string[] => {
    const { world } = running;
    if (!world.state) return [];
    const environment = { definitions: world.definitions, now: world.now };
    return listPlannable(world.state, environment, roles).map((i) => i.discretionaryItemId);
  };

  it('names what the rules and the roles allow', async () => {
    const running = await startCase(model, { variables: { risky: false } });

    expect(names(running)).toEqual(['d1']);
    running.give({ type: 'setVariables', variables: { risky: true } });

    expect(names(running)).toEqual(['d1', 'd2']);
    expect(names(running, ['clerk'])).toEqual(['d1']);
    expect(names(running, ['boss'])).toEqual(['d1', 'd2']);
    running.give({ type: 'terminate' });
    expect(names(running)).toEqual([]);
  });
});

describe('stageOverview', () => {
  it('shows stages and chosen milestones in their order', async () => {
    const stage = (id: string, attributes: string, inner: string): string =>
      `<planItem id="pi${id}" name="${id}" definitionRef="${id}">${inner}</planItem><stage id="${id}" ${attributes}>${aTask(`in${id}`)}</stage>`;
    const model = aModel(
      stage('Second', 'flowable:displayOrder="2"', ENTRY) +
        stage('First', 'flowable:displayOrder="1"', '') +
        stage('Hidden', 'flowable:includeInStageOverview="false"', '') +
        `<planItem id="pm" name="Paid" definitionRef="m">${'<entryCriterion id="e2" sentryRef="s2"/>'}</planItem><milestone id="m" flowable:includeInStageOverview="true" flowable:displayOrder="3"/>` +
        aSentry('s', 'piFirst') +
        aSentry('s2', 'piSecond'),
    );
    const running = await startCase(model);
    const [definition] = await compiled(model);

    running.complete('inFirst');

    const overview = definition ? stageOverview(running.world.root.instance, definition) : [];
    expect(overview.map(({ name, isCurrent, isEnded }) => [name, isCurrent, isEnded])).toEqual([
      ['First', false, true],
      ['Second', true, false],
      ['Paid', false, false],
    ]);
  });
});
