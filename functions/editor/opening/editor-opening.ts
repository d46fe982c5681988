import type { Files } from '../../../shared/files/files.ts';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { DocsEditorQuery, FileFacts } from '../../../shared/ports/documents.ts';
import type { EditedDocument, EditedDocuments } from '../../../shared/ports/templates.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EditorConfig } from '../configuration.ts';
import {
  editorAddresses,
  type SignedConfig,
  signedConfig,
  type UserRights,
} from '../domain/editor-config.ts';
import { extensionOf, isDocumentPath, titleOf } from '../domain/file-id.ts';
import { documentTypeOf } from '../domain/file-types.ts';
import { languageOf } from '../domain/language.ts';
import { canChange, modeFor } from '../domain/modes.ts';
import { problems } from '../errors.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import type { FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { EditorTokens } from '../tokens/editor-tokens.ts';
import type { DocumentAccess } from './document-access.ts';
import type { KeyKeeper } from './key-keeper.ts';

/** Makes the section of the plugins; `undefined` when there is none for a document. */
export type PluginSection = (facts: {
  readonly query: DocsEditorQuery;
  readonly document: EditedDocument | undefined;
  readonly principal: Principal;
  readonly locale: string;
}) => Promise<object | undefined>;

interface EditorOpeningDependencies {
  readonly config: EditorConfig;
  readonly access: DocumentAccess;
  readonly files: Files;
  readonly isOwnBucket: boolean;
  readonly sessions: SessionRepository;
  readonly keys: KeyKeeper;
  readonly tokens: EditorTokens;
  readonly addresses: FileAddresses;
  readonly documents: BoundPort<EditedDocuments>;
  readonly plugins: PluginSection;
  /** Address of the API for browsers. */
  readonly publicBase: () => string;
  /** Address of the API for the editing server. */
  readonly serverBase: () => string;
  readonly locale: string;
}

/** Who opens a document, and with what. */
export interface Opener {
  readonly principal: Principal;
  readonly acceptLanguage: string | undefined;
  readonly userAgent: string | undefined;
}

/** The configuration of an editor: given to its constructor as it is. */
export interface EditorConfigResponse extends SignedConfig {
  readonly documentServerUrl: string;
  readonly apiJsUrl: string;
  readonly token: string;
}

/** Opens documents in the editor. */
export class EditorOpening {
  readonly #deps: EditorOpeningDependencies;

  constructor(dependencies: EditorOpeningDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem `FORBIDDEN` (403), `DOCS_FILE_NOT_FOUND` (404), `DOCS_FILE_TYPE_UNSUPPORTED` (415), `DOCS_FILE_TOO_LARGE` (422)
   */
  async open(query: DocsEditorQuery, opener: Opener): Promise<EditorConfigResponse> {
    const { access, sessions, documents, config } = this.#deps;
    const { principal } = opener;
    await access.require(query, principal);
    const [facts, known, document, granted] = await Promise.all([
      this.#factsOf(query),
      sessions.keyOf(query.fileId),
      documents.isOn ? documents.use().find(query.fileId) : undefined,
      access.permissions(query, principal),
    ]);
    const { tenant = '' } = principal;
    if (document && (document.tenant ?? tenant) !== tenant) throw problems.documentNotFound();
    const extension = extensionOf(query.fileName) || extensionOf(query.fileId);
    const documentType = documentTypeOf(extension);
    if (!documentType) throw problems.documentTypeUnsupported({ extension });
    const isClosed =
      document !== undefined && (document.isClosed || (await this.#isOld(query, document, known)));
    const mode = modeFor(query.mode, extension, isClosed);
    const { fileId, fileName, documentId } = query;
    const { etag, versionId } = facts;
    const file = { fileId, fileName, documentId, tenant, etag, versionId };
    const fileKey = await this.#deps.keys.currentKey(file, known);
    const { documentServerUrl = '' } = config.docs;
    const rights = rightsOf(granted);
    const opened = { ...query, mode };
    const locale = languageOf(opener.acceptLanguage, this.#deps.locale);
    const addresses = editorAddresses(documentServerUrl);
    const hasPlugin =
      documentType === 'word' && mode === 'edit' && query.templateType !== undefined;
    const signed = signedConfig({
      ...{ documentServerUrl, documentType, mode, rights, locale },
      ...{ fileType: extension, key: fileKey.key, documentId, templateType: query.templateType },
      title: titleOf(fileName, fileId),
      instanceId: this.#deps.publicBase(),
      fileUrl: await this.#deps.addresses.of({
        ...{ fid: fileId, did: documentId, sub: principal.id, key: fileKey.key },
        dl: rights.download,
      }),
      callbackUrl: canChange(mode)
        ? await this.#callbackUrl(opened, fileKey, principal)
        : undefined,
      user: { id: principal.id, name: granted.displayName || principal.username },
      isMobile: /Mobi|Android|iPhone|iPad/.test(opener.userAgent ?? ''),
      plugins: hasPlugin
        ? await this.#deps.plugins({ query: opened, document, principal, locale })
        : undefined,
    });
    const token = await this.#deps.tokens.forServer(signed, config.docs.tokenExpiration);
    return { ...addresses, ...signed, token };
  }

  /** Whether there is a newer file, and not by whoever edits this one at the moment: they go on together. */
  async #isOld(
    { fileId }: DocsEditorQuery,
    { newestFile }: EditedDocument,
    known: FileKey | undefined,
  ): Promise<boolean> {
    if (newestFile === fileId) return false;
    const session = known && (await this.#deps.sessions.find(known.key));
    return session?.state !== 'OPEN' || session.lastSave?.path !== newestFile;
  }

  async #factsOf({ fileId }: DocsEditorQuery): Promise<FileFacts> {
    const { files, isOwnBucket } = this.#deps;
    const facts = isDocumentPath(fileId, isOwnBucket) ? await files.facts(fileId) : undefined;
    if (!facts) throw problems.documentNotFound();
    const { sizeBytes } = facts;
    const maxBytes = files.maxInlineBytes;
    if (maxBytes !== undefined && sizeBytes > maxBytes) {
      throw problems.documentTooLarge({ sizeBytes, maxBytes });
    }
    return facts;
  }

  async #callbackUrl(
    { fileId, fileName, documentId, templateType, mode }: DocsEditorQuery,
    { key, rev }: FileKey,
    { id: sub, tenant }: Principal,
  ): Promise<string> {
    const { tokens, config, serverBase } = this.#deps;
    const { callbackPath, callbackContextTokenExpiration: seconds } = config.docs;
    const claims = {
      ...{ fid: fileId, fn: fileName, did: documentId, mode, sub, key, rev },
      ...(templateType && { tt: templateType }),
      ...(tenant !== undefined && { tn: tenant }),
    };
    const token = await tokens.issueContext(claims, seconds);
    return `${serverBase()}${callbackPath}?contextToken=${token}`;
  }
}

const rightsOf = ({
  download = true,
  print = true,
  copy = true,
}: Partial<{ [right in keyof UserRights]: boolean | undefined }>): UserRights => ({
  ...{ download, print, copy },
});
