import type { Files } from '../../../shared/files/files.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import type { TemplateCatalog } from '../catalog/template-catalog.ts';
import type { GenerationRun } from '../generations/generation-run.ts';
import type { GenerationService } from '../generations/generation-service.ts';
import type { Preparation } from '../generations/preparation.ts';
import type { PdfPrinter } from '../generations/writing/pdf-printer.ts';
import { StoredRequests } from '../jobs/stored-requests.ts';
import type { TemplateJobs } from '../jobs/template-jobs.ts';
import { BatchRepository } from '../store/batch-repository.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import type { BatchRequest } from './batch.ts';
import { BatchDocuments } from './batch-documents.ts';
import { BatchFile } from './batch-file.ts';
import { BatchJob } from './batch-job.ts';
import { BatchService } from './batch-service.ts';

interface BatchParts {
  readonly catalog: TemplateCatalog;
  readonly jobs: TemplateJobs;
  readonly files: Files;
  readonly generations: GenerationRepository;
  readonly preparation: Preparation;
  readonly printer: PdfPrinter;
  readonly run: GenerationRun;
  readonly generationService: GenerationService;
  readonly linkSeconds: number;
}

/** What starts batches, and does their work. */
export function createBatches(context: ServiceContext, parts: BatchParts) {
  const { machine } = context.tenantClock;
  const batchRequests = new StoredRequests<BatchRequest>(parts.files);
  const batches = new BatchRepository(context);
  const shared = { ...context, ...parts, machine, batches, batchRequests };
  const batchDocuments = new BatchDocuments(shared);
  const batchFile = new BatchFile(shared);
  parts.jobs.register('BATCH', new BatchJob({ ...shared, batchDocuments, batchFile }));
  return { batchService: new BatchService(shared) };
}
