import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type {
  EditedDocument,
  EditedDocuments,
  EditorSave,
} from '../../../shared/ports/templates.ts';
import { once } from '../../../shared/primitives/once.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { type DeliveredSave, isTerminal } from '../domain/callback.ts';
import type { Arrived } from '../downloads/save-sink.ts';
import type { SaveClaim } from '../store/save-repository.ts';
import type { WrittenContent } from '../store/session-items.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import type { CopyPlaces } from './copy-places.ts';
import { planSave, type SavePlan } from './save-plan.ts';
import type { PlannedSave } from './save-planner.ts';
import { expectation, type SaveWriter, type StoredDocument } from './save-writer.ts';

interface SavesElsewhereDependencies {
  readonly places: CopyPlaces;
  readonly documents: BoundPort<EditedDocuments>;
  readonly writer: SaveWriter;
}

/** A save that is being stored. */
export interface SaveWork extends PlannedSave {
  readonly context: ContextClaims;
  readonly callback: DeliveredSave;
  readonly claim: SaveClaim;
}

/** A save that may write. */
export interface WritingSave extends SaveWork {
  /** Called before anything is written. */
  begin(content: WrittenContent): Promise<void>;
}

/** Saves of documents that are another module's: it stores them by its own rules. */
export class SavesElsewhere {
  readonly #deps: SavesElsewhereDependencies;

  constructor(dependencies: SavesElsewhereDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The document of another module whose place a save would take; what an interrupted save has left there is for that
   * module to judge.
   */
  async find({ context, plan }: SaveWork): Promise<EditedDocument | undefined> {
    return takesPlace(plan) ? this.documentAt(context.fid) : undefined;
  }

  /** The document of another module at a path. */
  async documentAt(fileId: string): Promise<EditedDocument | undefined> {
    const { documents } = this.#deps;
    return documents.isOn ? documents.use().find(fileId) : undefined;
  }

  /** Where the parts of a save go that is too large for the memory. */
  async pathOfParts(work: SaveWork): Promise<string> {
    const known = await this.find(work);
    if (known?.takesUnread && !known.isClosed) return work.context.fid;
    const { path, conflict } = known ? copyOf(work).plan : work.plan;
    return conflict ? (await this.#deps.places.find(path, work.claim)).path : path;
  }

  /** @throws FileChangedError when another save of the document comes at the same time */
  async store(unit: UnitOfWork, work: WritingSave, arrived: Arrived): Promise<StoredDocument> {
    const { documents, writer } = this.#deps;
    const { context, callback, session } = work;
    const saved = await documents.use().save(unit, {
      ...{ fileId: context.fid, content: this.#contentOf(work, arrived) },
      userId: callback.userId ?? context.sub,
      isTerminal: isTerminal(callback.status),
      lastPath: session?.lastSave?.path,
      expected: expectation(work.stored),
      begin: ({ warningCodes: warnings, ...content }) =>
        work.begin({ path: context.fid, warnings, ...content }),
    });
    if (saved !== undefined && saved !== 'conflict') {
      const { path, sizeBytes, hash, warningCodes: warnings, written } = saved;
      return { ...{ path, sizeBytes, hash, warnings }, conflict: false, ...written };
    }
    return writer.write(saved === 'conflict' ? copyOf(work) : work, arrived);
  }

  #contentOf(work: SaveWork, arrived: Arrived): EditorSave['content'] {
    if (arrived.kind === 'whole') return arrived.bytes;
    const { sizeBytes, hash } = arrived;
    return { sizeBytes, hash, write: once(() => this.#deps.writer.overwrite(work, arrived)) };
  }
}

/** Whether a save goes where its document lies, as far as its own sessions are concerned. */
export const takesPlace = ({ conflict, isReplaced, home }: SavePlan): boolean =>
  !home.isConverted && (!conflict || isReplaced);

/** The same save, beside the document. */
function copyOf<W extends SaveWork>(work: W): W {
  const { context, callback, plan } = work;
  const { fid: fileId, key } = context;
  const nothing = { fileKey: undefined, stored: undefined };
  return { ...work, plan: planSave({ fileId, home: plan.home, key, callback, ...nothing }) };
}
