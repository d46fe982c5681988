import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { bindPort, writePort } from '../../shared/module/bind-port.ts';
import type {
  DocumentGenerationService,
  EditedDocuments,
  FieldReaders,
  TemplateService,
} from '../../shared/ports/templates.ts';
import { allOnDemand, once } from '../../shared/primitives/once.ts';
import { httpProblems } from '../../shared/problems/http-problems.ts';
import { type EntitiesConfig, recordsPort } from '../entities/port.ts';
import { settingValuesPort } from '../settings/port.ts';
import type { TemplatesConfig } from './configuration.ts';
import { problems } from './errors.ts';
import { documentGenerationService } from './in-process/document-generation-service.ts';
import { templateService } from './in-process/template-service.ts';
import { type ServicesOnDemand, servicesOnDemand } from './services-on-demand.ts';
import { ReaderRepository } from './store/reader-repository.ts';

export { type TemplatesConfig, templateSection } from './configuration.ts';

type Context = ServiceContext<TemplatesConfig & EntitiesConfig>;

/** Templates in the function of another module. */
export const templatesPort = writePort({
  name: 'templates.templates',
  problems: [
    ...[problems.templateNotFound, problems.templateCodeExists, problems.templateDeleted],
    ...[problems.unsupportedFileType, problems.invalidDocx, problems.encryptedDocx],
    ...[problems.macrosNotAllowed, problems.docxTooComplex, httpProblems.versionConflict],
  ],
  create: (context: Context): TemplateService =>
    templateService({ ...servicesOf(context), pageSize: context.config.web.pageSizeDefault }),
});

/** Documents of templates in the function of another module. */
export const documentsPort = writePort({
  name: 'templates.documents',
  problems: [
    ...[problems.templateNotFound, problems.fileVersionNotFound, problems.templateNotActive],
    ...[problems.templateFileMissing, problems.requiredFieldMissing, problems.generationNotFound],
    ...[problems.generationInProgress, problems.generationCancelled],
    ...[problems.generationFinalized, problems.generationNotReady],
    ...[problems.outputFormatNotSupported, problems.approvalHashMismatch, problems.docxTooComplex],
    ...[problems.pdfNotAvailable, problems.pdfOptionNotSupported, problems.pdfTooLong],
    ...[problems.renderFailed, problems.renderTimeout, problems.renderBusy],
    ...recordsPort.problems,
  ],
  create: (context: Context): DocumentGenerationService =>
    documentGenerationService({
      ...servicesOf(context),
      pageSize: context.config.web.pageSizeDefault,
    }),
});

/** Templates and generated documents that an editor saves. */
export const editedDocumentsPort = writePort({
  name: 'templates.edited-documents',
  create: (context: ServiceContext): EditedDocuments => {
    const load = once(async () =>
      (await import('./in-process/create-edits.ts')).createEdits(context),
    );
    return allOnDemand(load).edits;
  },
});

/** Keys whose tokens may read merge fields: those of an editor's plugin. */
export const fieldReadersPort = writePort({
  name: 'templates.field-readers',
  create: (context: ServiceContext): FieldReaders => new ReaderRepository(context),
});

const servicesOf = (context: Context): ServicesOnDemand =>
  servicesOnDemand(context, {
    settings: bindPort(settingValuesPort, context).use(),
    records: bindPort(recordsPort, context),
  });
