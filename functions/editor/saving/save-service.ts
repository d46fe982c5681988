import { setTimeout as sleep } from 'node:timers/promises';
import type { Files } from '../../../shared/files/files.ts';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { EditedDocuments } from '../../../shared/ports/templates.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { type DeliveredSave, isTerminal } from '../domain/callback.ts';
import { downloadAddress, downloadIdentity } from '../domain/download-address.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import { problems } from '../errors.ts';
import {
  identityOf,
  type SaveClaim,
  SaveLost,
  type SaveRepository,
} from '../store/save-repository.ts';
import type { FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import type { SaveDownload } from './save-download.ts';
import { planSave, type SavePlan } from './save-plan.ts';
import type { SaveRecord } from './save-record.ts';
import { type Arrived, SaveSink } from './save-sink.ts';
import type { SaveWriter, StoredDocument } from './save-writer.ts';

interface SaveServiceDependencies {
  readonly docs: {
    readonly documentServerUrl?: string | undefined;
    readonly documentServerInternalUrl?: string | undefined;
    readonly allowedDownloadOrigins: readonly string[];
  };
  readonly saves: SaveRepository;
  readonly sessions: SessionRepository;
  readonly download: SaveDownload;
  readonly writer: SaveWriter;
  readonly record: SaveRecord;
  readonly files: Files;
  readonly documents: BoundPort<EditedDocuments>;
  readonly unitOfWork: RunUnitOfWork;
  readonly ids: IdGenerator;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

/** A save that is being stored. */
interface Work {
  readonly context: ContextClaims;
  readonly callback: DeliveredSave;
  readonly claim: SaveClaim;
  readonly plan: SavePlan;
  readonly fileKey: FileKey | undefined;
}

const WAIT_MS = 20_000;
const LOOK_MS = 500;

/** Stores what the editing server has saved: each save once, however often it is reported. */
export class SaveService {
  readonly #deps: SaveServiceDependencies;

  constructor(dependencies: SaveServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem `DOCS_CALLBACK_INVALID` (400), `DOCS_SAVE_TOO_LARGE` (413), `DOCS_SAVE_UNAVAILABLE` (503): the
   *   editing server tries again
   */
  async save(context: ContextClaims, callback: DeliveredSave): Promise<void> {
    const address = this.#addressOf(callback);
    const identity = identityOf(callback.status, downloadIdentity(address));
    const claim = { key: context.key, identity, owner: this.#deps.ids() };
    if ((await this.#take(claim)) === 'done') return;
    try {
      await this.#saveOwn(address, context, callback, claim);
    } catch (error) {
      if (error instanceof SaveLost) throw problems.saveNotPossible({ cause: error });
      await this.#deps.saves.release(claim);
      await this.#deps.record.failed(context, callback.status, error);
      throw error;
    }
  }

  #addressOf({ url }: DeliveredSave): string {
    const { docs } = this.#deps;
    const { documentServerUrl = '', documentServerInternalUrl: internalUrl } = docs;
    const others = docs.allowedDownloadOrigins;
    const address = downloadAddress(url, { documentServerUrl, internalUrl, others });
    if (address !== undefined) return address;
    throw problems.callbackInvalid({ reason: 'url is none of the editing server' });
  }

  /** Waits for whoever works on the same save: an answer at once would use up the editing server's tries. */
  async #take(claim: SaveClaim): Promise<'own' | 'done'> {
    const { saves, pause = sleep } = this.#deps;
    for (let waited = 0; waited <= WAIT_MS; waited += LOOK_MS) {
      const found = await saves.claim(claim);
      if (found !== 'busy') return found;
      await pause(LOOK_MS);
    }
    throw problems.saveNotPossible({ detail: 'Another call is storing the document.' });
  }

  async #saveOwn(
    address: string,
    context: ContextClaims,
    callback: DeliveredSave,
    claim: SaveClaim,
  ): Promise<void> {
    const { sessions, files, download, writer } = this.#deps;
    const { fid: fileId, key } = context;
    const [fileKey, session, stored] = await Promise.all([
      sessions.keyOf(fileId),
      sessions.find(key),
      files.facts(fileId),
    ]);
    const plan = planSave({ fileId, key, callback, fileKey, session, stored });
    const place = { files, path: plan.path, contentType: contentTypeOf(plan.extension) };
    const sink = new SaveSink(place);
    await download.fetch(address, sink);
    const arrived = await sink.arrived();
    writer.requireDocument(arrived, plan.extension);
    await this.#store({ context, callback, claim, plan, fileKey }, arrived);
  }

  /** The document first: what refers to it finds it. The key changes with the record that it is stored, never before. */
  async #store(work: Work, arrived: Arrived): Promise<void> {
    const { unitOfWork, saves, record, sessions, writer } = this.#deps;
    const { context, plan, fileKey } = work;
    const isKnown = await this.#isKnownElsewhere(work, arrived);
    const plain = isKnown ? undefined : await writer.write(context.fid, plan, arrived, fileKey);
    await unitOfWork(async (unit) => {
      const current = await sessions.keyOf(context.fid);
      if (!plan.isStale && current?.key !== context.key) {
        throw problems.saveNotPossible({ detail: 'The key of the document has changed.' });
      }
      const stored = plain ?? (await this.#storeElsewhere(unit, work, arrived));
      saves.stageDone(unit, work.claim);
      await record.stageSaved(unit, {
        ...{ context, callback: work.callback, stored, sentHash: arrived.hash },
        fileKey: plan.isStale ? undefined : current,
      });
    });
  }

  /** What an interrupted save has left in the place of a document is for the module to judge whose document it is. */
  async #isKnownElsewhere({ context, plan }: Work, { kind }: Arrived): Promise<boolean> {
    const { documents } = this.#deps;
    const isCopy = plan.conflict && !plan.isReplaced;
    if (isCopy || kind === 'parts' || !documents.isOn) return false;
    return (await documents.use().find(context.fid)) !== undefined;
  }

  /** In the storage of the module whose document it is, by its rules. */
  async #storeElsewhere(
    unit: UnitOfWork,
    { context, callback, plan, fileKey }: Work,
    arrived: Arrived,
  ): Promise<StoredDocument> {
    const { documents, writer } = this.#deps;
    if (arrived.kind !== 'whole') throw new Error('A document in parts is stored as it is');
    const saved = await documents.use().save(unit, {
      ...{ fileId: context.fid, bytes: arrived.bytes },
      userId: callback.userId ?? context.sub,
      isTerminal: isTerminal(callback.status),
    });
    if (saved !== undefined && saved !== 'conflict') {
      const { path, sizeBytes, hash, warningCodes: warnings } = saved;
      return { ...{ path, sizeBytes, hash, warnings }, conflict: false };
    }
    const beside =
      saved === 'conflict'
        ? planSave({
            ...{ fileId: context.fid, key: context.key, callback, stored: undefined },
            ...{ fileKey: undefined, session: undefined },
          })
        : plan;
    return writer.write(context.fid, beside, arrived, fileKey);
  }
}
