import type { Host } from '../../../shared/host/host.ts';
import type { DocsEditorPermissions, DocsEditorQuery } from '../../../shared/ports/documents.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';

interface DocumentAccessDependencies {
  readonly host: Host;
  readonly log: Pick<Log, 'warn'>;
}

/** Asks the host who may open a file. */
export class DocumentAccess {
  readonly #deps: DocumentAccessDependencies;

  constructor(dependencies: DocumentAccessDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `FORBIDDEN` (403) unless the host has exactly one service that decides; the log says why */
  requireOneService(): void {
    this.#service();
  }

  /** @throws Problem `FORBIDDEN` (403) unless the host's service answers `true` */
  async require(query: DocsEditorQuery, principal: Principal): Promise<void> {
    const service = this.#service();
    try {
      if ((await service.canOpen(query, principal.id, principal)) === true) return;
    } catch (cause) {
      this.#deps.log.warn('The authorization service of the editor failed', {
        code: 'DOCS_AUTHORIZATION_SERVICE_FAILED',
        cause,
      });
    }
    throw httpProblems.forbidden({});
  }

  /** What a user may take out of a document. @throws Problem `FORBIDDEN` (403) when the host's resolver fails */
  async permissions(query: DocsEditorQuery, principal: Principal): Promise<DocsEditorPermissions> {
    const { docsEditorPermissionResolver: resolver } = this.#deps.host;
    if (!resolver) return {};
    try {
      return await resolver.resolve(query, principal.id, principal);
    } catch (cause) {
      this.#deps.log.warn('The permission resolver of the editor failed', {
        code: 'DOCS_PERMISSION_RESOLVER_FAILED',
        cause,
      });
      throw httpProblems.forbidden({});
    }
  }

  #service() {
    const services = this.#deps.host.docsEditorAuthorizationServices ?? [];
    const [service] = services;
    if (service && services.length === 1) return service;
    const code = service
      ? 'DOCS_AUTHORIZATION_SERVICE_AMBIGUOUS'
      : 'DOCS_AUTHORIZATION_SERVICE_MISSING';
    this.#deps.log.warn('The host has not exactly one authorization service of the editor', {
      ...{ code, services: services.length },
    });
    throw httpProblems.forbidden({});
  }
}
