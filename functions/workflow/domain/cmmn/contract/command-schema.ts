import * as z from 'zod';
import type { Command, CommandType } from './command.ts';

type CommandOf<Type extends CommandType> = Extract<Command, { type: Type }>;

/** One schema for each member of a command of the type, so that none is forgotten. */
type Members<Type extends CommandType> = Required<{
  readonly [Member in Exclude<keyof CommandOf<Type>, 'type'>]: z.ZodType;
}>;

const id = z.string().min(1);
const text = z.string().optional();
const names = z.array(z.string());
const roles = names.optional();
const flag = z.boolean().optional();
/** Types and sizes of variables are validated elsewhere. */
const variables = z.unknown().optional();

const withTasks = { tasks: z.record(z.string(), z.looseObject({})).optional() };
const ofCase = { ...withTasks, caseInstanceId: id.optional() };
const withVariables = { variables, transientVariables: variables };
const ofPlanItem = {
  ...withTasks,
  ...withVariables,
  planItemInstanceId: id,
  localVariables: variables,
};

const MEMBERS: { readonly [Type in CommandType]: Members<Type> } = {
  start: {
    ...ofCase,
    ...withVariables,
    definitionKey: text,
    definitionId: text,
    tenantId: text,
    name: text,
    businessKey: text,
    businessStatus: text,
  },
  completeTask: ofPlanItem,
  trigger: { ...ofPlanItem, roles },
  enable: ofPlanItem,
  disable: ofPlanItem,
  startPlanItem: { ...ofPlanItem, childVariables: variables },
  terminatePlanItem: ofPlanItem,
  completeStage: { ...ofPlanItem, force: flag },
  setLocalVariables: { ...withTasks, planItemInstanceId: id, variables: z.looseObject({}) },
  removeLocalVariables: { ...withTasks, planItemInstanceId: id, names },
  suspendPlanItem: ofPlanItem,
  resumePlanItem: ofPlanItem,
  completeExternalWork: ofPlanItem,
  failExternalWork: { ...ofPlanItem, reason: text },
  endProcess: {
    ...ofPlanItem,
    outcome: z.enum(['completed', 'terminated', 'failed']),
    processVariables: variables,
  },
  fireTimer: { ...withTasks, planItemInstanceId: id, dueAt: text },
  completeCase: { ...ofCase, ...withVariables, force: flag },
  terminate: ofCase,
  suspend: ofCase,
  resume: ofCase,
  reactivate: { ...ofCase, ...withVariables },
  setVariables: { ...ofCase, ...withVariables },
  removeVariables: { ...ofCase, names },
  evaluate: ofCase,
  signal: { ...ofCase, ...withVariables, name: z.string().min(1) },
  plan: {
    ...ofCase,
    ...withVariables,
    discretionaryItemId: id,
    containerInstanceId: id.optional(),
    roles,
  },
};

const schemas = new Map<unknown, z.ZodType>(
  Object.entries(MEMBERS).map(([type, members]) => [type, z.object(members)]),
);

/** What is wrong with the form of a command; undefined: nothing, or the command is unknown. */
export function wrongWithForm(command: unknown): string | undefined {
  if (command === null || typeof command !== 'object') return 'it is not an object';
  const schema = schemas.get('type' in command ? command.type : undefined);
  const [issue] = schema?.safeParse(command).error?.issues ?? [];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}
