import { SWEEP_TASK } from '../../../functions/workflow/listeners.ts';
import { sameForAll } from '../../../shared/primitives/clock.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import type { FaultCloud } from './fault-cloud.ts';
import { localContext } from './local-context.ts';
import { outboxRows } from './run.ts';
import {
  caseOf,
  type workflowModule as Module,
  WORKFLOW,
  workflowModule,
} from './workflow-roles.ts';

/** Longer than every grace. */
const LATER_MS = 3_600_000;

/** An event of a case as it was stored to be sent. */
export interface CaseEvent {
  readonly topic: string;
  readonly data: {
    readonly sequence: number;
    readonly taskId?: string;
    readonly dueAt?: string;
    readonly planItemDefinitionKey?: string;
  };
}

/** What became of the cases of a run. */
export function workflowVerdict(cloud: () => FaultCloud) {
  const module = (): ReturnType<typeof Module> => workflowModule(localContext(cloud(), 'workflow'));
  return {
    module,

    async deploy(xml: string): Promise<void> {
      await module().services.deploymentService.deploy(
        { workflowCode: WORKFLOW, xml, resources: [], uniqueBusinessKey: true },
        systemPrincipal,
      );
    },

    idOf: async (businessKey: string): Promise<string> =>
      (await caseOf(module(), businessKey)) ?? '',

    /** What interrupted commands have left is done when the time of all that runs is over. */
    async sweepLater(): Promise<void> {
      const clock = sameForAll({ now: () => Date.now() + LATER_MS });
      const context = { ...localContext(cloud(), 'workflow'), clock, tenantClock: clock };
      await workflowModule(context).tasks?.[SWEEP_TASK]?.({});
    },

    /** Types of the commands of a case. */
    async historyOf(id: string): Promise<string[]> {
      const { reader } = module().services.cases;
      const types: string[] = [];
      let cursor: string | undefined;
      do {
        const found = await reader.history(id, systemPrincipal, { size: 200, cursor });
        types.push(...found.content.map(({ command }) => command.type));
        cursor = found.nextCursor;
      } while (cursor !== undefined);
      return types;
    },

    /** Keys of the open tasks of a case. */
    async openOf(id: string): Promise<string[]> {
      const { reader } = module().services.cases;
      const { content } = await reader.openTasks(id, systemPrincipal, { size: 200 });
      return content.map(({ taskDefinitionKey }) => taskDefinitionKey).sort();
    },
  };
}

/** The events of each case, in their order. */
export function eventsByCase(
  items: readonly Record<string, unknown>[],
): ReadonlyMap<string, readonly CaseEvent[]> {
  const events = outboxRows(items).map(({ topic, key, payload }) => ({
    ...{ topic: String(topic), key: String(key) },
    data: JSON.parse(String(payload)) as CaseEvent['data'],
  }));
  events.sort((a, b) => a.data.sequence - b.data.sequence);
  return Map.groupBy(events, ({ key }) => key);
}
