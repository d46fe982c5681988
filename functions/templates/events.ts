import type { JobNotice } from '../../shared/jobs/job.ts';
import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';

/** Topic of the messages that continue jobs. */
export const JOB_TOPIC = 'template-job';

/** Topics of what happens to generations. */
export const GENERATION_TOPICS = {
  generated: 'template.generation.generated',
  finalized: 'template.generation.finalized',
  cancelled: 'template.generation.cancelled',
  failed: 'template.generation.failed',
} as const;

/** Payload of what happens to a generation; the key is its id. */
export interface GenerationEvent {
  readonly templateId: string;
  readonly templateCode: string;
  readonly generationId: string;
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly format: 'DOCX' | 'PDF' | 'HTML';
  readonly outputHash: string | null;
  readonly failure: string | null;
  readonly actor: string;
}

const MEANINGS: Readonly<Record<keyof typeof GENERATION_TOPICS, string>> = {
  generated: 'a document has been generated',
  finalized: 'a generated document is finalized',
  cancelled: 'a generation is cancelled, and its output deleted',
  failed: 'a generation has failed, or its function was interrupted',
};

const ofGenerations = Object.entries(GENERATION_TOPICS).map(
  ([what, topic]) =>
    ({
      topic,
      key: 'generation id',
      payload: 'GenerationEvent',
      meaning: MEANINGS[what as keyof typeof GENERATION_TOPICS],
      members: {
        templateId: 'id of the template',
        templateCode: 'code of the template',
        generationId: 'id of the generation',
        entityType: 'entity of the record, or null',
        entityId: 'id of the record, or null',
        format: '`DOCX`, `PDF` or `HTML`',
        outputHash: 'SHA-256 of the output, or null when there is none',
        failure: 'code of the problem of a failed generation, else null',
        actor: 'id of the caller',
      },
    }) satisfies EventDescription<GenerationEvent>,
);

/** Events of the module, for the reference. */
export const events = [
  ...ofGenerations,
  {
    topic: JOB_TOPIC,
    key: 'job id',
    payload: 'JobNotice',
    meaning: 'a job continues with its next step (internal)',
    members: { jobId: 'id of the job' },
  } satisfies EventDescription<JobNotice>,
];
