import { allOnDemand, once } from '../../shared/primitives/once.ts';
import type { DefinitionServiceDependencies } from './definitions/definition-service.ts';
import type { createDeletions } from './deletions/services.ts';
import type { QueryServiceDependencies } from './queries/query-service.ts';
import type { SeldomDependencies } from './seldom-services.ts';

/** What lists, searches and counts. */
export function queriesOnDemand(dependencies: QueryServiceDependencies) {
  const load = once(async () => {
    const { QueryService } = await import('./queries/query-service.ts');
    return { queries: new QueryService(dependencies) };
  });
  return allOnDemand(load).queries;
}

/** What declares and changes entities. */
export function definitionsOnDemand(dependencies: DefinitionServiceDependencies) {
  const load = once(async () => {
    const { DefinitionService } = await import('./definitions/definition-service.ts');
    return { definitions: new DefinitionService(dependencies) };
  });
  return allOnDemand(load).definitions;
}

/** What deletes records. */
export const deletionsOnDemand = (...given: Parameters<typeof createDeletions>) =>
  allOnDemand(
    once(async () => {
      const { createDeletions } = await import('./deletions/services.ts');
      return createDeletions(...given);
    }),
  );

/**
 * The services that few calls need, and the work of jobs. One file holds them all: each file that a start shares with one
 * loaded later would be one more to read at the start.
 */
export function servicesOnDemand(dependencies: SeldomDependencies) {
  const load = once(async () => {
    const { createSeldomServices } = await import('./seldom-services.ts');
    return createSeldomServices(dependencies);
  });
  const services = allOnDemand(load);
  const { indexBuild, recount, massChangeJob, reEncryptionJob } = services;
  const { jobs } = dependencies;
  jobs.register('BULK_UPDATE', massChangeJob);
  jobs.register('BULK_DELETE', massChangeJob);
  jobs.register('INDEX', indexBuild);
  jobs.register('RECOUNT', { step: recount.step, clear: indexBuild.clear });
  jobs.register('EXPORT', services.exportJob);
  jobs.register('IMPORT', services.importJob);
  jobs.register('PURGE', { step: services.entityPurge.step });
  jobs.register('CASCADE', { step: services.referenceClearing.step });
  jobs.register('RE_ENCRYPT', reEncryptionJob);
  const { bulkService, exportService, importService, attachmentService, uploadService } = services;
  const { massChangeService, schemaService, treeService, aggregateService } = services;
  return {
    ...{ bulkService, exportService, importService, attachmentService, uploadService },
    ...{ massChangeService, schemaService, treeService, aggregateService, reEncryptionJob },
  };
}
