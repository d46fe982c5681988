import type { Files } from '../../../shared/files/files.ts';
import { JobRepository } from '../../../shared/jobs/job-repository.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import { JOB_TOPIC } from '../events.ts';
import type { GenerationRun } from '../generations/generation-run.ts';
import type { GenerationService } from '../generations/generation-service.ts';
import type { GenerationStarter } from '../generations/generation-starter.ts';
import type { DocumentRequest, Preparation } from '../generations/preparation.ts';
import type { PdfPrinter } from '../generations/writing/pdf-printer.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import { DeferredDocuments } from './deferred-documents.ts';
import { DocumentJob } from './document-job.ts';
import { StoredRequests } from './stored-requests.ts';
import { JOB_STORAGE, TemplateJobs } from './template-jobs.ts';

/** The jobs of the module, before their work is known. */
export function createTemplateJobs(context: ServiceContext): TemplateJobs {
  return new TemplateJobs({
    ...context,
    clock: context.tenantClock.machine,
    module: 'templates',
    topic: JOB_TOPIC,
    repository: new JobRepository({ ...context, ...JOB_STORAGE }),
  });
}

interface JobParts {
  readonly jobs: TemplateJobs;
  readonly files: Files;
  readonly generations: GenerationRepository;
  readonly preparation: Preparation;
  readonly printer: PdfPrinter;
  readonly starter: GenerationStarter;
  readonly run: GenerationRun;
  readonly generationService: GenerationService;
}

/** What starts jobs, and does their work. */
export function createJobServices(context: ServiceContext, parts: JobParts) {
  const { machine } = context.tenantClock;
  const requests = new StoredRequests<DocumentRequest>(parts.files);
  const shared = { ...context, ...parts, machine, requests };
  parts.jobs.register('DOCUMENT', new DocumentJob(shared));
  return { deferredDocuments: new DeferredDocuments(shared) };
}
