import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { FieldCipher } from '../store/values/field-cipher.ts';
import { type JobNotes, MAX_NOTES, type NotesPlace } from './job-notes.ts';
import { Overlay, type RehearsedRecord } from './overlay.ts';
import { Rehearsal, type RehearsalDependencies } from './rehearsal.ts';

export interface KeptRehearsalsDependencies {
  readonly notes: JobNotes;
  readonly cipher: FieldCipher;
  readonly rehearsals: RehearsalDependencies;
}

/**
 * What later rows can come back to: values of records where an upsert finds them, ids where rows refer to records, and
 * only places in the tree where every record is changed once and by the same values.
 */
export type KeptParts = 'insert' | 'upsert' | 'change';

interface KeptFile {
  /** Id, id of the parent and values. */
  readonly records: readonly (readonly [string, string | null, RecordHeader?])[];
  readonly holders: readonly (readonly [string, string])[];
  readonly files: readonly string[];
  readonly isExact: boolean;
}

/** Most of the notes that values of records take, in characters. */
const MAX_VALUES = 8 * 1_024 * 1_024;

/** Keeps what a dry run would have written from step to step of its job; values of encrypted fields as cipher texts. */
export class KeptRehearsals {
  readonly #deps: KeptRehearsalsDependencies;

  constructor(dependencies: KeptRehearsalsDependencies) {
    this.#deps = dependencies;
  }

  /** The dry run as the step before has left it. */
  async open(place: NotesPlace, parts: KeptParts): Promise<Rehearsal> {
    const overlay = new Overlay(parts === 'upsert');
    const kept = await this.#deps.notes.read<KeptFile>(place);
    if (kept) fill(overlay, kept);
    return new Rehearsal(this.#deps.rehearsals, overlay);
  }

  /**
   * Keeps the dry run, which is at its end then, for the next step. What has no room is forgotten, the oldest last.
   * @returns the slot to go on with
   */
  async keep(
    model: EntityModel,
    place: NotesPlace,
    { overlay }: Rehearsal,
    parts: KeptParts,
  ): Promise<number> {
    const hasRecords = parts !== 'change' || model.definition.hierarchical;
    const room = { all: MAX_NOTES, values: parts === 'upsert' ? MAX_VALUES : 0 };
    const fits = (part: unknown): boolean => {
      room.all -= JSON.stringify(part).length + 1;
      if (room.all < 0) overlay.isExact = false;
      return room.all >= 0;
    };
    const freed = parts === 'upsert';
    const holders = [...overlay.holders].filter((each) => (freed || each[1] !== '') && fits(each));
    const files = [...overlay.files].filter(fits);
    const records: KeptFile['records'][number][] = [];
    for (const record of hasRecords ? overlay.records : []) {
      const bare = [record.id, record.parentId ?? null] as const;
      if (!fits(bare)) continue;
      const values = room.values > 0 ? await this.#sealed(model, record) : undefined;
      room.values -= values ? JSON.stringify(values).length : 0;
      const isKept = values && room.values >= 0 && fits(values);
      records.push(isKept ? [...bare, values] : bare);
    }
    const kept: KeptFile = { records, holders, files, isExact: overlay.isExact };
    return this.#deps.notes.write(place, kept);
  }

  async #sealed(model: EntityModel, record: RehearsedRecord): Promise<RecordHeader | undefined> {
    const { header, isSealed = false } = record;
    if (!header || isSealed) return header;
    return this.#deps.cipher.encrypt(model, header);
  }
}

function fill(overlay: Overlay, { records, holders, files, isExact }: KeptFile): void {
  for (const [id, parentId, header] of records) {
    overlay.put({ id, parentId: parentId ?? undefined, header, isSealed: true });
  }
  for (const [hash, id] of holders) overlay.hold(hash, id);
  for (const file of files) overlay.files.add(file);
  overlay.isExact = isExact;
}
