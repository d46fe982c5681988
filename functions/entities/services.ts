import { createFiles } from '../../shared/files/create-files.ts';
import { JobRepository } from '../../shared/jobs/job-repository.ts';
import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { ReEncryption } from '../../shared/ports/re-encryption.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import { publicUrl } from '../../shared/primitives/public-url.ts';
import { EntityAccess } from './access/entity-access.ts';
import { DynamicSecurityConfigurer } from './access/security-configurer.ts';
import { RecordPresenter } from './api/record-presenter.ts';
import { EntityCatalog } from './catalog/entity-catalog.ts';
import type { EntitiesConfig } from './configuration.ts';
import { DefinitionPublisher } from './definitions/definition-publisher.ts';
import { ReferenceRegister } from './definitions/reference-register.ts';
import { JOB_TOPIC } from './events.ts';
import { JOB_STORAGE, JobService } from './jobs/job-service.ts';
import { CursorSeal } from './queries/cursor-seal.ts';
import { ConflictFinder } from './records/conflict-finder.ts';
import { ExpandedRecords } from './records/expanded-records.ts';
import { RecordDrafts } from './records/record-drafts.ts';
import { RecordFiles } from './records/record-files.ts';
import { RecordNumbers } from './records/record-numbers.ts';
import { RecordReader } from './records/record-reader.ts';
import { RecordService } from './records/record-service.ts';
import { RecordWriter } from './records/record-writer.ts';
import {
  definitionsOnDemand,
  deletionsOnDemand,
  queriesOnDemand,
  servicesOnDemand,
} from './services-on-demand.ts';
import { CursorKey } from './store/cursor-key.ts';
import { DefinitionRepository } from './store/definition-repository.ts';
import { DeletionMarks } from './store/deletion-marks.ts';
import { FILE_LINKS } from './store/file-links.ts';
import { HistoryRepository } from './store/history-repository.ts';
import { AttachmentRepository } from './store/jobs/attachment-repository.ts';
import { NumberRepository } from './store/number-repository.ts';
import { OpenWork } from './store/open-work.ts';
import { RecordRepository } from './store/record-repository.ts';
import { ReferenceTargets } from './store/reference-targets.ts';
import { RowJournal } from './store/row-journal.ts';
import { FieldCipher } from './store/values/field-cipher.ts';
import { LargeValueStore } from './store/values/large-value-store.ts';

type Context = ServiceContext<EntitiesConfig>;

/** What all services read records with, also those that may not write. */
export function createStores(context: Context, encryptService: EncryptService) {
  const { files, links } = createFiles(context, {
    ...FILE_LINKS,
    baseUrl: () => publicUrl(context.config.web),
  });
  const definitions = new DefinitionRepository(context);
  const repository = new RecordRepository(context);
  const openWork = new OpenWork({ ...context, clock: context.tenantClock.machine });
  const cipher = new FieldCipher(encryptService);
  return {
    ...{ files, links, definitions, repository, openWork },
    histories: new HistoryRepository(context),
    catalog: new EntityCatalog(definitions, context.tenantClock.machine),
    access: new EntityAccess(context),
    largeValues: new LargeValueStore(repository, files, openWork, cipher),
    cipher,
    cursorKey: new CursorKey(context),
  };
}

/**
 * What callers see of records.
 * @param journal loads records; that of the module completes interrupted changes, which a reader may leave.
 */
export function createReading(
  context: Context,
  stores: ReturnType<typeof createStores>,
  journal: Pick<RowJournal, 'load'>,
) {
  const reader = new RecordReader({ ...stores, journal });
  const cursorSeal = new CursorSeal(stores.cursorKey);
  return {
    reader,
    cursorSeal,
    queryService: queriesOnDemand({
      ...context,
      ...stores,
      cursorSeal,
      clock: context.tenantClock.machine,
    }),
    presenter: new RecordPresenter({
      ...{ ...stores, reader },
      expanded: new ExpandedRecords({ ...stores, reader }),
    }),
  };
}

/** All services of the module. */
export function createServices(
  context: Context,
  encryptService: EncryptService,
  reEncryption: () => ReEncryption = withoutReEncryption,
) {
  const stores = createStores(context, encryptService);
  const { definitions, repository, catalog, access, largeValues, files, links, cursorKey } = stores;
  const { machine } = context.tenantClock;
  const storedJobs = new JobRepository({ ...context, ...JOB_STORAGE });
  const jobService = new JobService({
    ...context,
    clock: machine,
    module: 'entities',
    topic: JOB_TOPIC,
    repository: storedJobs,
  });
  const marks = new DeletionMarks({ ...context, ...stores, jobs: storedJobs });
  const journal = new RowJournal({ ...context, ...stores, clock: machine });
  const { reader, queryService, presenter, cursorSeal } = createReading(context, stores, journal);
  const conflicts = new ConflictFinder({ repository, largeValues, access });
  const targets = new ReferenceTargets({ ...context, marks, clock: machine });
  const attachments = new AttachmentRepository(context);
  const recordFiles = new RecordFiles({ ...context, ...stores, attachments });
  const written = { journal, conflicts, targets, recordFiles };
  const writer = new RecordWriter({ ...context, ...stores, ...written });
  const numbers = new NumberRepository(context);
  const recordNumbers = new RecordNumbers({
    ...{ ...context, numbers, repository },
    zone: context.config.dynamic.zoneId,
  });
  const drafts = new RecordDrafts({ ...context, ...stores, reader, marks });
  const base = {
    ...{ ...context, ...stores, reader, journal, writer, marks, targets },
    ...{ drafts, recordNumbers, recordFiles, attachments },
  };
  const recordService = new RecordService(base);
  const shared = { ...base, records: recordService, queries: queryService, jobs: jobService };
  const deletions = deletionsOnDemand(shared, machine);
  const { deletionService, openWorkSweep, trashExpiry } = deletions;
  const ofDefinitions = {
    ...shared,
    references: new ReferenceRegister(definitions),
    publisher: new DefinitionPublisher({ ...context, access }),
  };
  const definitionService = definitionsOnDemand(ofDefinitions);
  jobService.register('DELETE', { step: deletions.subtreeJob.step });
  const seldom = servicesOnDemand({
    ...{
      ...ofDefinitions,
      cursorSeal,
      definitionService,
      deletions: deletionService,
      reEncryption,
    },
  });
  return {
    ...{ catalog, access, journal, files, links, presenter, cursorKey },
    ...{ definitionService, recordReader: reader, recordService, deletionService },
    ...{ queryService, jobService, ...seldom },
    ...{ openWorkSweep, trashExpiry },
    securityConfigurer: new DynamicSecurityConfigurer(definitions, context.config),
  };
}

/** Functions of other modules, which write records by a port, run no jobs. */
const withoutReEncryption = (): never => {
  throw new Error('Only the function of the module takes part in a re-encryption');
};
