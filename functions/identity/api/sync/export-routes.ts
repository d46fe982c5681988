import { contentDisposition } from '../../../../shared/files/content-disposition.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { problems } from '../../errors.ts';
import { SOURCES_PATH } from '../../paths.ts';
import { CSV_TYPE, fileNameOf, type RunExport } from '../../sources/run-export.ts';
import { recordFilter } from '../runs/run-schemas.ts';
import { batchParams } from './control-schemas.ts';

export interface ExportRouteServices {
  readonly runExport: OnDemand<RunExport>;
}

/** The route of a run as a file. */
export const exportRoutes = ({ runExport }: ExportRouteServices): Route[] => [
  route({
    operationId: 'exportIdentitySyncRun',
    method: 'GET',
    path: `${SOURCES_PATH}/sync/run/{batch}/csv`,
    summary: 'Returns what a run did with each object as a CSV file',
    description:
      'Cells that a spreadsheet would take for formulas begin with an apostrophe. A file that is too large for an answer is behind a link.',
    tag: 'Synchronisation',
    access: permission('identity:sync'),
    params: batchParams,
    query: recordFilter,
    responses: {
      200: {
        description: 'The file',
        contentType: 'text/csv',
        headers: { 'content-disposition': 'Name of the file.' },
      },
      303: { description: 'The file is large', headers: { location: 'Where it is.' } },
    },
    problems: [problems.runNotFound],
    handle: async ({ params: { batch }, query, principal }) => {
      const found = await runExport.csv(batch, query, principal);
      if ('link' in found) return { status: 303, headers: { location: found.link } };
      const disposition = contentDisposition(fileNameOf(batch));
      const headers = { 'content-type': CSV_TYPE, 'content-disposition': disposition };
      return { status: 200, body: found.text, headers };
    },
  }),
];
