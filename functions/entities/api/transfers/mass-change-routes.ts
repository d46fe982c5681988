import type { Route } from '../../../../shared/http/route.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import type { MassChangeService } from '../../mass-changes/mass-change-service.ts';
import { entityRoutesAt, type RecordRoutePlace } from '../entity-route.ts';
import { acceptedJob, startedJob } from '../job-reply.ts';
import { entityParams } from '../record-schemas.ts';
import { deleteByFilterBody, updateByFilterBody } from './transfer-schemas.ts';

export interface MassChangeRouteServices {
  readonly catalog: EntityCatalog;
  readonly massChangeService: Pick<MassChangeService, 'start'>;
}

const HOW =
  'Records that the caller may not view are left alone, and so are those made after the call. The job judges each record when it reaches it, and changes it once, even when it goes on after an interruption. `dryRun` changes nothing and says how many would be changed, and how many would fail. The result of the job counts and names the first failures.';

/** Routes that change and delete records by a filter, the same for every entity. */
export function massChangeRoutes(
  { catalog, massChangeService }: MassChangeRouteServices,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);
  const responses = (kind: 'BULK_UPDATE' | 'BULK_DELETE') => ({
    202: startedJob('The job', { kind, state: 'WAITING', processed: 0, total: null }),
  });
  return [
    entityRoute({
      operationId: 'updateRecordsByFilter',
      method: 'POST',
      path: '/bulk:update',
      summary: 'Changes the records that meet a filter',
      description: `${HOW} Each change is checked as one of a single record is.`,
      params: entityParams,
      body: updateByFilterBody,
      bodyExample: {
        filter: { status: 'open', dueDate: { lt: 'today-90d' } },
        data: { status: 'closed' },
        dryRun: true,
      },
      idempotent: true,
      responses: responses('BULK_UPDATE'),
      handle: async (model, { params, body, principal }) => {
        const request = { ...body, op: 'update' } as const;
        const job = await massChangeService.start(model, request, principal);
        return acceptedJob(place, params.entityCode, job);
      },
    }),
    entityRoute({
      operationId: 'deleteRecordsByFilter',
      method: 'POST',
      path: '/bulk:delete',
      summary: 'Moves the records that meet a filter to the trash',
      description: `${HOW} Records below others go before them when both meet the filter; one with others below it that stay is refused.`,
      params: entityParams,
      body: deleteByFilterBody,
      bodyExample: { filter: { status: 'closed' }, dryRun: true },
      idempotent: true,
      responses: responses('BULK_DELETE'),
      handle: async (model, { params, body, principal }) => {
        const request = { ...body, op: 'delete' } as const;
        const job = await massChangeService.start(model, request, principal);
        return acceptedJob(place, params.entityCode, job);
      },
    }),
  ];
}
