/** What expressions can read of `caseInstance`, also with `getName()` and its like. */
export const CASE_PROPERTIES = [
  'id',
  'name',
  'businessKey',
  'businessStatus',
  'state',
  'completable',
  'definitionKey',
  'caseDefinitionId',
  'caseDefinitionKey',
  'parentId',
  'tenantId',
  'startTime',
  'startUserId',
  'endTime',
  'lastReactivationTime',
  'variables',
] as const;

/** What expressions can read of `planItemInstance`. */
export const PLAN_ITEM_PROPERTIES = [
  'id',
  'name',
  'state',
  'assignee',
  'completable',
  'elementId',
  'planItemDefinitionId',
  'planItemDefinitionType',
  'stageInstanceId',
  'caseInstanceId',
  'caseDefinitionId',
  'tenantId',
  'entryCriterionId',
  'exitCriterionId',
  'createTime',
  'referenceId',
  'variables',
] as const;

/** What expressions can read of `task`. */
export const TASK_PROPERTIES = [
  'id',
  'name',
  'description',
  'assignee',
  'owner',
  'priority',
  'dueDate',
  'formKey',
  'category',
  'taskDefinitionKey',
] as const;

interface RootObject {
  readonly properties: readonly string[];
  readonly methods: readonly string[];
}

/** The objects of the engine that expressions find by name, for the check of a model. */
const ROOT_OBJECTS: Readonly<Record<string, RootObject>> = {
  caseInstance: {
    properties: CASE_PROPERTIES,
    methods: ['getVariable', 'hasVariable', 'setVariable'],
  },
  planItemInstance: {
    properties: PLAN_ITEM_PROPERTIES,
    methods: ['getVariable', 'getVariableLocal', 'hasVariable', 'setVariable', 'setVariableLocal'],
  },
  task: { properties: TASK_PROPERTIES, methods: [] },
  planItemInstances: { properties: [], methods: [] },
};

/** The engine's object of that name, if any. */
export const rootObject = (name: string): RootObject | undefined =>
  Object.hasOwn(ROOT_OBJECTS, name) ? ROOT_OBJECTS[name] : undefined;

/** The property that a method reads: `getName` and `isName` read `name`; undefined: it reads none. */
export function propertyRead(method: string): string | undefined {
  const [, first, rest = ''] = /^(?:get|is)([A-Z])(.*)$/.exec(method) ?? [];
  return first && first.toLowerCase() + rest;
}

/** Methods of `planItemInstances`, for the check of a model. */
export const QUERY_METHODS: ReadonlySet<string> = new Set([
  'active',
  'available',
  'enabled',
  'disabled',
  'completed',
  'failed',
  'suspended',
  'terminated',
  'unavailable',
  'waitingForRepetition',
  'definitionId',
  'definitionIds',
  'name',
  'names',
  'currentStage',
  'onlyTerminal',
  'onlyNonTerminal',
  'count',
  'exists',
  'getDefinitionIds',
  'getDefinitionId',
  'getNames',
  'getName',
]);

/** Names under which expressions find objects of the engine, and names that mean something to the language. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'caseInstance',
  'planItemInstance',
  'planItemInstances',
  'task',
  '__proto__',
  'constructor',
  'prototype',
]);

/** Whether no variable can have the name. */
export const isReservedName = (name: string): boolean => name === '' || RESERVED_NAMES.has(name);
