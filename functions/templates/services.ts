import { createFiles } from '../../shared/files/create-files.ts';
import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { BoundPort } from '../../shared/module/bind-port.ts';
import type { RecordReading } from '../../shared/ports/records.ts';
import type { SettingService } from '../../shared/ports/settings.ts';
import { publicUrl } from '../../shared/primitives/public-url.ts';
import { ApprovedDocuments } from './approved/approved-documents.ts';
import { createBatches } from './batches/services.ts';
import { BuiltinService } from './builtins/builtin-service.ts';
import { FieldService } from './catalog/field-service.ts';
import { FileService } from './catalog/file-service.ts';
import { FileSweep } from './catalog/file-sweep.ts';
import { FileVersions } from './catalog/file-versions.ts';
import { TemplateCatalog } from './catalog/template-catalog.ts';
import { TemplateCopies } from './catalog/template-copies.ts';
import { TemplateCreation } from './catalog/template-creation.ts';
import type { TemplatesConfig } from './configuration.ts';
import { createGenerations } from './generations/services.ts';
import { createJobServices, createTemplateJobs } from './jobs/services.ts';
import { ReaderTokens } from './readers/reader-tokens.ts';
import { AnnouncedFiles } from './store/announced-files.ts';
import { ConstantRepository } from './store/constant-repository.ts';
import { EndedDocuments } from './store/ended-documents.ts';
import { FILE_LINKS } from './store/file-links.ts';
import { FileRepository } from './store/file-repository.ts';
import { ReaderRepository } from './store/reader-repository.ts';
import { TemplateRepository } from './store/template-repository.ts';
import { FactsReader } from './values/facts-reader.ts';
import { linkSecondsOf } from './values/link-seconds.ts';
import { RecordValues } from './values/record-values.ts';

/** Ports of other modules that the services use. */
export interface OtherModules {
  readonly settings: SettingService;
  readonly records: BoundPort<RecordReading>;
}

/** All services of the module. */
export function createServices(
  context: ServiceContext<TemplatesConfig>,
  { settings, records }: OtherModules,
) {
  const appUrl = () => publicUrl(context.config.web);
  const { files, links } = createFiles(context, { ...FILE_LINKS, baseUrl: appUrl });
  const allowedSettings = context.config.template.readableSettings;
  const facts = new FactsReader({ ...context, settings, appUrl, allowedSettings });
  const repository = new TemplateRepository(context);
  const fileRepository = new FileRepository(context);
  const constants = new ConstantRepository(context);
  const endedDocuments = new EndedDocuments(context);
  const catalog = new TemplateCatalog({ ...context, repository, endedDocuments });
  const linkSeconds = linkSecondsOf(context.environment);
  const announced = new AnnouncedFiles(context);
  const stores = {
    ...context,
    catalog,
    endedDocuments,
    fileRepository,
    announced,
    constants,
    files,
  };
  const fileService = new FileService({
    ...stores,
    versions: new FileVersions(stores),
    linkSeconds,
  });
  const fieldService = new FieldService({ ...stores, fileService, allowedSettings });
  const jobs = createTemplateJobs(context);
  const { generations, preparation, starter, run, printer, ...served } = createGenerations(
    context,
    {
      ...{ ...stores, repository, fileService, facts, jobs, linkSeconds, allowedSettings },
      recordValues: new RecordValues(records),
    },
  );
  const { generationService } = served;
  const rendering = { jobs, files, generations, preparation, printer, run, generationService };
  return {
    ...{ ...served, jobs },
    ...createJobServices(context, { ...rendering, starter }),
    ...createBatches(context, { ...rendering, catalog, linkSeconds }),
    ...{ files, links, catalog, fileService, fieldService },
    approvedDocuments: new ApprovedDocuments({ files, printer, linkSeconds }),
    fileSweep: new FileSweep(stores),
    copies: new TemplateCopies({ ...stores, fileService }),
    creation: new TemplateCreation({ ...stores, fieldService }),
    readerTokens: new ReaderTokens({ ...context, keys: new ReaderRepository(context) }),
    builtinService: new BuiltinService({ ...context, constants, facts }),
  };
}
