import type { Files } from '../../shared/files/files.ts';
import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { ReEncryption } from '../../shared/ports/re-encryption.ts';
import type { EntityAccess } from './access/entity-access.ts';
import { AttachmentService } from './attachments/attachment-service.ts';
import type { EntityCatalog } from './catalog/entity-catalog.ts';
import type { EntitiesConfig } from './configuration.ts';
import type { DefinitionPublisher } from './definitions/definition-publisher.ts';
import type { DefinitionService } from './definitions/definition-service.ts';
import { EntityPurge } from './definitions/entity-purge.ts';
import { IndexBuild } from './definitions/index-build.ts';
import { Recount } from './definitions/recount.ts';
import type { ReferenceRegister } from './definitions/reference-register.ts';
import { SchemaService } from './definitions/schema-service.ts';
import type { DeletionService } from './deletions/deletion-service.ts';
import { ReferenceClearing } from './deletions/reference-clearing.ts';
import type { JobService } from './jobs/job-service.ts';
import { createMassChanges } from './mass-changes/services.ts';
import { AggregateService } from './queries/aggregate-service.ts';
import type { CursorSeal } from './queries/cursor-seal.ts';
import { QueryService } from './queries/query-service.ts';
import { RecordWalk } from './queries/record-walk.ts';
import { RelatedRecords } from './queries/related-records.ts';
import { Searches } from './queries/searches.ts';
import { ConflictFinder } from './records/conflict-finder.ts';
import { ExpandedRecords } from './records/expanded-records.ts';
import { ReEncryptionJob } from './records/re-encryption-job.ts';
import type { RecordDrafts } from './records/record-drafts.ts';
import type { RecordFiles } from './records/record-files.ts';
import type { RecordReader } from './records/record-reader.ts';
import { RecordRewrite } from './records/record-rewrite.ts';
import type { RecordService } from './records/record-service.ts';
import type { RecordWriter } from './records/record-writer.ts';
import { JobNotes } from './rehearsals/job-notes.ts';
import { KeptRehearsals } from './rehearsals/kept-rehearsals.ts';
import type { DefinitionRepository } from './store/definition-repository.ts';
import type { DeletionMarks } from './store/deletion-marks.ts';
import type { HistoryRepository } from './store/history-repository.ts';
import type { AttachmentRepository } from './store/jobs/attachment-repository.ts';
import { ImportPlaces } from './store/jobs/import-places.ts';
import { UploadRepository } from './store/jobs/upload-repository.ts';
import type { OpenWork } from './store/open-work.ts';
import { RecordCleaner } from './store/record-cleaner.ts';
import type { RecordRepository } from './store/record-repository.ts';
import type { RowJournal } from './store/row-journal.ts';
import type { FieldCipher } from './store/values/field-cipher.ts';
import type { LargeValueStore } from './store/values/large-value-store.ts';
import { BulkCreation } from './transfers/bulk-creation.ts';
import { BulkService } from './transfers/bulk-service.ts';
import { ExportJob } from './transfers/exports/export-job.ts';
import { ExportReader } from './transfers/exports/export-reader.ts';
import { ExportScopes } from './transfers/exports/export-scope.ts';
import { ExportService } from './transfers/exports/export-service.ts';
import { ExportSource } from './transfers/exports/export-source.ts';
import { ImportJob } from './transfers/import-job.ts';
import { ImportService } from './transfers/import-service.ts';
import { NewRecords } from './transfers/new-records.ts';
import { RowImport } from './transfers/row-import.ts';
import { StoredRows } from './transfers/stored-rows.ts';
import { UploadService } from './transfers/upload-service.ts';
import { TreeService } from './trees/tree-service.ts';

export interface SeldomDependencies extends ServiceContext<EntitiesConfig> {
  readonly files: Files;
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly histories: HistoryRepository;
  readonly catalog: EntityCatalog;
  readonly access: EntityAccess;
  readonly largeValues: LargeValueStore;
  readonly cipher: FieldCipher;
  readonly marks: DeletionMarks;
  readonly journal: RowJournal;
  readonly writer: RecordWriter;
  readonly records: RecordService;
  readonly drafts: RecordDrafts;
  readonly cursorSeal: CursorSeal;
  readonly attachments: AttachmentRepository;
  readonly recordFiles: RecordFiles;
  readonly openWork: OpenWork;
  readonly reader: RecordReader;
  readonly deletions: Pick<DeletionService, 'delete' | 'preview'>;
  readonly jobs: JobService;
  readonly references: ReferenceRegister;
  readonly publisher: DefinitionPublisher;
  readonly definitionService: Pick<DefinitionService, 'get'>;
  readonly reEncryption: () => ReEncryption;
}

/** The services that few calls need, and the work of jobs; `services-on-demand.ts` loads this file with the first of them. */
export function createSeldomServices(given: SeldomDependencies) {
  const clock = given.tenantClock.machine;
  const queries = new QueryService({ ...given, clock });
  const searches = new Searches({ ...given, clock });
  const dependencies = { ...given, queries, searches };
  const { repository, files } = dependencies;
  const creation = new BulkCreation({ ...dependencies, newRecords: new NewRecords(dependencies) });
  const walk = new RecordWalk(dependencies);
  const storedRows = new StoredRows(dependencies);
  const conflicts = new ConflictFinder(dependencies);
  const rehearsals = { ...dependencies, conflicts };
  const notes = new JobNotes(files);
  const keptRehearsals = new KeptRehearsals({ ...dependencies, notes, rehearsals });
  const rowImport = new RowImport({ ...dependencies, creation, storedRows, rehearsals });
  const importService = new ImportService({ ...dependencies, rowImport, clock });
  const uploads = new UploadRepository(dependencies);
  const work = {
    ...dependencies,
    clock,
    cleaner: new RecordCleaner({ ...dependencies, repository }),
  };
  const related = new RelatedRecords(dependencies, searches);
  const expanded = new ExpandedRecords(dependencies);
  const exports = {
    scopes: new ExportScopes({ ...dependencies, related }),
    source: new ExportSource({ walk, related, expanded }),
  };
  const massChanges = createMassChanges({
    ...dependencies,
    clock,
    walk,
    ...{ keptRehearsals, notes },
  });
  const rewrite = new RecordRewrite(dependencies);
  const indexBuild = new IndexBuild({ ...work, rewrite });
  return {
    importService,
    ...massChanges,
    attachmentService: new AttachmentService(dependencies),
    bulkService: new BulkService({ ...dependencies, creation, clock }),
    exportService: new ExportService({ ...dependencies, ...exports, clock }),
    uploadService: new UploadService({ ...dependencies, imports: importService, uploads }),
    schemaService: new SchemaService(dependencies),
    treeService: new TreeService({ ...dependencies, clock }),
    aggregateService: new AggregateService(dependencies, searches),
    exportJob: new ExportJob({
      files,
      exportReader: new ExportReader({ ...dependencies, ...exports, clock }),
    }),
    importJob: new ImportJob({
      ...dependencies,
      ...{ rowImport, keptRehearsals, notes, clock },
      places: new ImportPlaces(dependencies),
    }),
    reEncryptionJob: new ReEncryptionJob(dependencies),
    indexBuild,
    recount: new Recount({ ...work, build: indexBuild }),
    entityPurge: new EntityPurge(work),
    referenceClearing: new ReferenceClearing(work),
  };
}
