import { setTimeout as sleep } from 'node:timers/promises';
import { FileChangedError, type Files } from '../../../shared/files/files.ts';
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
import type { SessionRepository } from '../store/session-repository.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import type { SaveDownload } from './save-download.ts';
import { planSave } from './save-plan.ts';
import type { PlannedSave, SavePlanner } from './save-planner.ts';
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
  readonly planner: SavePlanner;
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
interface Work extends PlannedSave {
  readonly context: ContextClaims;
  readonly callback: DeliveredSave;
  readonly claim: SaveClaim;
}

const WAIT_MS = 20_000;
const LOOK_MS = 500;
/** How often a save is planned anew because its document changes at the same time. */
const MOST_PLANS = 3;

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
      // Without its release the save is free when its lease ends; that it has failed is told in any case.
      await this.#deps.saves.release(claim).catch(() => undefined);
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
    const { planner, files, download, writer } = this.#deps;
    const before = await planner.plan(context, callback);
    const { path, extension } = before.plan;
    const sink = new SaveSink({ files, path, contentType: contentTypeOf(extension) });
    await download.fetch(address, sink);
    try {
      const arrived = await sink.arrived();
      writer.requireDocument(arrived, extension);
      await this.#storeAsPlanned({ context, callback, claim }, before, arrived);
    } catch (error) {
      await sink.drop().catch(() => undefined);
      throw error;
    }
  }

  /** The download takes its time: what it replaces is decided behind it, again whenever that has changed. */
  async #storeAsPlanned(
    save: Pick<Work, 'context' | 'callback' | 'claim'>,
    before: PlannedSave,
    arrived: Arrived,
  ): Promise<void> {
    const { planner } = this.#deps;
    const earlier = { before, sentHash: arrived.hash };
    for (let plans = 1; ; plans += 1) {
      const planned = await planner.plan(save.context, save.callback, earlier);
      try {
        await this.#store({ ...save, ...planned }, arrived);
        return;
      } catch (error) {
        if (!(error instanceof FileChangedError)) throw error;
        if (plans === MOST_PLANS) throw problems.saveNotPossible({ cause: error });
      }
    }
  }

  /** The document first: what refers to it finds it. The key changes with the record that it is stored, never before. */
  async #store(work: Work, arrived: Arrived): Promise<void> {
    const { unitOfWork, saves, record, sessions, writer } = this.#deps;
    const { context, plan } = work;
    const isKnown = await this.#isKnownElsewhere(work, arrived);
    const plain = isKnown ? undefined : await writer.write(context.fid, work, arrived);
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
  async #storeElsewhere(unit: UnitOfWork, work: Work, arrived: Arrived): Promise<StoredDocument> {
    const { documents, writer } = this.#deps;
    const { context, callback, plan } = work;
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
            ...{ fileId: context.fid, fileName: context.fn, key: context.key, callback },
            ...{ stored: undefined, fileKey: undefined },
          })
        : plan;
    return writer.write(context.fid, { ...work, plan: beside }, arrived);
  }
}
