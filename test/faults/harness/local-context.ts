import type { EntitiesConfig } from '../../../functions/entities/configuration.ts';
import type { WorkflowConfig } from '../../../functions/workflow/configuration.ts';
import { sections } from '../../../functions/workflow/module.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import { defineHost } from '../../../shared/host/host.ts';
import { createContext } from '../../../shared/lambda/create-context.ts';
import { readEnvironment } from '../../../shared/lambda/environment.ts';
import type { ModuleContext } from '../../../shared/lambda/module-context.ts';
import type { FaultCloud } from './fault-cloud.ts';

/** The context of a function over the local cloud of a run, in the process of the test. */
export function localContext(
  { environment }: Pick<FaultCloud, 'environment'>,
  module: string,
  { svc = {}, topology = {} }: { svc?: object; topology?: object } = {},
): ModuleContext<EntitiesConfig & WorkflowConfig> {
  Object.assign(process.env, environment);
  const config = {
    mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } },
    ...svc,
  };
  const variables = {
    ...environment,
    SVC_MODULE: module,
    SVC_CONFIG: JSON.stringify(config),
    SVC_MESSAGING: JSON.stringify(topology),
  };
  return createContext(
    readEnvironment<(typeof sections)[number]>(variables, ...sections),
    defineHost({ permissionEvaluator: claimsPermissionEvaluator }),
  );
}
