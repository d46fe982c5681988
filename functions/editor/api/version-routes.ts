import { etag, noContent, ok } from '../../../shared/http/reply.ts';
import { authenticated, type Route, route } from '../../../shared/http/route.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { problems } from '../errors.ts';
import type { VersionRemoval } from '../history/version-removal.ts';
import type { VersionRestore } from '../history/version-restore.ts';
import type { DocumentHistory, VersionService } from '../history/version-service.ts';
import type { DocumentAccess } from '../opening/document-access.ts';
import { DOCUMENTS_PATH } from '../paths.ts';
import { decodedDocumentId } from './document-id.ts';
import * as schemas from './version-schemas.ts';

export interface VersionRouteServices {
  readonly access: Pick<DocumentAccess, 'requireOneService'>;
  readonly versionService: OnDemand<VersionService>;
  readonly versionRemoval: OnDemand<VersionRemoval>;
  readonly versionRestore: OnDemand<VersionRestore>;
}

const VERSIONS_PATH = `${DOCUMENTS_PATH}/{documentId}/versions`;
const FIND_PROBLEMS = [httpProblems.forbidden, problems.sessionNotFound, problems.documentNotFound];
const VERSION_PROBLEMS = [...FIND_PROBLEMS, problems.versionNotFound, problems.versionGone];
const history = {
  description: 'The versions, as refreshHistory of an editor takes them',
  schema: schemas.documentHistory,
  example: schemas.exampleHistory,
  headers: { etag: 'The current version, quoted; send it back in If-Match.' },
};
const NO_STORE = { 'cache-control': 'no-store' };

const toReply = (found: DocumentHistory) =>
  ok(found, { ...NO_STORE, ...etag(found.currentVersion) });

/** Versions of documents, in the forms of an editor. */
export function versionRoutes({
  access,
  versionService,
  versionRemoval,
  versionRestore,
}: VersionRouteServices): Route[] {
  const common = { access: authenticated, guard: () => access.requireOneService() };
  return [
    route({
      operationId: 'listDocumentVersions',
      method: 'GET',
      path: VERSIONS_PATH,
      summary: 'Lists the versions of a document',
      description:
        'The answer goes into refreshHistory of the editor as it is. Asks the host for the mode view.',
      ...common,
      params: schemas.listParams,
      query: schemas.versionQuery,
      responses: { 200: history },
      problems: FIND_PROBLEMS,
      handle: async ({ params, query, principal }) => {
        const documentId = decodedDocumentId(params.documentId);
        return toReply(await versionService.list({ ...query, documentId }, principal));
      },
    }),
    route({
      operationId: 'deleteDocumentVersions',
      method: 'DELETE',
      path: VERSIONS_PATH,
      summary: 'Deletes the old versions of a document, who made them and what they changed',
      description:
        'At once, for good; the document itself stays. For hosts that have deleted a document, too. Asks the host for the mode edit.',
      ...common,
      params: schemas.listParams,
      query: schemas.versionQuery,
      responses: { 204: { description: 'They are deleted' } },
      problems: FIND_PROBLEMS,
      handle: async ({ params, query, principal }) => {
        const documentId = decodedDocumentId(params.documentId);
        await versionRemoval.remove({ ...query, documentId }, principal);
        return noContent();
      },
    }),
    route({
      operationId: 'openDocumentVersion',
      method: 'GET',
      path: `${VERSIONS_PATH}/{version}`,
      summary: 'Returns a version of a document for an editor',
      description:
        'The answer goes into setHistoryData of the editor as it is. Asks the host for the mode view.',
      ...common,
      params: schemas.versionParams,
      query: schemas.versionQuery,
      responses: {
        200: {
          description: 'The version, signed',
          schema: schemas.versionData,
          example: schemas.exampleVersion,
        },
      },
      problems: VERSION_PROBLEMS,
      handle: async ({ params: { documentId: given, version }, query, principal }) => {
        const asked = { ...query, documentId: decodedDocumentId(given) };
        return ok(await versionService.open(asked, version, principal), NO_STORE);
      },
    }),
    route({
      operationId: 'restoreDocumentVersion',
      method: 'POST',
      path: `${VERSIONS_PATH}/{version}:restore`,
      summary: 'Makes an old version the newest one',
      description:
        'Nothing is lost: what was the newest stays a version. Refused while somebody edits the document. Asks the host for the mode edit.',
      ...common,
      params: schemas.versionParams,
      query: schemas.versionQuery,
      conditional: true,
      responses: { 200: history },
      problems: [
        ...VERSION_PROBLEMS,
        ...[problems.documentClosed, problems.documentOpen, problems.documentChanged],
        ...[problems.saveTooLarge, problems.serverUnavailable],
      ],
      handle: async ({ params: { documentId: given, version }, query, ifMatch, principal }) => {
        const asked = { ...query, documentId: decodedDocumentId(given), ifMatch };
        return toReply(await versionRestore.restore(asked, version, principal));
      },
    }),
  ];
}
