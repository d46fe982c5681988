import { pageOf } from '../page-example.ts';
import { task } from '../tasks/task-examples.ts';

const processInstanceId = '01920000-0000-7000-8000-000000000011';
const taskId = '01920000-0000-7000-8000-000000000012';
const at = '2026-03-01T09:30:00.000Z';

/** A process with one task. */
export const xml = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn" id="d" targetNamespace="http://example.org">
  <process id="order" name="Order" isExecutable="true">
    <startEvent id="start"/>
    <userTask id="approve" name="Approve the order" flowable:candidateGroups="clerks"/>
    <endEvent id="end"/>
    <sequenceFlow id="toApprove" sourceRef="start" targetRef="approve"/>
    <sequenceFlow id="toEnd" sourceRef="approve" targetRef="end"/>
  </process>
</definitions>`;

export const newDefinition = { code: 'order', xml };
export const definition = {
  definitionId: '01920000-0000-7000-8000-000000000010',
  workflowCode: 'order',
  processKey: 'order',
  name: 'Order',
  tenantCode: '',
  version: 1,
  contentHash: 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2',
  deployedAt: at,
  deployedBy: 'mai',
  warnings: [],
};
export const definitionPage = pageOf(definition);
export const newProcess = {
  workflowCode: 'order',
  businessKey: 'O-2026-17',
  variables: { amount: 250 },
};
const head = {
  processInstanceId,
  workflowCode: 'order',
  processKey: 'order',
  definitionVersion: 1,
  tenantCode: '',
  name: 'Order',
  businessKey: 'O-2026-17',
  state: 'waiting',
  startedBy: 'mai',
  startedAt: at,
};
export const process = {
  ...head,
  activities: [
    {
      executionId: taskId,
      activityId: 'approve',
      type: 'userTask',
      name: 'Approve the order',
      waitsFor: 'task',
      taskId,
    },
  ],
  variables: { amount: 250 },
  version: 1,
};
export const processPage = pageOf(head);
export const tasks = {
  tasks: [
    {
      ...task,
      ...{ taskId, engineTaskId: taskId, planItemInstanceId: taskId, engine: 'BPMN' },
      ...{ taskDefinitionKey: 'approve', name: 'Approve the order', workflowCode: 'order' },
      ...{ caseInstanceId: processInstanceId, processInstanceId },
    },
  ],
};
export const signal = { activityId: 'paid', payload: { paid: true } };
export const message = { messageName: 'Paid', payload: { paid: true } };
export const report = { valid: true, processKey: 'order', errors: [], warnings: [] };
export const drawing = {
  processKey: 'order',
  name: 'Order',
  elements: [
    { id: 'start', type: 'startEvent', name: 'start' },
    { id: 'approve', type: 'userTask', name: 'Approve the order' },
    { id: 'end', type: 'endEvent', name: 'end' },
  ],
  flows: [
    { id: 'toApprove', sourceId: 'start', targetId: 'approve' },
    { id: 'toEnd', sourceId: 'approve', targetId: 'end' },
  ],
};
export const simulation = { xml, variables: { amount: 250 }, decisions: { approve: { ok: true } } };
export const simulated = {
  outcome: 'completed',
  steps: [
    { type: 'activityStarted', id: 'start' },
    { type: 'activityCompleted', id: 'start' },
    { type: 'flowTaken', id: 'toApprove' },
  ],
  waiting: [],
  variables: { amount: 250, ok: true },
};
