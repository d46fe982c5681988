import type { Principal } from '../../../shared/security/principal.ts';
import type { VersionEraser } from '../versions/version-eraser.ts';
import type { AskedDocument, DocumentFinder } from './document-finder.ts';

interface VersionRemovalDependencies {
  readonly finder: Pick<DocumentFinder, 'locate'>;
  readonly eraser: Pick<VersionEraser, 'forget'>;
}

/** Deletes what is kept of old versions before its time is over: of a document that is deleted, or that asks for it. */
export class VersionRemoval {
  readonly #deps: VersionRemovalDependencies;

  constructor(dependencies: VersionRemovalDependencies) {
    this.#deps = dependencies;
  }

  /** The document itself stays as it is, or gone. @throws Problem `FORBIDDEN` (403), `DOCS_SESSION_NOT_FOUND` (404) */
  async remove(asked: AskedDocument, principal: Principal): Promise<void> {
    const { finder, eraser } = this.#deps;
    const { document } = await finder.locate(asked, 'edit', principal);
    await eraser.forget(document);
  }
}
