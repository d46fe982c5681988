import type { Reply } from '../../../../shared/http/reply.ts';
import { pageReply } from '../../../../shared/pages/page-shell.ts';
import { SOURCES_PATH } from '../../paths.ts';
import { showRun } from './show-run.ts';

/** End of the path of a run's page, after that of the run. */
export const VIEW_SUFFIX = '/view';

const STYLE = `
main, h1 { width: min(64rem, 100%); }
.table { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; }
caption { text-align: start; font-weight: 600; padding: .25rem 0; }
th, td { text-align: start; vertical-align: top; padding: .25rem 1.5rem .25rem 0; border-bottom: 1px solid #8886; }
td { white-space: pre-line; overflow-wrap: anywhere; }
`;

/** The page of a run; the same for every run. */
export const runPage = (): Reply =>
  pageReply({
    title: 'Synchronisation',
    show: showRun,
    style: STYLE,
    settings: { suffix: VIEW_SUFFIX, records: `${SOURCES_PATH}/sync/record_list` },
  });
