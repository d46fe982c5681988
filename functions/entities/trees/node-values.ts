import { MAX_RESPONSE_BYTES } from '../../../shared/http/answer-size.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord, RecordHeader } from '../domain/entity/record.ts';
import { neededBy } from '../domain/query/filter.ts';
import { largeBytes } from '../domain/records/large-values.ts';
import { toFlat } from '../domain/records/present.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { createRecordSource } from '../store/record-source.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

/** A node of a tree with its children. */
export interface TreeNode {
  readonly id: string;
  readonly parentId: string | null;
  /** 0 for the nodes at the top of the answer. */
  readonly level: number;
  readonly label: string;
  /** Also `true` when the answer was cut here, so that it is not known. */
  readonly hasChildren: boolean;
  readonly children: readonly TreeNode[];
  readonly [field: string]: unknown;
}

export interface NodeValuesDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  /** Opens the encrypted fields of records. */
  readonly cipher: {
    decrypt(model: EntityModel, header: RecordHeader): Promise<RecordHeader>;
  };
}

const BATCH = 100;

/**
 * Nodes with the requested values of those that have large ones. Once they are more than an answer holds, no more are
 * read: the answer is refused.
 * @param large ids of the records that have large ones
 */
export async function withLargeValues(
  nodes: readonly TreeNode[],
  large: ReadonlySet<string>,
  {
    model,
    fields = [],
    grant,
  }: {
    readonly model: EntityModel;
    readonly fields: readonly string[] | undefined;
    readonly grant: RecordGrant;
  },
  { cipher, ...stored }: NodeValuesDependencies,
): Promise<readonly TreeNode[]> {
  const shown = { visible: grant.fields, wanted: new Set(fields) };
  const source = createRecordSource(model, stored, false, neededBy(model, grant.filter, fields));
  const ids = fields.length > 0 ? idsOf(nodes).filter((id) => large.has(id)) : [];
  const values = new Map<string, FlatRecord>();
  let bytes = 0;
  for (let at = 0; at < ids.length && bytes <= MAX_RESPONSE_BYTES; at += BATCH) {
    for await (const some of source.headers(ids.slice(at, at + BATCH))) {
      for (const header of some.filter((one) => isGranted(model, one, grant))) {
        const flat = toFlat(model, await cipher.decrypt(model, header), shown);
        bytes += largeBytes(header, flat);
        values.set(flat.id, flat);
      }
      if (bytes > MAX_RESPONSE_BYTES) break;
    }
  }
  return values.size > 0 ? withValues(nodes, values) : nodes;
}

const idsOf = (nodes: readonly TreeNode[]): string[] =>
  nodes.flatMap(({ id, children }) => [id, ...idsOf(children)]);

const withValues = (
  nodes: readonly TreeNode[],
  values: ReadonlyMap<string, FlatRecord>,
): readonly TreeNode[] =>
  nodes.map((node) => ({
    ...values.get(node.id),
    ...node,
    children: withValues(node.children, values),
  }));
