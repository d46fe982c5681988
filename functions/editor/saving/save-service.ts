import { setTimeout as sleep } from 'node:timers/promises';
import { FileChangedError, type Files, FileTooLargeError } from '../../../shared/files/files.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { once } from '../../../shared/primitives/once.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeliveredSave } from '../domain/callback.ts';
import { downloadIdentity } from '../domain/download-address.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import type { SaveDownload } from '../downloads/save-download.ts';
import { type Arrived, type MemoryLimits, SaveSink } from '../downloads/save-sink.ts';
import { problems } from '../errors.ts';
import {
  identityOf,
  type SaveClaim,
  SaveLost,
  type SaveRepository,
} from '../store/save-repository.ts';
import type { FileKey, WrittenContent } from '../store/session-items.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import type { BegunWrites } from './begun-writes.ts';
import type { LeftWrites } from './left-writes.ts';
import { homeOf } from './save-plan.ts';
import type { KnownEditing, PlannedSave, SavePlanner } from './save-planner.ts';
import type { SaveRecord } from './save-record.ts';
import type { SaveWriter } from './save-writer.ts';
import type { SavedVersions } from './saved-versions.ts';
import { type SavesElsewhere, type SaveWork, takesPlace } from './saves-elsewhere.ts';
import { WriteBusy } from './write-intents.ts';

interface SaveServiceDependencies {
  readonly saves: SaveRepository;
  readonly planner: SavePlanner;
  readonly download: SaveDownload;
  readonly begun: BegunWrites;
  readonly left: Pick<LeftWrites, 'finish'>;
  readonly writer: SaveWriter;
  readonly record: SaveRecord;
  readonly versions: SavedVersions;
  readonly files: Files;
  readonly elsewhere: SavesElsewhere;
  readonly unitOfWork: RunUnitOfWork;
  readonly ids: IdGenerator;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
  /** How much of a download is in memory. */
  readonly memory?: MemoryLimits | undefined;
}

/** A save that is reported, and who stores it. */
interface Reported extends Pick<SaveWork, 'context' | 'callback' | 'claim'> {
  /** What the sessions of the file had stored when the download began. */
  readonly before: FileKey | undefined;
  /** Whether the document is another module's. */
  readonly isElsewhere: () => Promise<boolean>;
  /** What it has changed, packed by the editing server. */
  readonly changes: Uint8Array | undefined;
}

type TellFailure = (error: unknown) => Promise<void>;

const WAIT_MS = 20_000;
const LOOK_MS = 500;
/** How often a save looks whether another one still writes the same document: for 8 s. */
const MOST_LOOKS = 16;
/** How often a save is planned anew because its document changes at the same time. */
const MOST_PLANS = 5;

/** Stores what the editing server has saved: each save once, however often it is reported. */
export class SaveService {
  readonly #deps: SaveServiceDependencies;

  constructor(dependencies: SaveServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @param content what is at the address, where that may be something else each time
   * @param tell keeps account of a failure; default: in the session, with an event and the alarm
   * @throws Problem `DOCS_CALLBACK_INVALID` (400), `DOCS_SAVE_TOO_LARGE` (413), `DOCS_SAVE_UNAVAILABLE` (503): the
   *   editing server tries again
   */
  async save(
    context: ContextClaims,
    callback: DeliveredSave,
    content = '',
    tell: TellFailure = (error) => this.#deps.record.failed(context, callback.status, error),
  ): Promise<void> {
    const address = this.#deps.download.addressOf(callback.url);
    const identity = identityOf(callback.status, downloadIdentity(address) + content);
    const claim = { key: context.key, identity, owner: this.#deps.ids() };
    if ((await this.#take(claim)) === 'done') return;
    try {
      await this.#saveOwn(address, context, callback, claim);
    } catch (cause) {
      const { saves, begun } = this.#deps;
      if (cause instanceof SaveLost) {
        if (await saves.isDone(claim)) return;
        throw problems.saveNotPossible({ cause });
      }
      // A storage that takes no such document takes none at the next try either.
      const isTooLarge = cause instanceof FileTooLargeError;
      const error = isTooLarge ? problems.saveTooLarge({ maxBytes: cause.maxBytes }) : cause;
      // Without its release the save is free when its lease ends; that it has failed is told in any case.
      await Promise.allSettled([saves.release(claim), begun.release(context.fid, claim.owner)]);
      await tell(error);
      throw error;
    }
  }

  /** What the editor shows in colour; a document is saved without it, too. */
  async #changesOf({ changesUrl, history }: DeliveredSave): Promise<Uint8Array | undefined> {
    const url = history && changesUrl;
    return url === undefined ? undefined : this.#deps.download.changes(url);
  }

  /** Waits for whoever works on the same save: an answer at once would use up the editing server's tries. */
  async #take(claim: SaveClaim): Promise<'own' | 'done'> {
    const { saves, pause = sleep } = this.#deps;
    let found = await saves.begin(claim);
    for (let waited = 0; found === 'busy' && waited < WAIT_MS; waited += LOOK_MS) {
      await pause(LOOK_MS);
      found = await saves.claim(claim);
    }
    if (found !== 'busy') return found;
    throw problems.saveNotPossible({ detail: 'Another call is storing the document.' });
  }

  async #saveOwn(
    address: string,
    context: ContextClaims,
    callback: DeliveredSave,
    claim: SaveClaim,
  ): Promise<void> {
    const { planner, files, download, writer, elsewhere } = this.#deps;
    const { extension } = homeOf(context.fid, context.fn, callback);
    const looking = planner.before(context);
    // Its failure counts once the download has ended.
    looking.catch(() => undefined);
    const path = async () => {
      const planned = await planner.plan(context, callback);
      return elsewhere.pathOfParts({ context, callback, claim, ...planned });
    };
    const contentType = contentTypeOf(extension);
    const sink = new SaveSink({ files, path, contentType, ...this.#deps.memory });
    try {
      const [changes] = await Promise.all([
        this.#changesOf(callback),
        download.fetch(address, sink),
      ]);
      const before = await looking;
      const arrived = await sink.arrived();
      writer.requireDocument(arrived, extension);
      const isElsewhere = once(async () => (await elsewhere.documentAt(context.fid)) !== undefined);
      const save = { context, callback, claim, changes, before, isElsewhere };
      await this.#storeAsPlanned(save, arrived);
    } finally {
      await sink.drop().catch(() => undefined);
    }
  }

  /** The download takes its time: what it replaces is decided behind it, again whenever that has changed. */
  async #storeAsPlanned(save: Reported, arrived: Arrived): Promise<void> {
    const { planner, pause = sleep } = this.#deps;
    let { before } = save;
    let plans = MOST_PLANS;
    let looks = MOST_LOOKS;
    while (plans > 0 && looks > 0) {
      const earlier = { before, sentHash: arrived.hash };
      const planning = planner.plan(save.context, save.callback, earlier);
      const [planned] = await Promise.all([planning, this.#prepare(save, arrived)]);
      const isOthers = planned.begun && planned.begun.identity !== save.claim.identity;
      const outcome = isOthers
        ? 'changed'
        : await this.#tryToStore({ ...save, ...planned }, arrived);
      if (outcome === 'stored') return;
      if (isOthers) before = await this.#afterOther(save, before, planned);
      if (outcome === 'changed') plans -= 1;
      else {
        looks -= 1;
        await pause(LOOK_MS);
      }
    }
    throw problems.saveNotPossible({ detail: 'Others store the document at the same time.' });
  }

  /** What no other module stores is normalised while its plan is read. */
  async #prepare({ context, callback, isElsewhere }: Reported, arrived: Arrived): Promise<void> {
    if (arrived.kind !== 'whole' || (await isElsewhere())) return;
    const { extension } = homeOf(context.fid, context.fn, callback);
    await this.#deps.writer.normalised(arrived, extension);
  }

  async #tryToStore(
    work: SaveWork & Reported,
    arrived: Arrived,
  ): Promise<'stored' | 'changed' | 'busy'> {
    try {
      await this.#store(work, arrived);
      return 'stored';
    } catch (error) {
      if (error instanceof WriteBusy) return 'busy';
      if (error instanceof FileChangedError) return 'changed';
      throw error;
    }
  }

  /** Ends a save of another call: what it has stored is a version of its own. @returns what its sessions had stored before the download */
  async #afterOther(
    { context }: Reported,
    before: FileKey | undefined,
    { begun, stored }: PlannedSave,
  ): Promise<FileKey | undefined> {
    if (!begun || !stored) return before;
    const fileKey = await this.#deps.left.finish(context.fid, begun, stored);
    // What had begun before the download is older than it.
    const isOlder = before?.writes?.some(({ owner }) => owner === begun.owner);
    return isOlder && fileKey ? fileKey : before;
  }

  /** The document first: what refers to it finds it. The key changes with the record that it is stored, never before. */
  async #store(work: SaveWork & Reported, arrived: Arrived): Promise<void> {
    const { unitOfWork, saves, record, planner, versions, writer, elsewhere } = this.#deps;
    const { context, callback, plan, begun } = work;
    let { fileKey: latest } = work;
    const begin = async (content: WrittenContent): Promise<void> => {
      latest = latest && (await this.#deps.begun.begin(work, arrived.hash, content, latest));
    };
    const writing = { ...work, begin };
    const isElsewhere = takesPlace(plan) && (await work.isElsewhere());
    const looking = isElsewhere ? undefined : versions.look(plan.path);
    // Its failure counts once the write has ended.
    looking?.catch(() => undefined);
    const plain = isElsewhere ? undefined : await writer.write(writing, arrived);
    let newest = await looking;
    let known: KnownEditing | undefined = { ...work, fileKey: latest };
    await unitOfWork(async (unit) => {
      // What was planned with holds unless somebody writes it at the same time: then the unit runs again.
      const editing = known ?? (await planner.editingOf(context));
      const behind = newest;
      [known, newest] = [undefined, undefined];
      latest = editing.fileKey;
      if (!plan.isStale && latest?.key !== context.key) {
        throw problems.saveNotPossible({ detail: 'The key of the document has changed.' });
      }
      const stored = plain ?? (await elsewhere.store(unit, writing, arrived));
      saves.stageDone(unit, work.claim);
      const fileKey = await this.#deps.begun.stageEnded(unit, work, latest, stored);
      const saved = { context, callback, plan, fileKey, session: editing.session };
      await record.stageSaved(unit, { ...saved, stored, sentHash: arrived.hash });
      const before = begun ? begun.replaced : work.stored;
      await versions.stage(unit, { ...saved, stored: before }, stored, work.changes, behind);
    });
  }
}
