import { ok } from '../../../shared/http/reply.ts';
import { authenticated, type Route, route } from '../../../shared/http/route.ts';
import { withMembers } from '../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { problems } from '../errors.ts';
import type { DocumentAccess } from '../opening/document-access.ts';
import type { EditorOpening } from '../opening/editor-opening.ts';
import { EDITOR_ALIAS, EDITOR_PATH } from '../paths.ts';
import * as examples from './editor-examples.ts';
import * as schemas from './editor-schemas.ts';

export interface EditorRouteServices {
  readonly access: Pick<DocumentAccess, 'requireOneService'>;
  readonly opening: OnDemand<EditorOpening>;
}

/** The configuration of editors. */
export function editorRoutes({ access, opening }: EditorRouteServices): Route[] {
  const openDocument = route({
    operationId: 'openDocument',
    method: 'GET',
    path: EDITOR_PATH,
    summary: 'Returns the configuration of an editor for a document',
    description:
      'The answer goes into the constructor of the editor as it is. The host decides with exactly one authorization service; without one, or with several, every call is refused.',
    access: authenticated,
    guard: () => access.requireOneService(),
    query: schemas.editorQuery,
    responses: {
      200: {
        description: 'The configuration, signed',
        schema: schemas.editorConfig,
        example: examples.editorConfig,
        headers: { 'cache-control': 'Always no-store.' },
      },
    },
    problems: [
      httpProblems.forbidden,
      problems.documentNotFound,
      problems.documentTypeUnsupported,
      problems.documentTooLarge,
    ],
    handle: async ({ query, principal, headers }) =>
      ok(
        await opening.open(query, {
          principal,
          acceptLanguage: headers['accept-language'],
          userAgent: headers['user-agent'],
        }),
        { 'cache-control': 'no-store' },
      ),
  });
  return [openDocument, withMembers<Route>(openDocument, { path: EDITOR_ALIAS, isAlias: true })];
}
