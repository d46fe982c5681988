import * as z from 'zod';
import type { PlatformConfig } from '../../../shared/config/index.ts';
import { pageQuery, toPage } from '../../../shared/http/paging.ts';
import { ok } from '../../../shared/http/reply.ts';
import { authenticated, permission, type Route, route } from '../../../shared/http/route.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { problems } from '../errors.ts';
import type { DocumentAccess } from '../opening/document-access.ts';
import { DOCUMENTS_PATH, SESSIONS_PATH, STATUS_PATH } from '../paths.ts';
import type { ServerStatusService } from '../sessions/server-status.ts';
import type { CommandedSession, SessionService } from '../sessions/session-service.ts';
import type { EditSession } from '../store/session-items.ts';
import { decodedDocumentId, encodedDocumentId } from './document-id.ts';
import { documentId } from './editor-schemas.ts';
import * as schemas from './session-schemas.ts';

export interface SessionRouteServices {
  readonly access: Pick<DocumentAccess, 'requireOneService'>;
  readonly sessionService: OnDemand<SessionService>;
  readonly serverStatus: OnDemand<ServerStatusService>;
}

const params = lazy(() => z.object({ documentId: encodedDocumentId() }));
const COMMAND_PROBLEMS = [
  httpProblems.forbidden,
  problems.sessionNotFound,
  problems.serverUnavailable,
];
const results = {
  description: 'What became of each open session',
  schema: schemas.commanded,
  example: { sessions: [{ key: 'dK3c', fileId: 'documents/contract.docx', result: 'SAVED' }] },
};

/** Who edits, and commands for the editing server. */
export function sessionRoutes(
  { access, sessionService, serverStatus }: SessionRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  const paging = lazy(() => pageQuery(web));
  const common = { access: authenticated, guard: () => access.requireOneService() };
  const command = (
    name: 'save' | 'close',
    operationId: string,
    summary: string,
    description: string,
  ): Route =>
    route({
      ...{ operationId, method: 'POST', path: `${DOCUMENTS_PATH}/{documentId}:${name}` },
      ...{ summary, description, ...common, params },
      responses: { 200: results },
      problems: COMMAND_PROBLEMS,
      handle: async ({ params: { documentId: given }, principal }) =>
        ok(toResults(await sessionService[name](decodedDocumentId(given), principal))),
    });
  return [
    route({
      operationId: 'listDocumentSessions',
      method: 'GET',
      path: SESSIONS_PATH,
      summary: 'Lists the sessions of a document, newest first',
      description: 'Who edits, the last save, and saves that have failed.',
      ...common,
      query: () => z.strictObject({ documentId: documentId(), ...paging() }),
      responses: {
        200: {
          description: 'One page',
          schema: schemas.sessionPage,
          example: toPage({
            content: [schemas.exampleSession],
            ...{ number: 0, size: 20, nextCursor: undefined },
          }),
        },
      },
      problems: [httpProblems.forbidden],
      handle: async ({ query: { documentId: id, ...page }, principal }) => {
        const found = await sessionService.list(id, page, principal);
        return ok(toPage({ ...found, content: found.content.map(toSession) }));
      },
    }),
    command(
      ...([
        'save',
        'saveOpenDocument',
        'Asks the document server to save a document that is being edited',
      ] as const),
      'Waits up to 10 s for it: a host saves before it acts on a document.',
    ),
    command(
      ...(['close', 'closeOpenDocument', 'Closes a document for all its editors'] as const),
      'What they have changed is saved as at the end of any session.',
    ),
    route({
      operationId: 'getDocumentServerStatus',
      method: 'GET',
      path: STATUS_PATH,
      summary: 'Returns whether the document server answers and accepts the secret',
      access: permission('docs', 'view'),
      responses: {
        200: {
          description: 'What is known of it',
          schema: schemas.serverStatus,
          example: {
            ...{ documentServerUrl: 'https://docs.example.com', isReachable: true },
            ...{ version: '9.0.4', secretAgrees: true, fault: null },
          },
        },
      },
      problems: [],
      handle: async () => ok(await serverStatus.look()),
    }),
  ];
}

const toSession = ({
  rev: _rev,
  tenant: _tenant,
  ttl: _ttl,
  version: _version,
  sentHash: _sentHash,
  lastSave,
  recovery,
  ...session
}: EditSession) => ({ ...session, lastSave: lastSave ?? null, recovery: recovery ?? null });

const toResults = (commanded: readonly CommandedSession[]) => ({
  sessions: commanded.map(({ session: { key, fileId }, result }) => ({ key, fileId, result })),
});
