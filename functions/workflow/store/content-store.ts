import { gunzip, gzip } from 'node:zlib';
import type { Files } from '../../../shared/files/files.ts';
import { promisify } from '../../../shared/primitives/node/node-functions.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type {
  DeploymentModel,
  DeploymentSnapshot,
} from '../domain/definitions/deployed-version.ts';
import { type ContentPart, contentKey } from './definition-keys.ts';

/** Contents of the parts. */
export interface Contents {
  readonly MODEL: DeploymentModel;
  readonly SNAPSHOT: DeploymentSnapshot;
}

/** A part as it is stored: compressed JSON in its item, or the path of the file that has it. */
export interface PackedPart {
  readonly part: ContentPart;
  readonly bytes: Uint8Array;
  readonly path?: string;
}

/** A file to be written. */
export interface ContentFile {
  readonly path: string;
  readonly body: Uint8Array;
  readonly contentType: string;
}

interface ContentItem extends Item {
  readonly bytes?: Uint8Array;
  readonly path?: string;
}

/** An item holds 400 KB. */
const MAX_ITEM_BYTES = 350_000;
/** Most that a stored part takes, compressed. */
const MAX_PART_BYTES = 64 * 1_024 * 1_024;
const MAX_DOCUMENT_BYTES = 16 * 1_024 * 1_024;
const [compress, decompress] = [promisify(gzip), promisify(gunzip)];

const folderOf = (deploymentId: string): string => `workflow/definitions/${deploymentId}`;

/** Path of the document of a deployment. */
export const modelPath = (deploymentId: string): string => `${folderOf(deploymentId)}/model.xml`;
/** Path of a document that came along, by its place in the deployment. */
export const resourcePath = (deploymentId: string, index: number): string =>
  `${folderOf(deploymentId)}/resource-${index}.xml`;

const packedPath = (deploymentId: string, part: ContentPart): string =>
  `${folderOf(deploymentId)}/${part.toLowerCase()}.json.gz`;

/** Every file that a deployment may have. @param resources number of documents that came along */
export const filesOf = (deploymentId: string, resources: number): string[] => [
  modelPath(deploymentId),
  ...Array.from({ length: resources }, (_, at) => resourcePath(deploymentId, at)),
  packedPath(deploymentId, 'MODEL'),
  packedPath(deploymentId, 'SNAPSHOT'),
];

/** Models, snapshots and documents of deployments; they never change. */
export class ContentStore {
  readonly #table: Table;
  readonly #files: Files;

  constructor({ table, files }: { readonly table: Table; readonly files: Files }) {
    this.#table = table;
    this.#files = files;
  }

  /** Compresses a part and says where it goes. */
  async pack<P extends ContentPart>(
    deploymentId: string,
    part: P,
    content: Contents[P],
  ): Promise<PackedPart> {
    const bytes = await compress(JSON.stringify(content));
    if (bytes.length <= MAX_ITEM_BYTES) return { part, bytes };
    return { part, bytes, path: packedPath(deploymentId, part) };
  }

  stage(unit: UnitOfWork, deploymentId: string, { part, bytes, path }: PackedPart): void {
    const where = path === undefined ? { bytes } : { path };
    unit.put({ ...contentKey(deploymentId, part), type: `WORKFLOW_${part}`, ...where });
  }

  async read<P extends ContentPart>(
    deploymentId: string,
    part: P,
  ): Promise<Contents[P] | undefined> {
    const item = await this.#table.get<ContentItem>(contentKey(deploymentId, part));
    if (!item) return undefined;
    const bytes = item.bytes ?? (await this.#file(item.path ?? '', MAX_PART_BYTES));
    return JSON.parse((await decompress(bytes)).toString()) as Contents[P];
  }

  /** A document as it was sent. */
  async document(path: string): Promise<string> {
    return Buffer.from(await this.#file(path, MAX_DOCUMENT_BYTES)).toString();
  }

  async write({ path, body, contentType }: ContentFile): Promise<void> {
    await this.#files.write(path, body, contentType);
  }

  async deleteFile(path: string): Promise<void> {
    await this.#files.delete(path);
  }

  stageGone(unit: UnitOfWork, deploymentId: string): void {
    unit.delete(contentKey(deploymentId, 'MODEL'));
    unit.delete(contentKey(deploymentId, 'SNAPSHOT'));
  }

  async #file(path: string, maxBytes: number): Promise<Uint8Array> {
    const file = await this.#files.read(path, maxBytes);
    if (!file) throw new Error(`The bucket has no ${path}`);
    return file.body;
  }
}
