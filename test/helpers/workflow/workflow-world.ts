import { createWorkflowModule, type WorkflowModule } from '../../../functions/workflow/module.ts';
import type { SvcConfig } from '../../../lib/modules.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import type { Host } from '../../../shared/host/host.ts';
import type { ModuleContext } from '../../../shared/lambda/module-context.ts';
import { type MemoryStorage, memoryStorage } from '../captured/memory-storage.ts';
import { type ApiRequest, aContext, connect } from '../world/a-context.ts';

/** Path of everything about cases. */
const CMMN = '/api/v1/workflow/cmmn';

/** The workflow module over a table and a storage in memory. */
export function workflowWorld(
  svc: Readonly<Record<string, unknown>> = {},
  storage: MemoryStorage = memoryStorage(),
  more: Host = {},
) {
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage, ...more };
  const context = aContext({ module: 'workflow', host, svc });
  let module: WorkflowModule | undefined;
  const connected = connect((given: ModuleContext<SvcConfig>) => {
    module = createWorkflowModule(given);
    return module;
  }, context);
  const services = (): WorkflowModule['services'] => {
    if (!module) throw new Error('The module is not made yet');
    return module.services;
  };
  type Rest = Omit<ApiRequest, 'method' | 'path'>;
  return {
    ...{ context, storage, services },
    ...{ runTask: connected.runTask, deliver: connected.deliver, call: connected.call },
    get: (path: string, rest: Rest = {}) =>
      connected.call({ method: 'GET', path: `${CMMN}${path}`, ...rest }),
    post: (path: string, body: unknown = undefined, rest: Omit<Rest, 'body'> = {}) =>
      connected.call({ method: 'POST', path: `${CMMN}${path}`, body, ...rest }),
    delete: (path: string, rest: Rest = {}) =>
      connected.call({ method: 'DELETE', path: `${CMMN}${path}`, ...rest }),
    /** Topics of what was published, in order. */
    topics: () => context.bus.events.map(({ type }) => type),
  };
}

export type WorkflowWorld = ReturnType<typeof workflowWorld>;
