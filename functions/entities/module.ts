import { createFiles } from '../../shared/files/create-files.ts';
import type { JobNotice } from '../../shared/jobs/job.ts';
import { JobRepository } from '../../shared/jobs/job-repository.ts';
import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { publicUrl } from '../../shared/primitives/public-url.ts';
import { apart } from '../../shared/store/unit-of-work.ts';
import { createSettingsServices, type SettingsServices } from '../settings/index.ts';
import { EntityAccess } from './access/entity-access.ts';
import { DynamicSecurityConfigurer } from './access/security-configurer.ts';
import { RecordPresenter } from './api/record-presenter.ts';
import { entitiesRoutes, FILES_PATH } from './api/routes.ts';
import { EntityCatalog } from './catalog/entity-catalog.ts';
import type { EntitiesConfig } from './configuration.ts';
import { DefinitionPublisher } from './definitions/definition-publisher.ts';
import { DefinitionService } from './definitions/definition-service.ts';
import { IndexBuild } from './definitions/index-build.ts';
import { ReferenceRegister } from './definitions/reference-register.ts';
import { SchemaService } from './definitions/schema-service.ts';
import { countInvalid } from './definitions/validation-check.ts';
import { JOB_TOPIC } from './events.ts';
import { JobLinks } from './jobs/job-links.ts';
import { JOB_STORAGE, JobService } from './jobs/job-service.ts';
import { listeners, SWEEP_TASK } from './listeners.ts';
import { QueryService } from './queries/query-service.ts';
import { ConflictFinder } from './records/conflict-finder.ts';
import { DeletionService } from './records/deletion-service.ts';
import { Maintenance } from './records/maintenance.ts';
import { RecordReader } from './records/record-reader.ts';
import { RecordService } from './records/record-service.ts';
import { RecordWriter } from './records/record-writer.ts';
import { DefinitionRepository } from './store/definition-repository.ts';
import { LargeValueStore } from './store/large-value-store.ts';
import { RecordCleaner } from './store/record-cleaner.ts';
import { RecordRepository } from './store/record-repository.ts';
import { RowJournal } from './store/row-journal.ts';
import { UploadRepository } from './store/upload-repository.ts';
import { BulkService } from './transfers/bulk-service.ts';
import { ExportService } from './transfers/export-service.ts';
import { ImportService } from './transfers/import-service.ts';
import { UploadService } from './transfers/upload-service.ts';
import { TreeService } from './trees/tree-service.ts';

/** The entities module and its services, for in-process use. */
export interface EntitiesModule extends Module {
  readonly services: ReturnType<typeof createServices>;
}

/** Builds the entities module (svc-cloud-dynamic): definitions and records. */
export function createEntitiesModule(context: ModuleContext<EntitiesConfig>): EntitiesModule {
  const settings = createSettingsServices(context);
  const services = createServices(context, settings);
  return {
    services,
    settings: settings.settingService,
    routes: entitiesRoutes(services, context.config),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      // A step consists of many idempotent transactions.
      handle: ({ payload }) => apart(() => services.jobService.run(payload as JobNotice)),
    })),
    tasks: {
      [SWEEP_TASK]: async () => ({
        rows: await services.journal.sweep(),
        jobs: await services.jobService.sweep(),
      }),
    },
  };
}

function createServices(
  context: ModuleContext<EntitiesConfig>,
  { encryptService }: SettingsServices,
) {
  const { files, links } = createFiles(context, {
    ...FILE_LINKS,
    baseUrl: () => publicUrl(context.config.web),
  });
  const definitions = new DefinitionRepository(context);
  const repository = new RecordRepository(context);
  const catalog = new EntityCatalog(definitions, context.clock);
  const access = new EntityAccess(context);
  const largeValues = new LargeValueStore(repository, files);
  const jobService = new JobService({
    ...context,
    module: 'entities',
    topic: JOB_TOPIC,
    repository: new JobRepository({ ...context, ...JOB_STORAGE }),
  });
  const journal = new RowJournal({ ...context, definitions, repository, largeValues });
  const conflicts = new ConflictFinder({ repository, largeValues, access });
  const writer = new RecordWriter({
    ...context,
    repository,
    largeValues,
    journal,
    encryptService,
    catalog,
    conflicts,
  });
  const reader = new RecordReader({ journal, writer, largeValues, access });
  const base = {
    ...context,
    reader,
    repository,
    definitions,
    catalog,
    access,
    largeValues,
    journal,
    writer,
    files,
  };
  const recordService = new RecordService(base);
  const queryService = new QueryService(base);
  const shared = { ...base, records: recordService, queries: queryService, jobs: jobService };
  const deletionService = new DeletionService(shared);
  const bulkService = new BulkService({ ...shared, deletions: deletionService });
  const exportService = new ExportService(shared);
  const importService = new ImportService({ ...shared, bulk: bulkService });
  const uploads = new UploadRepository(context);
  const uploadService = new UploadService({ ...shared, imports: importService, uploads });
  const ofDefinitions = {
    ...shared,
    references: new ReferenceRegister(definitions),
    publisher: new DefinitionPublisher({ ...context, access }),
  };
  const definitionService = new DefinitionService(ofDefinitions);
  const schemaService = new SchemaService({
    ...ofDefinitions,
    definitionService,
    countInvalid: (definition) => countInvalid(definition, queryService),
  });
  const cleaner = new RecordCleaner({ ...context, repository });
  registerJobs(jobService, { exportService, importService, cleaner, ...shared });
  return {
    catalog,
    access,
    definitionService,
    schemaService,
    recordReader: reader,
    recordService,
    deletionService,
    queryService,
    bulkService,
    exportService,
    importService,
    uploadService,
    jobService,
    journal,
    files,
    links,
    jobLinks: new JobLinks(files),
    presenter: new RecordPresenter(base),
    treeService: new TreeService(base),
    securityConfigurer: new DynamicSecurityConfigurer(definitions, context.config),
  };
}

type JobWorkers = ConstructorParameters<typeof Maintenance>[0] &
  ConstructorParameters<typeof IndexBuild>[0] & {
    readonly exportService: ExportService;
    readonly importService: ImportService;
  };

/** Routes of file links when the host's storage cannot issue links. */
const FILE_LINKS = { path: FILES_PATH, keyPrefix: 'DYN_LINK' };

/** Registers the handler of each kind of job. */
function registerJobs(
  jobs: JobService,
  { exportService, importService, ...workers }: JobWorkers,
): void {
  const indexBuild = new IndexBuild(workers);
  const maintenance = new Maintenance(workers);
  jobs.register('INDEX', { step: (job) => indexBuild.step(job) });
  jobs.register('EXPORT', exportService);
  jobs.register('IMPORT', importService);
  jobs.register('PURGE', { step: (job) => maintenance.purge(job) });
  jobs.register('CASCADE', { step: (job) => maintenance.clearReferences(job) });
  jobs.register('RECOUNT', { step: (job) => maintenance.recount(job) });
}
