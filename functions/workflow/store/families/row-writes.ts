import type { Key, StorableItem } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { Announcement } from '../../domain/cases/family-change.ts';
import type { TaskClosing } from '../../domain/cases/task-record.ts';
import { settingMembers } from '../set-members.ts';

/** One write beside the state of a family; writing it again in its turn does no harm. */
export type RowWrite =
  | { readonly kind: 'put'; readonly item: StorableItem }
  | { readonly kind: 'delete'; readonly key: Key }
  /** Changes members of an item that is there. */
  | { readonly kind: 'set'; readonly key: Key; readonly members: Readonly<Record<string, unknown>> }
  /** Ends a task; its rows go by `unlist`. */
  | { readonly kind: 'close'; readonly taskId: string; readonly closing: TaskClosing }
  /** Deletes some of the rows of a task that has ended. */
  | {
      readonly kind: 'unlist';
      readonly taskId: string;
      readonly from: number;
      readonly count: number;
    }
  | { readonly kind: 'announce'; readonly announcement: Announcement };

/** Stages a write that says all by itself. */
export function stageRow(
  unit: UnitOfWork,
  write: Extract<RowWrite, { kind: 'put' | 'delete' | 'set' }>,
): void {
  if (write.kind === 'put') unit.put(write.item);
  else if (write.kind === 'delete') unit.delete(write.key);
  else unit.update(write.key, settingMembers(write.members));
}

/** How many items a write takes at most. */
export const weightOf = (write: RowWrite): number => (write.kind === 'unlist' ? write.count : 1);

const bytes = new Set(['zip']);

/** The writes as JSON: bytes become text. */
export const encodeWrites = (chunks: readonly (readonly RowWrite[])[]): unknown =>
  chunks.map((chunk) => chunk.map((write) => recode(write, encodeBytes)));

export const decodeWrites = (encoded: unknown): RowWrite[][] =>
  (encoded as RowWrite[][]).map((chunk) => chunk.map((write) => recode(write, decodeBytes)));

function recode(write: RowWrite, code: (value: unknown) => unknown): RowWrite {
  if (write.kind !== 'put') return write;
  const entries = Object.entries(write.item).map(([name, value]) =>
    bytes.has(name) ? [name, code(value)] : [name, value],
  );
  return { kind: 'put', item: Object.fromEntries(entries) as StorableItem };
}

const encodeBytes = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;

const decodeBytes = (value: unknown): unknown =>
  typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
