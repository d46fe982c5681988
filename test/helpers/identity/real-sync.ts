import { IdentitySourceBeanRegistry } from '../../../functions/identity/identity-source-bean-registry.ts';
import { SourceConfigs } from '../../../functions/identity/sources/source-configs.ts';
import { createSourceSync } from '../../../functions/identity/sync/create-source-sync.ts';
import { type IdentityApi, reversing } from './identity-api.ts';
import { Machine } from './machine.ts';
import { memoryRunFiles } from './memory-run-files.ts';

/** The synchronisation of an API: it calls its sources, and writes into its table. */
export function realSync(
  { context, services: { users, departments } }: IdentityApi,
  encryption = reversing,
) {
  const machine = new Machine();
  const stored = new Map<string, Uint8Array>();
  /** Whatever was in a file at some time. */
  const written: string[] = [];
  const { set } = stored;
  stored.set = (path, body) => {
    written.push(Buffer.from(body).toString());
    return set.call(stored, path, body);
  };
  const { idp } = context.config;
  const created = createSourceSync(context, {
    ...{ users, departments, executions: machine, schedules: undefined },
    files: memoryRunFiles(stored),
    configs: new SourceConfigs(encryption),
    providers: new IdentitySourceBeanRegistry({
      ...{ clock: context.machineClock, pause: async () => undefined },
      idp: { ...idp, requestsPerSecond: 1_000 },
    }),
  });
  machine.tasks = created.tasks;
  return { ...created, machine, written };
}
