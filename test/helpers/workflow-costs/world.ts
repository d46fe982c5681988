import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { createWorkflowModule } from '../../../functions/workflow/module.ts';
import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../../../shared/host/claims-policies.ts';
import type { Host } from '../../../shared/host/host.ts';
import type { TestClaims } from '../api/test-tokens.ts';
import { memoryStorage } from '../captured/memory-storage.ts';
import { caseXml } from '../workflow/case-xml.ts';
import { type ApiAnswer, aContext, connect } from '../world/a-context.ts';

export const TASKS = '/api/v1/tasks';
const CMMN = '/api/v1/workflow/cmmn';
/** Group of the task that is measured. */
export const GROUP = 'clerks';
export const ann: TestClaims = { sub: 'ann', groups: [GROUP] };

/** Collections of a case have 200 entries at most, so that a thousand tasks need several. */
const COLLECTIONS = 5;

/** One task that is measured, and others for each entry of a collection. */
export const MODEL = caseXml({
  key: 'measured',
  plan: [
    '<planItem id="piReview" definitionRef="review"/>',
    `<humanTask id="review" name="Review" flowable:candidateGroups="${GROUP}" flowable:dueDate="2027-01-01T00:00:00.000Z"/>`,
    ...Array.from({ length: COLLECTIONS }, (_, at) => eachTask(`each${at}`)),
  ].join(''),
});

function eachTask(id: string): string {
  return `<planItem id="pi${id}" definitionRef="${id}"><itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl></planItem>
    <humanTask id="${id}" name="${id}" flowable:candidateGroups="others"/>`;
}

const LOAN = {
  code: 'loan',
  name: 'Loan',
  uiSchemaJson: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      status: { type: 'string', enum: ['open', 'closed'] },
      amount: { type: 'integer' },
    },
  },
};

/** A case that was started, and its task. */
export interface StartedCase {
  readonly caseInstanceId: string;
  readonly taskId: string;
}

/** Workflow and entities over one table in memory, with a deployed model and an entity. */
export async function aWorkflowCostWorld() {
  const host: Host = {
    storage: memoryStorage(),
    permissionEvaluator: claimsPermissionEvaluator,
    workflowTaskAuthorizationService: claimsTaskAuthorization,
  };
  const svc = { mq: { transport: 'broker', 'app-code': 'bench' } };
  const besides = aContext({ module: 'entities', host, svc });
  const entities = connect(createEntitiesModule, besides);
  const context = aContext({ module: 'workflow', host, svc, besides });
  const { call } = connect(createWorkflowModule, context);
  const post = async (path: string, body: unknown, caller?: TestClaims): Promise<ApiAnswer> =>
    succeeded(await call({ method: 'POST', path, body, ...(caller && { caller }) }));
  const definitions = '/api/v1/entity-definitions';
  succeeded(await entities.call({ method: 'POST', path: definitions, body: LOAN }));
  await post(`${CMMN}/deployments`, { workflowCode: 'measured', xml: MODEL });
  return {
    context,
    post,
    get: async (path: string): Promise<ApiAnswer> =>
      succeeded(await call({ method: 'GET', path, caller: ann })),
    aRecord: async (): Promise<string> => {
      const request = { method: 'POST', path: '/api/v1/dynamic/loan', body: { name: 'An' } };
      return String(succeeded(await entities.call(request)).body.id);
    },
    /** Starts a case with so many open tasks besides the one that is measured. */
    start: async (others = 0, more: object = {}): Promise<StartedCase> => {
      const variables = { all: Array.from({ length: others / COLLECTIONS }, (_, at) => at) };
      const body = { workflowCode: 'measured', variables, ...more };
      const { body: started } = await post(`${CMMN}/cases`, body);
      const tasks = started.tasks as readonly { taskId: string; name: string }[];
      const review = tasks.find(({ name }) => name === 'Review');
      return {
        caseInstanceId: String(started.caseInstanceId),
        taskId: String(review?.taskId),
      };
    },
  };
}

export type WorkflowCostWorld = Awaited<ReturnType<typeof aWorkflowCostWorld>>;

function succeeded(answer: ApiAnswer): ApiAnswer {
  if (answer.status >= 400) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}
