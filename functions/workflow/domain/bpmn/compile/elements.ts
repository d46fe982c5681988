/** Elements that tokens come by, and that are carried out. */
export const ACTIVITIES: ReadonlySet<string> = new Set([
  'startEvent',
  'endEvent',
  'intermediateCatchEvent',
  'intermediateThrowEvent',
  'boundaryEvent',
  'task',
  'manualTask',
  'userTask',
  'receiveTask',
  'serviceTask',
  'subProcess',
  'exclusiveGateway',
  'parallelGateway',
  'inclusiveGateway',
  'eventBasedGateway',
]);

/** Elements that say nothing to the engine. */
export const SILENT: ReadonlySet<string> = new Set([
  'documentation',
  'extensionElements',
  'laneSet',
  'textAnnotation',
  'association',
  'group',
  'dataObject',
  'dataObjectReference',
  'dataStoreReference',
]);

/** Elements of BPMN that are refused, each with the reason. Any other name is not an element of a process. */
export const REFUSED: Readonly<Record<string, string>> = {
  scriptTask: 'scripts are not run',
  businessRuleTask: 'processes call no decisions',
  sendTask: 'processes send no messages',
  callActivity: 'processes call no other processes; a case can, with process tasks',
  transaction: 'transactions are not supported',
  adHocSubProcess: 'ad-hoc sub-processes are what cases are for',
  complexGateway: 'complex gateways are not supported',
  implicitThrowEvent: 'implicit events are not supported',
  choreographyTask: 'choreographies are not run',
  subChoreography: 'choreographies are not run',
  property: 'variables are those of the process',
  ioSpecification: 'variables are those of the process',
};

/** Definitions that events may have, by event; an event has at most one. */
export const EVENT_DEFINITIONS: Readonly<Record<string, readonly string[]>> = {
  startEvent: [],
  endEvent: ['terminateEventDefinition', 'errorEventDefinition', 'signalEventDefinition'],
  intermediateThrowEvent: ['signalEventDefinition'],
  intermediateCatchEvent: [
    'timerEventDefinition',
    'messageEventDefinition',
    'signalEventDefinition',
  ],
  boundaryEvent: [
    'timerEventDefinition',
    'messageEventDefinition',
    'signalEventDefinition',
    'errorEventDefinition',
  ],
};

/** What repeats over a collection or a number. */
export const REPEATABLE: ReadonlySet<string> = new Set(['task', 'userTask', 'subProcess']);
/** What events may be attached to. */
export const ATTACHABLE: ReadonlySet<string> = new Set([
  'task',
  'manualTask',
  'userTask',
  'receiveTask',
  'serviceTask',
  'subProcess',
]);
