import * as z from 'zod';
import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { pageQuery } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { TASK_ORDERS } from '../../tasks/lists/task-planner.ts';
import { count, instant, keyText, tenantCode } from '../schema-parts.ts';

const flag = (meaning: string) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe(meaning);
const statuses = lazy(() => z.enum(['PENDING', 'CLAIMED', 'DELEGATED', 'SUSPENDED', 'COMPLETED']));
const orders = lazy(() =>
  z
    .string()
    .regex(
      new RegExp(`^(?:-?(?:${TASK_ORDERS.join('|')})|(?:${TASK_ORDERS.join('|')}),(?:asc|desc))$`),
      `must be ${TASK_ORDERS.join(', ')}, with - before it for the other direction`,
    )
    .default('-createdAt')
    .describe(
      'createdAt, dueDate (those without one last) or priority, with - before it for the other direction.',
    ),
);
/** `-dueDate`, and `dueDate,desc` as Spring clients write it. */
const toOrder = (sort: string) => ({
  order: TASK_ORDERS.find((name) => sort.includes(name)) ?? 'createdAt',
  isReverse: sort.startsWith('-') || sort.endsWith(',desc'),
});

const VARIABLE = 'var.';
const filterMembers = lazy(() => ({
  status: z
    .union([statuses(), z.array(statuses()).min(1)])
    .transform((given) => (typeof given === 'string' ? [given] : [...new Set(given)].sort()))
    .optional()
    .describe(
      'May be repeated. COMPLETED cannot be combined: it lists tasks completed by the caller, or by the assignee, newest completion first.',
    ),
  assignee: keyText('Who has them: me, or the id or username of a user.').optional(),
  candidateGroup: keyText('A group to which they are open.').optional(),
  includeAssigned: flag('Includes tasks that are open to the caller but claimed by another user.'),
  unassigned: flag('Only those that nobody has.'),
  entityType: keyText('Type of the business record; with entityId.').optional(),
  entityId: keyText('Id of the business record; with entityType.').optional(),
  workflowCode: keyText('Code of the workflow.').optional(),
  caseInstanceId: keyText('Id of the case.').optional(),
  taskDefinitionKey: keyText('Key of the task in its model.').optional(),
  priorityMin: z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .optional()
    .describe('Lowest priority.'),
  dueBefore: instant().optional().describe('Due at this instant or before.'),
  dueAfter: instant().optional().describe('Due at this instant or later.'),
  overdue: flag('Only those that are due already.'),
  search: z.string().min(1).max(255).optional().describe('Part of the name.'),
  createdBefore: instant().optional().describe('Created at this instant or before.'),
  createdAfter: instant().optional().describe('Created at this instant or later.'),
  tenantCode: tenantCode(),
}));
const variableFilters = lazy(() =>
  z.string().max(255).meta({
    title: 'variables',
    description:
      'Filters by variables that were named at deployment, as a JSON object: `{"var.city": "Hue"}` is sent as `var.city=Hue`.',
  }),
);

interface Filters {
  readonly [name: string]: unknown;
}

/** Rules of the filters; the other parameters are variables. */
function checkFilters(known: readonly string[], given: Filters, context: z.RefinementCtx): void {
  const unknown = Object.keys(given).filter(
    (name) => !known.includes(name) && !(name.startsWith(VARIABLE) && name !== VARIABLE),
  );
  if (unknown.length > 0) {
    context.addIssue({ code: 'unrecognized_keys', keys: unknown, input: given });
  }
  const { status } = given;
  if (Array.isArray(status) && status.length > 1 && status.includes('COMPLETED')) {
    const message = 'must have COMPLETED alone: other lists are of open tasks';
    context.addIssue({ code: 'custom', path: ['status'], message, input: status });
  }
  if ((given.entityType === undefined) !== (given.entityId === undefined)) {
    const message = 'must come with entityType';
    context.addIssue({ code: 'custom', path: ['entityId'], message, input: given.entityId });
  }
}

/** The variables of a query, by name. */
function variablesOf(query: Filters): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(query).filter(([name]) => name.startsWith(VARIABLE));
  if (found.length === 0) return undefined;
  return Object.fromEntries(
    found.map(([name, value]) => [name.slice(VARIABLE.length), String(value)]),
  );
}

const withRules = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z
    .object(shape)
    .catchall(variableFilters())
    .superRefine((given, context) => checkFilters(Object.keys(shape), given as Filters, context));

export const tasksQuery = ({ web }: Pick<PlatformConfig, 'web'>) =>
  withRules({ ...pageQuery(web), sort: orders(), count: count(), ...filterMembers() });
export const countQuery = lazy(() => withRules(filterMembers()));
export const pageOnly = ({ web }: Pick<PlatformConfig, 'web'>) => z.strictObject(pageQuery(web));
export const historyQuery = ({ web }: Pick<PlatformConfig, 'web'>) =>
  z.strictObject({ ...pageQuery(web), tenantCode: tenantCode() });

type FilterQuery = z.output<ReturnType<typeof countQuery>>;

/** A query as the services take it. */
export function toTaskQuery(query: FilterQuery & { readonly sort?: string | undefined }) {
  const { status, assignee, includeAssigned, overdue, dueBefore, sort = '-createdAt' } = query;
  const { candidateGroup, unassigned, entityType, entityId, workflowCode, caseInstanceId } = query;
  const { taskDefinitionKey, priorityMin, dueAfter, search, createdBefore, createdAfter } = query;
  return {
    filter: {
      ...{ statuses: status, candidateGroup, unassigned, entityType, entityId, workflowCode },
      ...{ caseInstanceId, taskDefinitionKey, priorityMin, dueAfter, search },
      ...{ createdBefore, createdAfter, variables: variablesOf(query as Filters) },
      dueBefore,
    },
    ...{ assignee, includeAssigned, overdue, tenantCode: query.tenantCode, ...toOrder(sort) },
  };
}
