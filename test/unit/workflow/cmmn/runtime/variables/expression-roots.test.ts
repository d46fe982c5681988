// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { aModel, aSentry, aTask, startCase } from '../../../../../helpers/cmmn/cmmn.ts';

const MANUAL = '<itemControl><manualActivationRule/></itemControl>';
const entry = (sentry: string, control = ''): string =>
  `${control}<entryCriterion id="e${sentry}" sentryRef="${sentry}"/>`;

/** A case with an instance in every state, in which `Ask` evaluates the expression when `Go` is completed. */
async function ask(expression: string): Promise<unknown> {
  const text = expression.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const inside = aTask('Inner');
  const model = aModel(
    [
      aTask('Go'),
      `<planItem id="piAsk" name="Ask" definitionRef="Ask">${entry('go')}</planItem><task id="Ask" flowable:type="java" flowable:expression="${text}" flowable:resultVariableName="answer"/>`,
      aSentry('go', 'piGo'),
      aTask('Enabled', MANUAL),
      aTask('Disabled', MANUAL),
      aTask('Available', entry('never')),
      aSentry('never', undefined, '', '${false}'),
      aTask('Terminated'),
      aTask('Suspended'),
      aTask('Again', entry('again', '<itemControl><repetitionRule/></itemControl>')),
      aSentry('again', 'piStarter'),
      aTask('Starter'),
      '<planItem id="piW" name="Work" definitionRef="W"/><task id="W" flowable:type="external-worker" flowable:topic="t"/>',
      '<planItem id="piL" name="Listener" definitionRef="L"/><userEventListener id="L" flowable:availableCondition="${false}"/>',
      `<planItem id="piS" name="Stage" definitionRef="S"/><stage id="S">${inside}</stage>`,
    ].join(''),
  );
  const running = await startCase(model, {
    name: 'Letter',
    businessKey: 'b-1',
    businessStatus: 'new',
    caseInstanceId: 'case-1',
    variables: { limit: 5 },
  });
  running.complete('Starter');
  running.give({ type: 'disable', planItemInstanceId: running.id('Disabled') });
  running.give({ type: 'terminatePlanItem', planItemInstanceId: running.id('Terminated') });
  running.give({ type: 'suspendPlanItem', planItemInstanceId: running.id('Suspended') });
  running.give({ type: 'failExternalWork', planItemInstanceId: running.id('Work') });
  running.complete('Go');
  return running.variables.answer;
}

const count = (query: string): string => `\${planItemInstances.${query}.count()}`;

describe('what expressions see of a case', () => {
  it.each([
    [count('active()'), 4],
    [count("active().name('Inner')"), 1],
    [count('available()'), 1],
    [count('enabled()'), 1],
    [count('disabled()'), 1],
    [count('completed()'), 2],
    [count('failed()'), 1],
    [count('suspended()'), 1],
    [count('terminated()'), 1],
    [count('unavailable()'), 1],
    [count('waitingForRepetition()'), 1],
    [count('onlyTerminal()'), 4],
    [count("onlyNonTerminal().definitionId('Again')"), 2],
    [count("definitionIds('Go', 'Inner')"), 2],
    [count("names('Go', 'Inner', 'None')"), 2],
    [count("currentStage().name('Inner')"), 0],
    ['${planItemInstances.failed().exists()}', true],
    ["${planItemInstances.name('None').exists()}", false],
    ['${planItemInstances.failed().getDefinitionIds()}', ['W']],
    ['${planItemInstances.failed().getNames()}', ['Work']],
    ['${caseInstance.id}', 'case-1'],
    ['${caseInstance.name}', 'Letter'],
    ['${caseInstance.businessKey}', 'b-1'],
    ['${caseInstance.businessStatus}', 'new'],
    ['${caseInstance.state}', 'active'],
    ['${caseInstance.definitionKey}', 'theCase'],
    ['${caseInstance.tenantId}', null],
    ['${caseInstance.startTime}', '2026-01-05T09:00:00.000Z'],
    ['${caseInstance.caseDefinitionId}', 'theCase'],
    ['${caseInstance.completable}', false],
    ['${caseInstance.isCompletable()}', false],
    ['${caseInstance.getBusinessKey()}', 'b-1'],
    ['${caseInstance.parentId}', null],
    ['${caseInstance.endTime}', null],
    ['${caseInstance.lastReactivationTime}', null],
    ['${caseInstance.variables.limit}', 5],
    ["${caseInstance.getVariable('limit')}", 5],
    ["${caseInstance.getVariable('none')}", null],
    ['${planItemInstance.name}', 'Ask'],
    ['${planItemInstance.state}', 'active'],
    ['${planItemInstance.assignee}', null],
    ['${planItemInstance.id != null}', true],
    ['${planItemInstance.elementId}', 'piAsk'],
    ['${planItemInstance.planItemDefinitionType}', 'expressionTask'],
    ['${planItemInstance.caseDefinitionId}', 'theCase'],
    ['${planItemInstance.entryCriterionId}', 'ego'],
    ['${planItemInstance.getState()}', 'active'],
    ['${planItemInstance.variables.limit}', 5],
    ["${planItemInstance.getVariable('limit')}", 5],
    ["${planItemInstance.getVariableLocal('limit')}", null],
    ['${now()}', '2026-01-05T09:00:00.000Z'],
    ['${initiator}', null],
  ])('%s is %j', async (expression, value) => {
    expect(await ask(expression)).toEqual(value);
  });

  it('shows the open task to the expressions of its exit criteria', async () => {
    const attributes = 'flowable:assignee="ann" flowable:priority="70" flowable:owner="bob"';
    const condition =
      "${go && task.assignee == 'ann' && task.owner == 'bob' && task.priority == 70 && task.name == 'A'}";
    const exit = '<exitCriterion id="x" sentryRef="s"/>';
    const running = await startCase(
      aModel(aTask('A', exit, attributes) + aSentry('s', undefined, '', condition) + aTask('B')),
      { variables: { go: false } },
    );

    running.give({ type: 'setVariables', variables: { go: true } });

    expect(running.states.A).toEqual(['terminated']);
  });
});

describe('variable aggregation', () => {
  const repeating = (attributes: string): string =>
    aModel(
      aTask(
        'Vote',
        `<itemControl><repetitionRule flowable:collectionVariable="voters" flowable:elementVariable="voter"><extensionElements><flowable:variableAggregation target="votes" ${attributes}><variable source="vote"/></flowable:variableAggregation></extensionElements></repetitionRule></itemControl>`,
      ) + aTask('Keep'),
    );
  const vote = async (attributes: string, times: number) => {
    const running = await startCase(repeating(attributes), { variables: { voters: ['a', 'b'] } });
    for (let time = 1; time <= times; time++) {
      const planItemInstanceId = running.id('Vote');
      running.give({ type: 'completeTask', planItemInstanceId, localVariables: { vote: time } });
    }
    return running.variables.votes;
  };

  it('gives a list when the last instance has ended', async () => {
    expect(await vote('', 1)).toBeUndefined();
    expect(await vote('', 2)).toEqual([{ vote: 1 }, { vote: 2 }]);
  });

  it('shows what there is as an overview from the start, where the model wants one', async () => {
    expect(await vote('createOverviewVariable="true"', 0)).toEqual([{}, {}]);
    expect(await vote('createOverviewVariable="true"', 1)).toEqual([{ vote: 1 }, {}]);
  });

  it('stores nothing when the list is transient', async () => {
    expect(await vote('storeAsTransientVariable="true"', 2)).toBeUndefined();
  });
});
