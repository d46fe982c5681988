import type { PlatformConfig } from '../../../../shared/config/index.ts';
import type { ErrorForm } from '../../../../shared/http/error-form.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { accepted, ok } from '../../../../shared/http/reply.ts';
import {
  capability,
  permission,
  type Route,
  rawRoute,
  route,
} from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { limitProblems } from '../../../../shared/problems/limit-problems.ts';
import { encryptionProblems } from '../../../settings/port.ts';
import type { EventRecord } from '../../domain/events/event-record.ts';
import { problems } from '../../errors.ts';
import type { EventService } from '../../events/event-service.ts';
import { SOURCES_PATH, SYNCHRONIZER_PATH } from '../../paths.ts';
import type { RunReader } from '../../sources/run-reader.ts';
import * as schemas from './event-schemas.ts';

export interface EventRouteServices {
  readonly eventService: OnDemand<EventService>;
  readonly runs: OnDemand<RunReader>;
  /** Address of the API as callers see it. */
  readonly baseUrl: () => string;
}

const TAG = 'Synchronisation';
const MAX_BYTES = 262_144;
const id = '019f5a3c-5555-7d9e-8a33-0c5f9a1b2c3d';

/** @see RFC 8935, section 2.4 */
const errorForm: ErrorForm = {
  get schema() {
    return schemas.eventError();
  },
  bodyOf: ({ status, detail }) => ({
    err: status === 401 ? 'authentication_failed' : 'invalid_request',
    description: detail,
  }),
};

/** Routes of events of sources. */
export function eventRoutes(
  { eventService, runs, baseUrl }: EventRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    rawRoute({
      operationId: 'receiveIdentityEvent',
      method: 'POST',
      path: `${SYNCHRONIZER_PATH}/event_receive/{code}`,
      summary: 'Takes an event of a source',
      description:
        'Either a security event token with one event of SCIM (application/secevent+jwt), or JSON that is signed as Standard Webhooks say. It is stored before it is acknowledged; then the object is read at the source.',
      tag: TAG,
      access: capability,
      params: schemas.codeParams,
      body: schemas.eventBody,
      bodyExample: { type: 'user.updated', objectId: '2819c223' },
      consumes: ['application/json', 'application/secevent+jwt'],
      maxBodyBytes: MAX_BYTES,
      errorForm,
      responses: {
        202: {
          description: 'Stored',
          schema: schemas.receipt,
          example: { eventId: id, duplicate: false },
        },
      },
      problems: [
        ...[problems.sourceNotFound, problems.eventUnauthenticated, problems.eventInvalid],
        ...[limitProblems.tooManyRequests, ...Object.values(encryptionProblems)],
      ],
      handle: async ({ params: { code }, body, headers }) => {
        const callbackUrl = `${baseUrl()}${SYNCHRONIZER_PATH}/event_receive/${code}`;
        return accepted(await eventService.receive({ code, body, headers, callbackUrl }));
      },
    }),
    route({
      operationId: 'listIdentityEvents',
      method: 'GET',
      path: `${SOURCES_PATH}/event/record_list`,
      summary: 'Lists the events of a source, the newest first',
      tag: TAG,
      access: permission('identity:sync'),
      query: () => schemas.eventQuery(web),
      responses: {
        200: {
          description: 'A page of events',
          schema: schemas.eventPage,
          example: {
            content: [],
            ...{ number: 0, size: 20, numberOfElements: 0, totalElements: null, totalPages: null },
            ...{ first: true, last: true, empty: true, nextCursor: null, totalRelation: 'unknown' },
          },
        },
      },
      problems: [problems.sourceNotFound],
      handle: async ({ query, principal }) => {
        const page = await runs.events(query, principal);
        return ok(toPage({ ...page, content: page.content.map(toEvent) }));
      },
    }),
  ];
}

const toEvent = (event: EventRecord) => ({
  id: event.id,
  identitySourceId: event.identitySourceId,
  eventType: event.eventType,
  actionType: event.actionType ?? null,
  objectType: event.objectType,
  externalId: event.externalId,
  objectId: event.objectId ?? null,
  objectName: event.objectName ?? null,
  eventTime: event.eventTime,
  receiveTime: event.receiveTime,
  status: event.status,
  desc: event.desc ?? null,
  attempts: event.attempts,
});
