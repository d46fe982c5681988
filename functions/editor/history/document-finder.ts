import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { DocsEditorQuery } from '../../../shared/ports/documents.ts';
import type { EditedDocument, EditedDocuments } from '../../../shared/ports/templates.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { isDocumentPath, titleOf } from '../domain/file-id.ts';
import { problems } from '../errors.ts';
import type { DocumentAccess } from '../opening/document-access.ts';
import type { LeftWrites } from '../saving/left-writes.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { DocumentNow, VersionKeeper } from '../versions/version-keeper.ts';

interface DocumentFinderDependencies {
  readonly access: DocumentAccess;
  readonly sessions: SessionRepository;
  readonly keeper: Pick<VersionKeeper, 'listWith'>;
  readonly left: Pick<LeftWrites, 'settle'>;
  readonly documents: BoundPort<EditedDocuments>;
  readonly isOwnBucket: boolean;
}

/** What somebody asks for. */
export interface AskedDocument {
  readonly documentId: string;
  /** Default: the file that it was opened with last. */
  readonly fileId?: string | undefined;
  readonly fileName?: string | undefined;
}

/** A document that the caller may open. */
interface LocatedDocument {
  readonly query: DocsEditorQuery;
  /** Facts of it in another module. */
  readonly known: EditedDocument | undefined;
  /** Its present path. */
  readonly path: string;
  /** What all its files have in common. */
  readonly document: string;
}

/** A document with its versions. */
export interface FoundDocument extends LocatedDocument, DocumentNow {}

/** Finds documents with their versions, for those who may open them. */
export class DocumentFinder {
  readonly #deps: DocumentFinderDependencies;

  constructor(dependencies: DocumentFinderDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `FORBIDDEN` (403), `DOCS_SESSION_NOT_FOUND`, `DOCS_FILE_NOT_FOUND` (404) */
  async find(
    asked: AskedDocument,
    mode: 'view' | 'edit',
    principal: Principal,
  ): Promise<FoundDocument> {
    const { left, keeper } = this.#deps;
    const located = await this.locate(asked, mode, principal);
    const { document, path } = located;
    await left.settle(path);
    const now = await keeper.listWith(document, path);
    if (!now) throw problems.documentNotFound();
    return { ...located, ...now };
  }

  /** A document, whether there is a file or not. @throws Problem `FORBIDDEN` (403), `DOCS_SESSION_NOT_FOUND` (404) */
  async locate(
    asked: AskedDocument,
    mode: 'view' | 'edit',
    principal: Principal,
  ): Promise<LocatedDocument> {
    const { access } = this.#deps;
    const { documentId } = asked;
    const opened = { ...(await this.#fileOf(asked, principal)), documentId, mode };
    await access.require(opened, principal);
    const known = await this.#knownAs(opened.fileId, principal);
    const path = known?.newestFile ?? opened.fileId;
    const query = { ...opened, fileId: path };
    // An old file, or a copy beside a document, stands for the newest one: that has rules of its own.
    if (path !== opened.fileId) await access.require(query, principal);
    return { query, known, path, document: known?.history ?? path };
  }

  async #fileOf(
    { documentId, fileId, fileName }: AskedDocument,
    { tenant = '' }: Principal,
  ): Promise<Pick<DocsEditorQuery, 'fileId' | 'fileName'>> {
    if (fileId !== undefined) return { fileId, fileName: fileName ?? titleOf('', fileId) };
    const { content } = await this.#deps.sessions.list(tenant, documentId, { size: 1 });
    const [session] = content;
    if (!session) throw problems.sessionNotFound();
    return { fileId: session.fileId, fileName: fileName ?? session.fileName };
  }

  async #knownAs(fileId: string, { tenant = '' }: Principal): Promise<EditedDocument | undefined> {
    const { documents, isOwnBucket } = this.#deps;
    if (!isDocumentPath(fileId, isOwnBucket)) throw problems.documentNotFound();
    const known = documents.isOn ? await documents.use().find(fileId) : undefined;
    if (known && (known.tenant ?? tenant) !== tenant) throw problems.documentNotFound();
    return known;
  }
}
