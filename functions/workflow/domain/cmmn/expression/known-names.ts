/** Names and methods of the root objects, for the check of a model. */
export const ROOT_METHODS: Readonly<Record<string, readonly string[]>> = {
  caseInstance: ['getVariable', 'hasVariable', 'setVariable'],
  planItemInstance: [
    'getVariable',
    'getVariableLocal',
    'hasVariable',
    'setVariable',
    'setVariableLocal',
  ],
  task: [],
};

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
