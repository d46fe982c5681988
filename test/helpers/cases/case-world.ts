import {
  type CaseServicesDependencies,
  createCaseServices,
} from '../../../functions/workflow/cases/services.ts';
import type {
  DefinitionReader,
  DeploymentFacts,
  LoadedCase,
} from '../../../functions/workflow/definitions/definition-reader.ts';
import type { Effect, Limits } from '../../../functions/workflow/domain/cmmn/index.ts';
import { createFiles } from '../../../shared/files/create-files.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { memoryStorage } from '../captured/memory-storage.ts';
import { compiled } from '../cmmn/cmmn.ts';
import { aContext, type TestContext } from '../world/a-context.ts';

/** A person who works on cases. */
export const aUser = (id: string, more: Partial<Principal> = {}): Principal => ({
  id,
  username: id,
  authenticated: true,
  roles: [],
  groups: [],
  permissions: [],
  claims: {},
  ...more,
});

interface WorldOptions {
  readonly deployment?: Partial<DeploymentFacts>;
  readonly limits?: Partial<Limits>;
  /** Topics of messages, by type of effect. */
  readonly told?: Readonly<Partial<Record<Effect['type'], string>>>;
  readonly svc?: Readonly<Record<string, unknown>>;
  /** Another environment of the same deployment. */
  readonly besides?: TestContext;
  /** Follows each command. */
  readonly afterCommit?: CaseServicesDependencies['afterCommit'];
}

/** Models that are deployed, and the services of cases over a table in memory. */
export async function aCaseWorld(models: readonly string[], options: WorldOptions = {}) {
  const { deployment = {}, limits, told, besides, svc, afterCommit } = options;
  const storage = memoryStorage();
  const context = aContext({ module: 'workflow', host: { storage }, besides, svc });
  const { files } = createFiles(context, {
    path: '/api/v1/files',
    keyPrefix: 'CASE',
    baseUrl: () => 'https://example.org',
  });
  const definitions = readerOf(
    (await compiled(...models)).map((definition, at) => ({
      id: `d${at}:${definition.key}`,
      definition,
      deployment: {
        deploymentId: `d${at}`,
        tenantCode: '',
        workflowCode: definition.key,
        version: 1,
        caseDefinitionKey: definition.key,
        taskVariables: [],
        uniqueBusinessKey: false,
        ...deployment,
      },
    })),
  );
  const services = createCaseServices(context, {
    definitions,
    files,
    limits,
    ...(afterCommit && { afterCommit }),
    eventsOf:
      told &&
      (({ effects }) =>
        effects.flatMap(({ type, caseInstanceId }) => {
          const topic = told[type];
          return topic ? [{ topic, caseInstanceId, data: {} }] : [];
        })),
  });
  const items = (prefix: string) =>
    context.db.items().filter(({ pk, sk }) => `${pk} / ${sk}`.startsWith(prefix));
  return { ...services, context, files, storage, definitions, items, db: context.db };
}

/** What `aCaseWorld` makes. */
export type CaseWorld = Awaited<ReturnType<typeof aCaseWorld>>;

/** A reader of definitions that are there. */
function readerOf(cases: readonly LoadedCase[]): DefinitionReader {
  const byKey = (tenantCode: string, key: string) =>
    cases.find(
      ({ definition, deployment }) =>
        deployment.tenantCode === tenantCode && definition.key === key,
    );
  return {
    load: async (id) => cases.find((found) => found.id === id),
    newest: async (tenantCode, code) => byKey(tenantCode, code) ?? byKey('', code),
    isDeployed: async (tenantCode, code) => byKey(tenantCode, code) !== undefined,
    noteUse: async () => undefined,
    newestCase: async (tenantCode, key) => byKey(tenantCode, key),
    run: async (work) =>
      work({
        byId: (id) => cases.find((found) => found.id === id),
        latest: (key, tenantId) => byKey(tenantId ?? '', key),
      }),
  };
}
