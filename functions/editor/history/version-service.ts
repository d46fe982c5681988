import type { Files } from '../../../shared/files/files.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { extensionOf } from '../domain/file-id.ts';
import { type ShownVersion, shownVersion, versionKeyOf } from '../domain/history.ts';
import { problems } from '../errors.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import type { DocumentAccess } from '../opening/document-access.ts';
import type { DocumentVersion } from '../store/version-items.ts';
import type { EditorTokens } from '../tokens/editor-tokens.ts';
import type { AskedDocument, DocumentFinder, FoundDocument } from './document-finder.ts';

interface VersionServiceDependencies {
  readonly finder: DocumentFinder;
  readonly access: DocumentAccess;
  readonly addresses: FileAddresses;
  readonly tokens: EditorTokens;
  readonly files: Files;
  readonly config: { readonly docs: { readonly tokenExpiration: number } };
}

/** What an editor's `refreshHistory` takes; it ignores `fileId`. */
export interface DocumentHistory {
  /** Present path of the document. */
  readonly fileId: string;
  readonly currentVersion: number;
  /** Oldest first. */
  readonly history: readonly ShownVersion[];
}

/** What an editor opens of a version. */
interface OpenedVersion {
  readonly fileType: string;
  readonly key: string;
  readonly url: string;
}

/** What an editor's `setHistoryData` takes. */
export interface VersionData extends OpenedVersion {
  readonly version: number;
  readonly previous?: OpenedVersion;
  /** Only with `previous`: what has changed since then. */
  readonly changesUrl?: string;
  /** JWT over all of it. */
  readonly token: string;
}

/** Where the content of a version is. */
export interface VersionContent {
  readonly path: string;
  readonly versionId?: string | undefined;
}

/** Shows the versions of documents to editors. */
export class VersionService {
  readonly #deps: VersionServiceDependencies;

  constructor(dependencies: VersionServiceDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem as `DocumentFinder.find` */
  async list(asked: AskedDocument, principal: Principal): Promise<DocumentHistory> {
    return historyOf(await this.#deps.finder.find(asked, 'view', principal));
  }

  /** @throws Problem as `list`, `DOCS_VERSION_NOT_FOUND` (404), `DOCS_VERSION_GONE` (410) */
  async open(asked: AskedDocument, number: number, principal: Principal): Promise<VersionData> {
    const { finder, access, tokens, config } = this.#deps;
    const found = await finder.find(asked, 'view', principal);
    const version = versionOf(found, number);
    if (!(await this.contentOf(found, version))) throw problems.versionGone({ version: number });
    const before = found.versions.find((each) => each.number === number - 1);
    const hasBefore = before !== undefined && (await this.contentOf(found, before)) !== undefined;
    const { download = true } = await access.permissions(found.query, principal);
    const claims = { did: found.query.documentId, sub: principal.id, dl: download };
    const signed = {
      ...(await this.#opened(found, version, claims)),
      version: number,
      ...(hasBefore && { previous: await this.#opened(found, before, claims) }),
      ...(hasBefore &&
        version.changesPath !== undefined && {
          changesUrl: await this.#deps.addresses.of({
            ...{ ...claims, fid: version.changesPath, key: versionKeyOf(version) },
          }),
        }),
    };
    return { ...signed, token: await tokens.forServer(signed, config.docs.tokenExpiration) };
  }

  /** Where the content of a version is; `undefined` when the storage does not have it any more. */
  async contentOf(
    { current, path }: FoundDocument,
    version: DocumentVersion,
  ): Promise<VersionContent | undefined> {
    if (version.number === current.number) return { path };
    const { versionId } = version;
    // Without old versions the storage has the newest content of a path only.
    if (versionId === undefined && version.path === path) return undefined;
    const content = { path: version.path, versionId };
    const facts = await this.#deps.files.facts(version.path, versionId);
    return facts && content;
  }

  async #opened(
    { current, query }: FoundDocument,
    version: DocumentVersion,
    claims: { readonly did: string; readonly sub: string; readonly dl: boolean },
  ): Promise<OpenedVersion> {
    const { path: fid, versionId } = version;
    const key = versionKeyOf(version);
    const isOld = version.number !== current.number && versionId !== undefined;
    const url = await this.#deps.addresses.of({
      ...{ ...claims, fid, key },
      ...(isOld && { v: versionId }),
    });
    return { fileType: extensionOf(fid) || extensionOf(query.fileName), key, url };
  }
}

/** @throws Problem `DOCS_VERSION_NOT_FOUND` (404) */
export function versionOf({ versions }: FoundDocument, number: number): DocumentVersion {
  const version = versions.find((each) => each.number === number);
  if (!version) throw problems.versionNotFound({ version: number });
  return version;
}

export const historyOf = ({ path, current, versions }: FoundDocument): DocumentHistory => ({
  fileId: path,
  currentVersion: current.number,
  history: versions.toReversed().map(shownVersion),
});
