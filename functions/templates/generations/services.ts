import { bucketFiles } from '../../../shared/files/create-files.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import type { FileService } from '../catalog/file-service.ts';
import type { TemplateCatalog } from '../catalog/template-catalog.ts';
import type { TemplatesConfig } from '../configuration.ts';
import { createPdfConverter } from '../pdf/create-pdf-converter.ts';
import { printedFormat } from '../pdf/engines.ts';
import type { ConstantRepository } from '../store/constant-repository.ts';
import type { EndedDocuments } from '../store/ended-documents.ts';
import type { FileRepository } from '../store/file-repository.ts';
import { GenerationRepository } from '../store/generation-repository.ts';
import { IdempotencyRepository } from '../store/idempotency-repository.ts';
import type { TemplateRepository } from '../store/template-repository.ts';
import type { FactsReader } from '../values/facts-reader.ts';
import { ImageValues } from '../values/image-values.ts';
import type { RecordValues } from '../values/record-values.ts';
import { DocumentNumbers } from './document-numbers.ts';
import { GenerationEvents } from './generation-events.ts';
import { GenerationLifecycle } from './generation-lifecycle.ts';
import { GenerationRun } from './generation-run.ts';
import { GenerationService } from './generation-service.ts';
import { GenerationStarter } from './generation-starter.ts';
import { GenerationSweep, type RenderingJobs } from './generation-sweep.ts';
import { Preparation } from './preparation.ts';
import { PreviewService } from './preview-service.ts';
import { DocxWriter } from './writing/docx-writer.ts';
import { HtmlWriter } from './writing/html-writer.ts';
import { PdfPrinter } from './writing/pdf-printer.ts';
import { PdfWriter } from './writing/pdf-writer.ts';
import { TemplatePackages } from './writing/template-packages.ts';

interface GenerationParts {
  readonly repository: TemplateRepository;
  readonly fileService: FileService;
  readonly catalog: TemplateCatalog;
  readonly fileRepository: FileRepository;
  readonly constants: ConstantRepository;
  readonly facts: FactsReader;
  readonly recordValues: RecordValues;
  readonly endedDocuments: EndedDocuments;
  readonly files: Files;
  readonly jobs: RenderingJobs;
  readonly linkSeconds: number;
  readonly allowedSettings: readonly string[];
}

/** What generates documents. */
export function createGenerations(
  context: ServiceContext<TemplatesConfig>,
  parts: GenerationParts,
) {
  const { machine } = context.tenantClock;
  const {
    mergeFieldLocale: locale,
    mergeFieldZoneId: zone,
    pdfConverter,
  } = context.config.template;
  const generations = new GenerationRepository(context);
  const idempotency = new IdempotencyRepository(context);
  const { files } = parts;
  const converter = createPdfConverter(context);
  const format = printedFormat(pdfConverter);
  const printing = {
    ...{ files, converter, format, clock: machine },
    exchange: context.host.storage ? bucketFiles(context.environment.bucketName) : files,
  };
  const printer = new PdfPrinter(printing);
  const packages = new TemplatePackages(files);
  const writers = {
    DOCX: new DocxWriter({ files, packages }),
    HTML: new HtmlWriter({ files, packages }),
    PDF: new PdfWriter({ packages, printer }),
  };
  const { docsEditorAuthorizationServices: policies = [] } = context.host;
  const imageValues = new ImageValues({ ...context, files, policies });
  const preparation = new Preparation({ ...parts, imageValues, settings: { locale, zone } });
  const numbers = new DocumentNumbers({ generations });
  const stored = { generations, idempotency, numbers };
  const shared = { ...context, ...parts, ...stored, machine, writers, preparation };
  const events = new GenerationEvents(context);
  const run = new GenerationRun({ ...shared, events });
  const starter = new GenerationStarter(shared);
  return {
    ...{ generations, preparation, starter, run, printer },
    generationService: new GenerationService({ ...shared, run, starter }),
    lifecycle: new GenerationLifecycle({ ...shared, events, run }),
    previewService: new PreviewService(shared),
    generationSweep: new GenerationSweep({ ...shared, run }),
  };
}
