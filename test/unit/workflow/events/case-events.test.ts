import { describe, expect, it } from 'vitest';
import type { CaseHead } from '../../../../functions/workflow/domain/cases/case-facts.ts';
import type { Effect } from '../../../../functions/workflow/domain/cmmn/index.ts';
import { caseEvents } from '../../../../functions/workflow/domain/events/case-events.ts';

const head: CaseHead = {
  ...{ caseInstanceId: 'c1', familyId: 'c1', tenantCode: 'acme', workflowCode: 'loan' },
  ...{ definitionVersion: 2, deploymentId: 'd1', caseDefinitionKey: 'theCase' },
  ...{ name: 'Loan', state: 'completed', completable: false, startedBy: 'ann' },
  startedAt: '2026-03-01T09:00:00.000Z',
};
const at = '2026-03-01T09:30:00.000Z';
const about = { caseInstanceId: 'c1', at, by: 'bob' };
const item = {
  ...{ planItemInstanceId: 'i1', planItemId: 'pi', definitionKey: 'Item' },
  ...{ definitionType: 'humanTask' as const, name: 'Item', stageInstanceId: 's1' },
};
const of = { definitionId: 'd1:theCase', definitionKey: 'theCase', familyId: 'c1' };
const instance = { id: 'i1', planItemId: 'pi', name: 'Item', state: 'completed' as const };
const task = { candidateUsers: [], candidateGroups: ['clerks'], priority: 50, dueDate: at };

type Told = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Every kind of effect, and what others are told of it by default. */
const KINDS: {
  readonly [Type in Effect['type']]: readonly [Extract<Effect, { type: Type }> | Effect, Told];
} = {
  caseStarted: [
    { type: 'caseStarted', ...of, ...about },
    { 'workflow.process.started': { name: 'Loan', startedBy: 'ann' } },
  ],
  caseEnded: [
    { type: 'caseEnded', state: 'completed', cause: 'autoComplete', ...of, ...about },
    {
      'workflow.process.completed': {
        ...{ endState: 'completed', startedAt: head.startedAt, endedAt: at },
        ...{ durationMs: 1_800_000, cause: 'autoComplete' },
      },
    },
  ],
  caseSuspended: [{ type: 'caseSuspended', ...about }, { 'workflow.process.suspended': {} }],
  caseResumed: [{ type: 'caseResumed', ...about }, { 'workflow.process.resumed': {} }],
  caseReactivated: [
    { type: 'caseReactivated', ...of, ...about },
    { 'workflow.process.reactivated': {} },
  ],
  businessStatusChanged: [{ type: 'businessStatusChanged', businessStatus: 'x', ...about }, {}],
  variableChanged: [
    { type: 'variableChanged', change: 'create', name: 'secret', value: 'x', ...about },
    {},
  ],
  planItemTransition: [
    {
      type: 'planItemTransition',
      transition: 'complete',
      to: 'completed',
      cause: 'command',
      ...item,
      ...about,
    },
    {
      'workflow.step.completed': {
        ...{ planItemInstanceId: 'i1', planItemDefinitionKey: 'Item', type: 'humanTask' },
        ...{ name: 'Item', state: 'completed', completedBy: 'bob', outcome: 'approve' },
      },
    },
  ],
  caseCompletableChanged: [{ type: 'caseCompletableChanged', isCompletable: true, ...about }, {}],
  stageCompletableChanged: [
    { type: 'stageCompletableChanged', isCompletable: true, ...item, ...about },
    {},
  ],
  planItemEnded: [
    { type: 'planItemEnded', instance: { ...instance, createdAt: at }, ...item, ...about },
    {},
  ],
  milestoneReached: [
    { type: 'milestoneReached', ...item, ...about },
    { 'workflow.milestone.reached': { planItemDefinitionKey: 'Item', reachedAt: at } },
  ],
  taskCreated: [
    { type: 'taskCreated', task, ...item, ...about },
    {
      'workflow.task.created': {
        ...{ taskId: 'i1', engineTaskId: 'i1', name: 'Item', status: 'PENDING', dueDate: at },
        ...{ candidateGroups: ['clerks'], taskDefinitionKey: 'Item', caseName: 'Loan' },
      },
    },
  ],
  taskCompleted: [
    { type: 'taskCompleted', completedBy: 'bob', ...item, ...about },
    {
      'workflow.task.completed': {
        ...{ taskId: 'i1', status: 'COMPLETED', completedBy: 'bob', outcome: 'approve' },
      },
    },
  ],
  taskCancelled: [
    { type: 'taskCancelled', reason: 'exit', cause: 'parentCompleted', ...item, ...about },
    { 'workflow.task.cancelled': { status: 'CANCELLED', cancelReason: 'parentCompleted' } },
  ],
  taskSuspended: [{ type: 'taskSuspended', ...item, ...about }, {}],
  taskResumed: [{ type: 'taskResumed', ...item, ...about }, {}],
  timerScheduled: [{ type: 'timerScheduled', dueAt: at, ...item, ...about }, {}],
  timerCancelled: [{ type: 'timerCancelled', dueAt: at, ...item, ...about }, {}],
  timerFired: [
    { type: 'timerFired', dueAt: head.startedAt, ...item, ...about },
    { 'workflow.timer.fired': { dueAt: head.startedAt, firedAt: at, name: 'Item' } },
  ],
  timerCatchUpCapped: [{ type: 'timerCatchUpCapped', dueAt: at, ...item, ...about }, {}],
  signalSubscribed: [{ type: 'signalSubscribed', signalName: 's', ...item, ...about }, {}],
  signalUnsubscribed: [{ type: 'signalUnsubscribed', signalName: 's', ...item, ...about }, {}],
  externalWorkCreated: [
    { type: 'externalWorkCreated', topic: 't', variables: { secret: 1 }, ...item, ...about },
    {},
  ],
  externalWorkCancelled: [{ type: 'externalWorkCancelled', ...item, ...about }, {}],
  externalWorkFailed: [{ type: 'externalWorkFailed', reason: 'no', ...item, ...about }, {}],
  processRequested: [
    {
      type: 'processRequested',
      processInstanceId: 'p',
      processRef: 'r',
      variables: {},
      isBlocking: true,
      ...item,
      ...about,
    },
    {},
  ],
  processCancelled: [{ type: 'processCancelled', processInstanceId: 'p', ...item, ...about }, {}],
};

const tell = (effect: Effect, patterns: readonly string[] = ['*']) =>
  caseEvents({ effects: [effect], headOf: () => head, outcomes: { i1: 'approve' } }, patterns);

describe('events of a command', () => {
  it.each(Object.entries(KINDS))('tell of %s', (_type, [effect, expected]) => {
    const events = tell(effect);

    expect(events.map(({ topic }) => topic)).toEqual(Object.keys(expected));
    for (const { topic, caseInstanceId, data } of events) {
      expect(caseInstanceId).toBe('c1');
      expect(data).toMatchObject(expected[topic] ?? {});
    }
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it.each([
    ['completed', 'workflow.process.completed'],
    ['terminated', 'workflow.process.terminated'],
    ['failed', 'workflow.process.failed'],
  ] as const)('name the end of a case that is %s: %s', (state, topic) => {
    const [event] = tell({ type: 'caseEnded', state, ...of, ...about });

    expect(event).toMatchObject({ topic, data: { endState: state } });
  });

  it.each([
    ['create', []],
    ['start', ['workflow.step.started']],
    ['manualStart', ['workflow.step.started']],
    ['enable', ['workflow.step.enabled']],
    ['reenable', ['workflow.step.enabled']],
    ['disable', []],
    ['complete', ['workflow.step.completed']],
    ['occur', ['workflow.step.completed']],
    ['terminate', ['workflow.step.terminated']],
    ['exit', ['workflow.step.terminated']],
    ['fault', ['workflow.step.terminated']],
    ['suspend', []],
    ['resume', []],
    ['parentSuspend', []],
    ['parentResume', []],
    ['reactivate', []],
    ['initiate', []],
    ['dismiss', []],
  ] as const)(
    'of the transition %s are %j, and of a stage its own besides',
    (transition, topics) => {
      const effect = {
        type: 'planItemTransition',
        transition,
        to: 'active',
        ...item,
        ...about,
      } as const;

      const ofStep = tell(effect).map(({ topic }) => topic);
      const ofStage = tell({ ...effect, definitionType: 'stage' }).map(({ topic }) => topic);

      expect(ofStep).toEqual(topics);
      const own = topics
        .filter((topic) => !topic.endsWith('enabled'))
        .map((topic) => topic.replace('.step.', '.stage.'));
      expect(ofStage).toEqual([...topics, ...own]);
    },
  );

  it('that are left out are not among them, but for those of the specification', () => {
    const effects = Object.values(KINDS).map(([effect]) => effect);
    const events = caseEvents({ effects, headOf: () => head }, ['!*']);

    expect(events.map(({ topic }) => topic)).toEqual([
      'workflow.process.completed',
      'workflow.step.completed',
      'workflow.task.created',
    ]);
  });
});
