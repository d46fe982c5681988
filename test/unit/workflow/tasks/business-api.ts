import { createWorkflowModule } from '../../../../functions/workflow/module.ts';
import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../../../../shared/host/claims-policies.ts';
import type { Host } from '../../../../shared/host/host.ts';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';
import { storeEncryptionKey } from '../../entities/encryption-key.ts';
import { anEntitiesApi, RECORDS } from '../../entities/entities-api.ts';
import { ann, type Body, idsOf, operator, TASKS } from './tasks-api.ts';

const CMMN = '/api/v1/workflow/cmmn';

/** A loan with a field of each kind that is stored in its own way. */
export const aLoan = (more: object = {}, properties: object = {}) => ({
  code: 'loan',
  name: 'Loan',
  requirePermission: true,
  options: { history: true, events: 'ids' },
  uiSchemaJson: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      city: { type: 'string', 'x-searchable': true },
      amount: { type: 'integer', minimum: 1 },
      number: { type: 'string', 'x-unique': true },
      tax: { type: 'string', 'x-encrypted': true },
      story: { type: 'string', maxLength: 20_000 },
      friend: { type: 'string', 'x-reference': { entity: 'loan' } },
      ...properties,
    },
  },
  ...more,
});

interface BusinessOptions {
  readonly definition?: object;
  readonly ports?: Readonly<Record<string, boolean>>;
  readonly svc?: object;
}

/** Cases on loans, over one table: the module of cases binds the ports of records. @param model of the workflow `work` */
export async function aBusinessApi(
  model: string | undefined,
  { definition = aLoan(), ports, svc }: BusinessOptions = {},
) {
  const host: Host = {
    storage: memoryStorage(),
    permissionEvaluator: claimsPermissionEvaluator,
    workflowTaskAuthorizationService: claimsTaskAuthorization,
  };
  const entities = anEntitiesApi({ host });
  await storeEncryptionKey(entities.context);
  await entities.define(definition as Body);
  const context = aContext({
    ...{ module: 'workflow', host, besides: entities.context },
    svc: { mq: { transport: 'broker', 'app-code': 'shop' }, ...svc },
  });
  const environment = { ...context.environment, ...(ports && { ports }) };
  const { call } = connect(createWorkflowModule, { ...context, environment });
  const post = (path: string, body: unknown, caller: TestClaims, headers = {}) =>
    call({ method: 'POST', path, body, caller, headers });
  if (model !== undefined) {
    await post(`${CMMN}/deployments`, { workflowCode: 'work', xml: model }, operator);
  }
  const aRecord = async (values: Body) =>
    String((await entities.post(`${RECORDS}/loan`, values)).body.id);
  return {
    ...{ entities, context, call, post, aRecord },
    /** Starts a case on a record. */
    start: async (entityId: string, more: object = {}): Promise<Body> => {
      const about = { workflowCode: 'work', entityType: 'loan', entityId, ...more };
      return (await post(`${CMMN}/cases`, about, operator)).body;
    },
    getCase: async (id: unknown): Promise<Body> =>
      (await call({ method: 'GET', path: `${CMMN}/cases/${id}`, caller: operator })).body,
    record: async (id: string): Promise<Body> => (await entities.get(`${RECORDS}/loan/${id}`)).body,
    recordHistory: async (id: string) =>
      (await entities.get(`${RECORDS}/loan/${id}/history`)).body.content as readonly Body[],
    complete: (taskId: string, body: object, caller: TestClaims = ann, headers = {}) =>
      post(`${TASKS}/${taskId}/complete`, body, caller, headers),
    taskOf: (started: Body): string => idsOf(started.tasks)[0] ?? '',
  };
}
