import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reply } from '../../../../shared/http/reply.ts';
import { pageReply } from '../../../../shared/pages/page-shell.ts';
import { once } from '../../../../shared/primitives/once.ts';
import { STYLE } from './case-page-style.ts';

/** End of the path of a case's page, after that of the case. */
export const VIEW_SUFFIX = '/view';

/** The script with its layout library: read with the first page, so no start of the function waits for it. */
const readScript = once(() =>
  readFile(join(import.meta.dirname, 'assets', 'pages', 'case.js'), 'utf8'),
);

/** The page of a case; the same for every case. @param script its script, where tests have made it */
export async function casePage(script?: string): Promise<Reply> {
  return pageReply({
    title: 'Case',
    show: { script: script ?? (await readScript()) },
    settings: { suffix: VIEW_SUFFIX },
    style: STYLE,
  });
}
