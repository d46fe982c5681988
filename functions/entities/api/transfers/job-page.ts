import type { Reply } from '../../../../shared/http/reply.ts';
import { isOpen, JOB_STATES } from '../../../../shared/jobs/job.ts';
import { pageReply } from '../../../../shared/pages/page-shell.ts';
import { type ProgressSettings, showProgress } from '../../../../shared/pages/show-progress.ts';

/** End of the path of a job's page, after that of the job. */
export const PAGE_SUFFIX = '/progress';

const settings: ProgressSettings = {
  suffix: PAGE_SUFFIX,
  state: 'state',
  endStates: JOB_STATES.filter((state) => !isOpen({ state })),
  done: 'processed',
  total: 'total',
  facts: [
    ['Job', 'id'],
    ['Kind', 'kind'],
    ['Processed', 'processed'],
    ['Total', 'total'],
    ['Started', 'createdAt'],
    ['Changed', 'updatedAt'],
  ],
  result: 'result',
  link: ['link', 'Download the file'],
  missing: 'There is no such import or export, or somebody else has started it.',
};

/** The progress page of an import or export; the same for every job. */
export const jobPage = (): Reply =>
  pageReply({ title: 'Import or export', show: showProgress, settings });
