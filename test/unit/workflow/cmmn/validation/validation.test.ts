// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { PROBLEM_SEVERITIES } from '../../../../../functions/workflow/domain/cmmn/basics/problem.ts';
import { compile } from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, problemsOf } from '../../../../helpers/cmmn/cmmn.ts';

const EXTRA =
  '<planItem id="piX" definitionRef="X"><entryCriterion id="ecX" sentryRef="sX"/></planItem><humanTask id="X" name="X"/>';
const control = (inner: string): string => `<itemControl>${inner}</itemControl>`;
const extension = (inner: string): string => `<extensionElements>${inner}</extensionElements>`;
const listener = (attributes: string): string =>
  `<planItem id="piL" definitionRef="L"/><eventListener id="L" ${attributes}/>`;
const task = (attributes: string): string =>
  `<planItem id="piW" definitionRef="W"/><task id="W" name="W" ${attributes}/>`;
const timer = (expression: string, more = ''): string =>
  `<planItem id="piT" definitionRef="T"/><timerEventListener id="T"><timerExpression>${expression}</timerExpression>${more}</timerEventListener>`;
const when = (condition: string): string => EXTRA + aSentry('sX', undefined, '', condition);

/** Code, plan model, and the id of the element that is named. */
const CASES: readonly (readonly [
  code: string,
  planModel: string,
  elementId: string | undefined,
])[] = [
  ['PLAN_MODEL_EMPTY', '', 'theCasePlan'],
  ['STAGE_EMPTY', '<planItem id="pi" definitionRef="S"/><stage id="S"/>', 'S'],
  ['DUPLICATE_ID', `${aTask('A')}<humanTask id="A" name="B"/>`, 'A'],
  ['ELEMENT_UNKNOWN', `${aTask('A')}<bogus/>`, undefined],
  ['PLAN_ITEM_DEFINITION_REF_MISSING', '<planItem id="pi"/>', 'pi'],
  ['PLAN_ITEM_DEFINITION_REF_UNRESOLVED', '<planItem id="pi" definitionRef="no"/>', 'pi'],
  [
    'PLAN_ITEM_DEFINITION_OUT_OF_SCOPE',
    `<planItem id="pi" definitionRef="A"/><planItem id="ps" definitionRef="S"/><stage id="S">${aTask('A')}</stage>`,
    'pi',
  ],
  ['PLAN_ITEM_DEFINITION_UNUSED', `${aTask('A')}<humanTask id="B" name="B"/>`, 'B'],
  [
    'STAGE_RECURSION',
    '<planItem id="ps" definitionRef="S"/><stage id="S"><planItem id="pi" definitionRef="S"/></stage>',
    'S',
  ],
  [
    'STAGE_PLANNED_TWICE',
    `<planItem id="p1" definitionRef="S"/><planItem id="p2" definitionRef="S"/><stage id="S">${aTask('A')}</stage>`,
    'S',
  ],
  ['CRITERION_SENTRY_REF_MISSING', aTask('A', '<entryCriterion id="ec"/>'), 'ec'],
  ['CRITERION_SENTRY_REF_UNRESOLVED', aTask('A', '<entryCriterion id="ec" sentryRef="no"/>'), 'ec'],
  ['SENTRY_EMPTY', `${EXTRA}<sentry id="sX"/>`, 'sX'],
  ['SENTRY_UNUSED', aTask('A') + aSentry('s', 'piA'), 's'],
  [
    'ON_PART_SOURCE_MISSING',
    `${EXTRA}<sentry id="sX"><planItemOnPart><standardEvent>complete</standardEvent></planItemOnPart></sentry>`,
    'sX',
  ],
  ['ON_PART_SOURCE_UNRESOLVED', EXTRA + aSentry('sX', 'no'), 'sX'],
  [
    'ON_PART_EVENT_MISSING',
    `${EXTRA}${aTask('A')}<sentry id="sX"><planItemOnPart sourceRef="piA"/></sentry>`,
    'sX',
  ],
  ['ON_PART_EVENT_UNKNOWN', EXTRA + aTask('A') + aSentry('sX', 'piA', 'finish'), 'sX'],
  ['ON_PART_EVENT_NOT_POSSIBLE', EXTRA + aTask('A') + aSentry('sX', 'piA', 'occur'), 'sX'],
  ['ON_PART_EVENT_ALIAS', EXTRA + aTask('A') + aSentry('sX', 'piA', 'manualStart'), 'sX'],
  ['ON_PART_SELF', EXTRA + aSentry('sX', 'piX'), 'ecX'],
  ['IF_PART_EMPTY', `${EXTRA}<sentry id="sX"><ifPart/></sentry>`, 'sX'],
  [
    'EXIT_CRITERION_ON_LISTENER_OR_MILESTONE',
    `${aTask('A')}<planItem id="pm" definitionRef="M"><exitCriterion id="ex" sentryRef="s"/></planItem><milestone id="M"/>${aSentry('s', 'piA')}`,
    'ex',
  ],
  [
    'ENTRY_CRITERION_ON_LISTENER',
    `${aTask('A')}<planItem id="pl" definitionRef="L"><entryCriterion id="en" sentryRef="s"/></planItem><userEventListener id="L"/>${aSentry('s', 'piA')}`,
    'en',
  ],
  [
    'CRITERION_ON_NON_BLOCKING_TASK',
    aTask('A') +
      aTask('B', '<exitCriterion id="ex" sentryRef="s"/>', 'isBlocking="false"') +
      aSentry('s', 'piA'),
    'ex',
  ],
  [
    'EXIT_TYPE_UNKNOWN',
    aTask('A') +
      aTask('B', '<exitCriterion id="ex" sentryRef="s" flowable:exitType="some"/>') +
      aSentry('s', 'piA'),
    'ex',
  ],
  [
    'EXIT_EVENT_TYPE_UNKNOWN',
    aTask('A') +
      aTask('B', '<exitCriterion id="ex" sentryRef="s" flowable:exitEventType="some"/>') +
      aSentry('s', 'piA'),
    'ex',
  ],
  [
    'EXIT_TYPE_ON_STAGE',
    `${aTask('A')}<planItem id="ps" definitionRef="S"><exitCriterion id="ex" sentryRef="s" flowable:exitType="activeInstances"/></planItem><stage id="S">${aTask('B')}</stage>${aSentry('s', 'piA')}`,
    'ex',
  ],
  [
    'TRIGGER_MODE_UNKNOWN',
    `${EXTRA}<sentry id="sX" flowable:triggerMode="x"><ifPart><condition>true</condition></ifPart></sentry>`,
    'sX',
  ],
  ['EXPRESSION_SYNTAX', when('${a +}'), 'sX-if'],
  ['EXPRESSION_UNSUPPORTED_ROOT', when('${constructor == 1}'), 'sX-if'],
  ['EXPRESSION_UNSUPPORTED_FUNCTION', when('${java:run(x)}'), 'sX-if'],
  ['EXPRESSION_UNSUPPORTED_METHOD', when('${myBean.doIt(x)}'), 'sX-if'],
  ['EXPRESSION_UNSUPPORTED_METHOD', when("${map['__proto__'].x}"), 'sX-if'],
  ['EXPRESSION_UNSUPPORTED_METHOD', when('${caseInstance.bogus}'), 'sX-if'],
  ['EXPRESSION_UNSUPPORTED_METHOD', when("${planItemInstance['bogus']}"), 'sX-if'],
  ['EXPRESSION_UNSUPPORTED_METHOD', when('${task.getBogus()}'), 'sX-if'],
  ['EXPRESSION_UNSUPPORTED_METHOD', when('${planItemInstances.bogus}'), 'sX-if'],
  [
    'EXPRESSION_LANGUAGE_UNSUPPORTED',
    `${EXTRA}<sentry id="sX"><ifPart><condition language="groovy">x</condition></ifPart></sentry>`,
    'sX',
  ],
  [
    'REPETITION_MAX_INSTANCE_COUNT_INVALID',
    aTask('A', control('<repetitionRule flowable:maxInstanceCount="0"/>')),
    'piA',
  ],
  [
    'REPETITION_ENTRY_WITHOUT_ON_PART',
    aTask('A', `${control('<repetitionRule/>')}<entryCriterion id="e" sentryRef="s"/>`) +
      aSentry('s', undefined, '', '${go}'),
    'piA',
  ],
  ['REPETITION_ENDLESS', aTask('A', control('<repetitionRule/>'), 'isBlocking="false"'), 'piA'],
  [
    'REPETITION_ELEMENT_WITHOUT_COLLECTION',
    aTask('A', control('<repetitionRule flowable:elementVariable="x"/>')),
    'piA',
  ],
  [
    'REPETITION_COLLECTION_IGNORES_MAX',
    aTask(
      'A',
      control('<repetitionRule flowable:collectionVariable="x" flowable:maxInstanceCount="2"/>'),
    ),
    'piA',
  ],
  [
    'REPETITION_ON_TIMER_IGNORED',
    `<planItem id="piT" definitionRef="T">${control('<repetitionRule/>')}</planItem><timerEventListener id="T"><timerExpression>PT1H</timerExpression></timerEventListener>`,
    'piT',
  ],
  [
    'PARENT_COMPLETION_TYPE_UNKNOWN',
    aTask('A', control(extension('<flowable:parentCompletionRule type="x"/>'))),
    'piA',
  ],
  [
    'REQUIRED_UNREACHABLE',
    aTask('A', `${control('<requiredRule/>')}<entryCriterion id="e" sentryRef="s"/>`) +
      aSentry('s', 'piA', 'start'),
    'piA',
  ],
  [
    'AUTO_COMPLETE_CONFLICT',
    `<planItem id="ps" definitionRef="S"/><stage id="S" autoComplete="true" flowable:autoCompleteCondition="\${x}">${aTask('A')}</stage>`,
    'S',
  ],
  ['TIMER_EXPRESSION_MISSING', timer(''), 'T'],
  ['TIMER_EXPRESSION_INVALID', timer('soon'), 'T'],
  [
    'TIMER_START_TRIGGER_UNRESOLVED',
    timer(
      'PT1H',
      '<planItemStartTrigger sourceRef="no"><standardEvent>complete</standardEvent></planItemStartTrigger>',
    ),
    'T',
  ],
  [
    'ON_PART_EVENT_NOT_POSSIBLE',
    aTask('A') +
      timer(
        'PT1H',
        '<planItemStartTrigger sourceRef="piA"><standardEvent>occur</standardEvent></planItemStartTrigger>',
      ),
    'T',
  ],
  [
    'REQUIRED_UNREACHABLE',
    `<planItem id="piA" definitionRef="A"><entryCriterion id="e" sentryRef="s"/></planItem><humanTask id="A" name="A"><defaultControl><requiredRule/></defaultControl></humanTask>${aSentry('s', 'piA', 'start')}`,
    'piA',
  ],
  [
    'CASE_FILE_ON_PART_UNSUPPORTED',
    `${EXTRA}<sentry id="sX">${extension('<flowable:variableOnPart variableName="x"/>')}<ifPart><condition>true</condition></ifPart></sentry>`,
    'sX',
  ],
  ['SIGNAL_REF_MISSING', listener('flowable:eventType="signal"'), 'L'],
  [
    'SIGNAL_REF_TOO_LONG',
    listener(`flowable:eventType="signal" flowable:signalRef="${'s'.repeat(256)}"`),
    'L',
  ],
  ['VARIABLE_NAME_MISSING', listener('flowable:eventType="variable"'), 'L'],
  [
    'VARIABLE_CHANGE_TYPE_UNKNOWN',
    listener(
      'flowable:eventType="variable" flowable:variableName="x" flowable:variableChangeType="y"',
    ),
    'L',
  ],
  [
    'VARIABLE_NAME_RESERVED',
    aTask('A', control('<repetitionRule flowable:counterVariable="__proto__"/>')),
    'piA',
  ],
  ['VARIABLE_NAME_RESERVED', aTask('A', '', 'flowable:taskIdVariableName="task"'), 'A'],
  ['EVENT_TYPE_UNSUPPORTED', listener('flowable:eventType="intent"'), 'L'],
  [
    'EVENT_TYPE_UNSUPPORTED',
    `<planItem id="piL" definitionRef="L"/><eventListener id="L">${extension('<flowable:eventType>order</flowable:eventType>')}</eventListener>`,
    'L',
  ],
  ['EVENT_TYPE_UNKNOWN', listener('flowable:eventType="mystery"'), 'L'],
  [
    'REACTIVATE_LISTENER_MULTIPLE',
    '<planItem id="p1" definitionRef="R"/><planItem id="p2" definitionRef="R"/><eventListener id="R" flowable:eventType="reactivate"/>',
    'p2',
  ],
  [
    'REACTIVATE_LISTENER_IN_STAGE',
    '<planItem id="ps" definitionRef="S"/><stage id="S"><planItem id="p1" definitionRef="R"/><eventListener id="R" flowable:eventType="reactivate"/></stage>',
    'p1',
  ],
  [
    'AVAILABLE_CONDITION_ON_NON_LISTENER',
    aTask('A', '', 'flowable:availableCondition="${x}"'),
    'A',
  ],
  ['CASE_REF_MISSING', '<planItem id="pi" definitionRef="C"/><caseTask id="C"/>', 'C'],
  ['PROCESS_REF_MISSING', '<planItem id="pi" definitionRef="C"/><processTask id="C"/>', 'C'],
  ['DECISION_REF_MISSING', '<planItem id="pi" definitionRef="C"/><decisionTask id="C"/>', 'C'],
  [
    'PROCESS_TASK_DISABLED',
    '<planItem id="pi" definitionRef="C"/><processTask id="C" processRef="p"/>',
    'C',
  ],
  [
    'CASE_TASK_RECURSION',
    '<planItem id="pi" definitionRef="C"/><caseTask id="C" caseRef="theCase"/>',
    'theCase',
  ],
  ['SERVICE_TASK_UNSUPPORTED', task('flowable:type="http"'), 'W'],
  ['SERVICE_TASK_UNSUPPORTED', task('flowable:type="java" flowable:class="a.B"'), 'W'],
  ['SCRIPT_UNSUPPORTED', task('flowable:type="script"'), 'W'],
  ['TOPIC_MISSING', task('flowable:type="external-worker"'), 'W'],
  [
    'TOPIC_TOO_LONG',
    task(`flowable:type="external-worker" flowable:topic="${'t'.repeat(256)}"`),
    'W',
  ],
  ['ASYNC_IGNORED', task('flowable:async="true"'), 'W'],
  [
    'LISTENER_UNSUPPORTED',
    `<planItem id="pi" definitionRef="A"/><humanTask id="A" name="A">${extension('<flowable:planItemLifecycleListener class="a.B"/>')}</humanTask>`,
    'A',
  ],
  ['HUMAN_TASK_NAME_MISSING', '<planItem id="pi" definitionRef="A"/><humanTask id="A"/>', 'A'],
  ['HUMAN_TASK_UNASSIGNABLE', aTask('A'), 'A'],
  ['ASSIGNMENT_TOO_LONG', aTask('A', '', `flowable:owner="${'o'.repeat(256)}"`), 'A'],
  [
    'TEXT_TOO_LONG',
    `<planItem id="pi" definitionRef="A"/><humanTask id="A" name="${'n'.repeat(4_001)}"/>`,
    'A',
  ],
  ['PRIORITY_INVALID', aTask('A', '', 'flowable:priority="high"'), 'A'],
  ['EXCLUDED_TASK_UNRESOLVED', aTask('A', '', 'flowable:excludeCompletersOf="B"'), 'A'],
  ['DUE_DATE_INVALID', aTask('A', '', 'flowable:dueDate="soon"'), 'A'],
  [
    'AGGREGATION_INVALID',
    aTask(
      'A',
      control(`<repetitionRule>${extension('<flowable:variableAggregation/>')}</repetitionRule>`),
    ),
    'piA',
  ],
  [
    'ROLE_REF_UNRESOLVED',
    '<planItem id="pi" definitionRef="L"/><userEventListener id="L" authorizedRoleRefs="boss"/>',
    'L',
  ],
  ['ROLE_REF_UNRESOLVED', aTask('A', '', 'performerRef="boss"'), 'A'],
  [
    'REFERENCE_UNRESOLVED',
    `${EXTRA}${aTask('A')}<sentry id="sX"><planItemOnPart sourceRef="piA" exitCriterionRef="no"><standardEvent>exit</standardEvent></planItemOnPart></sentry>`,
    'sX',
  ],
  [
    'REFERENCE_UNRESOLVED',
    '<planningTable id="t"><discretionaryItem id="di" definitionRef="A" applicabilityRuleRefs="no"/></planningTable><humanTask id="A" name="A"/>',
    'di',
  ],
  [
    'REFERENCE_UNRESOLVED',
    '<planItem id="pi" definitionRef="C"/><caseTask id="C" caseRef="other"><parameterMapping sourceRef="in" targetRef="no"/><input id="in"/></caseTask>',
    'C',
  ],
  [
    'LISTENER_UNSUPPORTED',
    `<planItem id="pi" definitionRef="A">${extension('<flowable:planItemLifecycleListener expression="x"/>')}</planItem><humanTask id="A" name="A"/>`,
    'pi',
  ],
  [
    'EXPRESSION_LANGUAGE_UNSUPPORTED',
    `${EXTRA}<sentry id="sX"><ifPart><condition language="http://www.w3.org/1999/XPath">x</condition></ifPart></sentry>`,
    'sX',
  ],
  [
    'PLAN_FRAGMENT_DISCRETIONARY_UNSUPPORTED',
    `${aTask('A')}<planningTable id="t"><discretionaryItem id="di" definitionRef="F"/></planningTable><planFragment id="F"/>`,
    'di',
  ],
  [
    'PLAN_FRAGMENT_PLANNED_TWICE',
    '<planItem id="p1" definitionRef="F"/><planItem id="p2" definitionRef="F"/><planFragment id="F"/>',
    'p2',
  ],
  [
    'CASE_TOO_LARGE',
    `${aTask('A')}<planningTable id="pt"><discretionaryItem id="d" definitionRef="A" authorizedRoleRefs="${'r '.repeat(101)}"/></planningTable>`,
    'd',
  ],
  ['DI_MISSING', aTask('A'), undefined],
];

describe('the rules for models', () => {
  it.each(CASES)('%s', async (code, planModel, elementId) => {
    const result = await compile(aModel(planModel));

    const [problem] = problemsOf(result, code);
    expect(problem).toMatchObject({
      code,
      elementId,
      severity: PROBLEM_SEVERITIES[code as keyof typeof PROBLEM_SEVERITIES],
      line: elementId === undefined ? problem?.line : expect.any(Number),
    });
    expect(problem?.message).toMatch(/^\S.*\.$/);
    if (problem?.severity === 'ERROR') expect(result.isValid).toBe(false);
  });

  it('are all tested, here or below', () => {
    const elsewhere = [
      'XML_MALFORMED',
      'XML_TOO_LARGE',
      'XML_DTD_FORBIDDEN',
      'NOT_CMMN',
      'UNSUPPORTED_NAMESPACE',
      'NO_CASE',
      'CASE_ID_MISSING',
      'DUPLICATE_CASE_KEY',
      'CASE_KEY_INVALID',
      'ID_INVALID',
      'PLAN_MODEL_MISSING',
      'CASE_REF_NOT_DEPLOYED',
      'DECISION_REF_NOT_DEPLOYED',
    ];
    const tested = new Set([...CASES.map(([code]) => code), ...elsewhere]);

    expect(Object.keys(PROBLEM_SEVERITIES).filter((code) => !tested.has(code))).toEqual([]);
  });

  it('finds nothing wrong with a plain model', async () => {
    const result = await compile(aModel(aTask('A', '', 'flowable:assignee="ann"')));

    expect(problemsOf(result)).toEqual([]);
    expect(result.isValid).toBe(true);
  });

  it('says where the element begins', async () => {
    const result = await compile(aModel('\n  <planItem id="pi" definitionRef="no"/>'));

    const [problem] = problemsOf(result, 'PLAN_ITEM_DEFINITION_REF_UNRESOLVED');
    expect(problem).toMatchObject({ line: 4, column: 3, caseDefinitionKey: 'theCase' });
  });

  it('says where the element around begins when the element itself has no id', async () => {
    const sentry = '<sentry id="sX">\n<ifPart><condition>${a +}</condition></ifPart></sentry>';
    const result = await compile(aModel(`${EXTRA}\n${sentry}\n<planItem definitionRef="no"/>`));

    expect(problemsOf(result, 'EXPRESSION_SYNTAX')[0]).toMatchObject({ line: 4, column: 1 });
    expect(problemsOf(result, 'PLAN_ITEM_DEFINITION_REF_UNRESOLVED')[0]).toMatchObject({ line: 2 });
  });

  it('says where something is that CMMN does not know', async () => {
    const result = await compile(aModel(`${aTask('A', '', 'bogus="1"')}\n<missingThing/>`));

    expect(problemsOf(result, 'ELEMENT_UNKNOWN')).toMatchObject([
      { message: 'The attribute "bogus" is not known: ignored.', elementId: 'A', line: 3 },
      { message: '<missingThing/>: unknown type <cmmn:MissingThing>: ignored.', line: 4 },
    ]);
    expect(result.isValid).toBe(true);
  });

  it('leaves the ids of extensions alone', async () => {
    const property = extension('<flowable:formProperty id="name"/>');
    const model = ['A', 'B'].map(
      (id) => `<planItem id="pi${id}" definitionRef="${id}"/><task id="${id}">${property}</task>`,
    );

    expect(problemsOf(await compile(aModel(model.join(''))))).toEqual([]);
  });

  it('knows which cases and decisions are deployed, when it is told', async () => {
    const model = aModel(
      '<planItem id="p1" definitionRef="C"/><caseTask id="C" caseRef="other"/><planItem id="p2" definitionRef="D"/><decisionTask id="D" decisionRef="table"/>',
    );

    const unknown = await compile(model, {
      deployedCases: new Set(),
      deployedDecisions: new Set(),
    });
    const known = await compile(model, {
      deployedCases: new Set(['other']),
      deployedDecisions: new Set(['table']),
    });

    expect(problemsOf(unknown, 'CASE_REF_NOT_DEPLOYED')).toHaveLength(1);
    expect(problemsOf(unknown, 'DECISION_REF_NOT_DEPLOYED')).toHaveLength(1);
    expect(problemsOf(known)).toEqual([]);
  });

  it.each([
    ['<flowable:caseLifecycleListener class="a.B"/>', 'LISTENER_UNSUPPORTED'],
    ['<flowable:eventType>order</flowable:eventType>', 'EVENT_TYPE_UNSUPPORTED'],
  ])('refuses %s on a case', async (inner, code) => {
    const result = await compile(aModel(aTask('A'), { around: extension(inner) }));

    expect(problemsOf(result, code)).toMatchObject([{ elementId: 'theCase', line: 2 }]);
  });

  it('refuses case file events that a variable does not have', async () => {
    const model = aModel(
      `${EXTRA}<sentry id="sX"><caseFileItemOnPart sourceRef="file"><standardEvent>addChild</standardEvent></caseFileItemOnPart></sentry>`,
      { around: '<caseFileModel><caseFileItem id="file" name="letter"/></caseFileModel>' },
    );

    expect(problemsOf(await compile(model), 'CASE_FILE_ON_PART_UNSUPPORTED')).toHaveLength(1);
  });

  it('checks the document before the cases in it', async () => {
    const cmmn = 'xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL"';
    const plan = '<casePlanModel id="p"/>';
    const codes = async (xml: string): Promise<string[]> =>
      (await compile(xml)).problems.map(({ code }) => code);

    expect(await codes(`<definitions ${cmmn}/>`)).toContain('NO_CASE');
    expect(await codes(`<definitions ${cmmn}><case id="a"/></definitions>`)).toContain(
      'PLAN_MODEL_MISSING',
    );
    expect(await codes(`<definitions ${cmmn}><case>${plan}</case></definitions>`)).toContain(
      'CASE_ID_MISSING',
    );
    expect(
      await codes(`<definitions ${cmmn}><case id="1a">${plan}</case></definitions>`),
    ).toContain('CASE_KEY_INVALID');
    expect(
      await codes(
        `<definitions ${cmmn}><case id="${'a'.repeat(256)}">${plan}</case></definitions>`,
      ),
    ).toContain('CASE_KEY_INVALID');
    expect(
      await codes(
        `<definitions ${cmmn}><case id="a">${plan}</case><case id="a"><casePlanModel id="q"/></case></definitions>`,
      ),
    ).toContain('DUPLICATE_CASE_KEY');
    expect(await codes(aModel('<task id="1a"/>'))).toContain('ID_INVALID');
  });

  it('understands FEEL where the model says so', async () => {
    const model = `${EXTRA}<sentry id="sX"><ifPart><condition language="feel">amount &gt; 5 and</condition></ifPart></sentry>`;

    expect(problemsOf(await compile(aModel(model)), 'EXPRESSION_SYNTAX')).toHaveLength(1);
  });
});
