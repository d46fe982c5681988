import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../../../../shared/host/claims-policies.ts';
import type { Host } from '../../../../shared/host/host.ts';
import { type TestClaims, testSecurity } from '../../../helpers/api/test-tokens.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

export const PROCESSES = '/api/v1/process-instance';
export const ann: TestClaims = { sub: 'ann', groups: ['clerks'] };
export const operator: TestClaims = { sub: 'op', roles: ['admin'] };

const broker = { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } };

export interface Activity {
  readonly executionId: string;
  readonly activityId: string;
  readonly taskId?: string;
}

/** The module with processes switched on, and one of them deployed as `order`. */
export async function aProcessApi(xml: string, more: Partial<Host> = {}, svc: object = {}) {
  const world = workflowWorld(
    {
      security: { ...testSecurity, 'test-clock': true },
      mq: broker,
      workflow: { 'bpmn-endpoints-enabled': true },
      ...svc,
    },
    memoryStorage(),
    {
      permissionEvaluator: claimsPermissionEvaluator,
      workflowTaskAuthorizationService: claimsTaskAuthorization,
      ...more,
    },
  );
  const send = (
    method: string,
    path: string,
    body?: unknown,
    caller: TestClaims = operator,
    headers?: Record<string, string>,
  ) => world.call({ method, path, body, caller, headers });
  const deployed = await send('POST', `${PROCESSES}/definitions`, { code: 'order', xml });
  if (deployed.status !== 201) throw new Error(deployed.text);
  return {
    ...world,
    send,
    deployed: deployed.body,
    /** Starts an instance. */
    start: async (variables: object = {}) => {
      const given = { workflowCode: 'order', variables };
      const { body, status, text } = await send('POST', `${PROCESSES}/start`, given);
      if (status !== 201) throw new Error(text);
      const activities = body.activities as readonly Activity[];
      return { id: String(body.processInstanceId), body, activities };
    },
    read: async (id: string) => (await send('GET', `${PROCESSES}/${id}`)).body,
    waiting: async (id: string) =>
      ((await send('GET', `${PROCESSES}/${id}`)).body.activities as readonly Activity[])
        .map(({ activityId }) => activityId)
        .sort(),
    /** Data of the events of a topic. */
    events: (topic: string) =>
      world.context.bus.events
        .filter(({ type }) => type === topic)
        .map(({ envelope }) => envelope.data as Record<string, unknown>),
  };
}
