import { once, onDemand } from '../../shared/primitives/once.ts';
import type { DefinitionServiceDependencies } from './definitions/definition-service.ts';
import type { createDeletions } from './deletions/services.ts';
import type { JobService } from './jobs/job-service.ts';
import type { QueryServiceDependencies } from './queries/query-service.ts';
import type { SeldomDependencies, SeldomServices } from './seldom-services.ts';

/** What lists, searches and counts. */
export function queriesOnDemand(dependencies: QueryServiceDependencies) {
  const load = once(async () => {
    const { QueryService } = await import('./queries/query-service.ts');
    return { queries: new QueryService(dependencies) };
  });
  return onDemand(load, 'queries', 'list', 'count', 'facets', 'referringTo', 'knowsField');
}

/** What declares and changes entities. */
export function definitionsOnDemand(dependencies: DefinitionServiceDependencies) {
  const load = once(async () => {
    const { DefinitionService } = await import('./definitions/definition-service.ts');
    return { service: new DefinitionService(dependencies) };
  });
  return onDemand(load, 'service', 'create', 'get', 'list', 'update', 'delete', 'restore');
}

/** What deletes records. */
export function deletionsOnDemand(...given: Parameters<typeof createDeletions>) {
  const load = once(async () => {
    const { createDeletions } = await import('./deletions/services.ts');
    return createDeletions(...given);
  });
  return {
    deletionService: onDemand(load, 'deletionService', 'delete', 'preview'),
    subtreeJob: onDemand(load, 'subtreeJob', 'step'),
    openWorkSweep: onDemand(load, 'openWorkSweep', 'run'),
    trashExpiry: onDemand(load, 'trashExpiry', 'run'),
  };
}

/**
 * The services that few calls need. One file holds them all: each file that a start shares with one loaded later would be
 * one more to read at the start.
 */
export function servicesOnDemand(dependencies: SeldomDependencies) {
  const load = once(async () => {
    const { createSeldomServices } = await import('./seldom-services.ts');
    return createSeldomServices(dependencies);
  });
  const reEncryptionJob = onDemand(load, 'reEncryptionJob', 'step', 'clear', 'takeRound');
  registerJobs(dependencies.jobs, {
    indexBuild: onDemand(load, 'indexBuild', 'step', 'clear'),
    exportJob: onDemand(load, 'exportJob', 'step', 'clear'),
    importJob: onDemand(load, 'importJob', 'step', 'clear'),
    massChangeJob: onDemand(load, 'massChangeJob', 'step', 'clear'),
    recount: onDemand(load, 'recount', 'step'),
    maintenance: onDemand(load, 'maintenance', 'purge', 'clearReferences'),
    reEncryptionJob,
  });
  return {
    bulkService: onDemand(load, 'bulkService', 'run', 'createMany'),
    exportService: onDemand(load, 'exportService', 'export'),
    importService: onDemand(load, 'importService', 'import'),
    attachmentService: onDemand(load, 'attachmentService', 'announce', 'status', 'linked'),
    massChangeService: onDemand(load, 'massChangeService', 'start'),
    uploadService: onDemand(load, 'uploadService', 'announce', 'status', 'import'),
    schemaService: onDemand(load, 'schemaService', 'versions', 'version', 'update', 'recount'),
    treeService: onDemand(load, 'treeService', 'tree'),
    aggregateService: onDemand(load, 'aggregateService', 'aggregate'),
    reEncryptionJob,
  };
}

interface JobWorkers {
  readonly indexBuild: Pick<SeldomServices['indexBuild'], 'step' | 'clear'>;
  readonly recount: Pick<SeldomServices['recount'], 'step'>;
  readonly exportJob: Pick<SeldomServices['exportJob'], 'step' | 'clear'>;
  readonly importJob: Pick<SeldomServices['importJob'], 'step' | 'clear'>;
  readonly massChangeJob: Pick<SeldomServices['massChangeJob'], 'step' | 'clear'>;
  readonly reEncryptionJob: Pick<SeldomServices['reEncryptionJob'], 'step' | 'clear'>;
  readonly maintenance: Pick<SeldomServices['maintenance'], 'purge' | 'clearReferences'>;
}

/** Registers the work of each kind of job. */
function registerJobs(jobs: JobService, workers: JobWorkers): void {
  const { indexBuild, exportJob, importJob, reEncryptionJob, maintenance, recount } = workers;
  jobs.register('BULK_UPDATE', workers.massChangeJob);
  jobs.register('BULK_DELETE', workers.massChangeJob);
  jobs.register('INDEX', indexBuild);
  jobs.register('EXPORT', exportJob);
  jobs.register('IMPORT', importJob);
  jobs.register('PURGE', { step: (job) => maintenance.purge(job) });
  jobs.register('CASCADE', { step: (job) => maintenance.clearReferences(job) });
  jobs.register('RE_ENCRYPT', reEncryptionJob);
  jobs.register('RECOUNT', { step: recount.step, clear: indexBuild.clear });
}
