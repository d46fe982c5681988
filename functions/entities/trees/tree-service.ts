import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { TreeNodeRow } from '../domain/entity/record.ts';
import { toFlat } from '../domain/records/present.ts';
import { fold } from '../domain/values/folding.ts';
import { problems } from '../errors.ts';
import type { LargeValueStore } from '../store/large-value-store.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { asCurrent } from '../store/record-source.ts';

/** A node of a tree with its children. */
export interface TreeNode {
  readonly id: string;
  readonly parentId: string | null;
  /** 0 for the nodes at the top of the answer. */
  readonly level: number;
  readonly label: string;
  /** Also set when the response was cut here and it is unknown. */
  readonly hasChildren: boolean;
  readonly children: readonly TreeNode[];
  readonly [field: string]: unknown;
}

/** Query of a tree. */
export interface TreeCall {
  /** Only descendants of this record. */
  readonly root?: string | undefined;
  /** Levels to show. */
  readonly depth?: number | undefined;
  /** Fields to show beside the label. */
  readonly fields?: readonly string[] | undefined;
  /** Only nodes whose label contains this, and their ancestors. */
  readonly q?: string | undefined;
  readonly maxNodes: number;
}

export interface TreeServiceDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
}

/** Shows the records of a hierarchical entity as a tree. */
export class TreeService {
  readonly #deps: TreeServiceDependencies;

  constructor(dependencies: TreeServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The nodes at the top, or below a record, with their children.
   * @throws Problem `ENTITY_NOT_HIERARCHICAL`, `RECORD_NOT_FOUND` (404), `FORBIDDEN` (403)
   */
  async tree(
    model: EntityModel,
    call: TreeCall,
    principal: Principal,
  ): Promise<{ readonly nodes: readonly TreeNode[]; readonly isTruncated: boolean }> {
    const grant = await this.#deps.access.check(model, principal, 'view');
    if (!model.definition.hierarchical) throw problems.notHierarchical({ entity: model.code });
    const { repository } = this.#deps;
    const { root, maxNodes } = call;
    if (root !== undefined) await this.#checkRoot(model, root, grant);
    const isLazy = root !== undefined || (call.depth !== undefined && call.q === undefined);
    const rows = isLazy
      ? await this.#levels(model.code, root, call.depth ?? Number.POSITIVE_INFINITY, maxNodes + 1)
      : await repository.treeRows(model.code, { limit: maxNodes + 1 });
    const isTruncated = rows.length > maxNodes;
    const shown = await this.#shown(model, rows.slice(0, maxNodes), call, grant);
    // Rows come in the order of their parents, level by level in a lazy answer.
    const readUpTo = isLazy ? '' : (rows.at(-1)?.parentId ?? '');
    const mayHaveMore = (id: string): boolean => isTruncated && id >= readUpTo;
    return { nodes: build(shown, root, call, mayHaveMore), isTruncated };
  }

  async #checkRoot(model: EntityModel, root: string, grant: RecordGrant): Promise<void> {
    const header = await this.#deps.repository.findHeader(model.code, root);
    const isThere = header && header.deletedAt === undefined;
    if (!isThere || !isGranted(model, asCurrent(model, header), grant)) {
      throw problems.recordNotFound({ entity: model.code, id: root });
    }
  }

  /** Reads level by level; one extra level shows which nodes have children. */
  async #levels(
    entity: string,
    root: string | undefined,
    depth: number,
    limit: number,
  ): Promise<readonly TreeNodeRow[]> {
    const found: TreeNodeRow[] = [];
    let parents: readonly (string | null)[] = [root ?? null];
    for (let level = 0; level <= depth && parents.length > 0 && found.length < limit; level += 1) {
      const rows: TreeNodeRow[] = [];
      for (let at = 0; at < parents.length && found.length + rows.length < limit; at += 8) {
        const batch = parents.slice(at, at + 8);
        const isProbe = level === depth;
        const pages = await Promise.all(
          batch.map((parentId) =>
            this.#deps.repository.treeRows(entity, {
              parentId,
              limit: isProbe ? 1 : limit - found.length,
            }),
          ),
        );
        rows.push(...pages.flat());
      }
      found.push(...rows);
      parents = rows.map(({ id }) => id);
    }
    return found;
  }

  /** Rows with the requested fields, without rows that are hidden from the caller. */
  async #shown(
    model: EntityModel,
    rows: readonly TreeNodeRow[],
    { fields }: TreeCall,
    grant: RecordGrant,
  ): Promise<readonly (TreeNodeRow & { readonly more: Readonly<Record<string, unknown>> })[]> {
    const isLimited = grant.filter.kind !== 'all';
    const { labelField } = model.definition.layout;
    const hidesLabel = labelField !== undefined && grant.fields?.has(labelField) === false;
    const bare = rows.map((row) => ({ ...row, ...(hidesLabel && { label: '' }), more: {} }));
    if (!isLimited && !fields) return bare;
    const { repository, largeValues } = this.#deps;
    const shown = { visible: grant.fields, wanted: fields && new Set(fields) };
    const result: (TreeNodeRow & { more: Readonly<Record<string, unknown>> })[] = [];
    for (let at = 0; at < bare.length; at += 100) {
      const page = bare.slice(at, at + 100);
      const headers = await repository.findHeaders(
        model.code,
        page.map(({ id }) => id),
        false,
      );
      const complete = await largeValues.completeAll(model.code, [...headers.values()]);
      const byId = new Map(complete.map((header) => [header.id, asCurrent(model, header)]));
      for (const row of page) {
        const header = byId.get(row.id);
        if (!header || header.deletedAt !== undefined || !isGranted(model, header, grant)) continue;
        result.push({ ...row, more: fields ? toFlat(model, header, shown) : {} });
      }
    }
    return result;
  }
}

type ShownRow = TreeNodeRow & { readonly more: Readonly<Record<string, unknown>> };

function build(
  rows: readonly ShownRow[],
  root: string | undefined,
  { depth, q }: TreeCall,
  mayHaveMore: (id: string) => boolean,
): TreeNode[] {
  const children = Map.groupBy(rows, ({ parentId }) => parentId);
  const kept = q === undefined ? undefined : matching(rows, fold(q));
  const nodesBelow = (parentId: string | undefined, level: number): TreeNode[] => {
    if (depth !== undefined && level >= depth) return [];
    return (children.get(parentId) ?? [])
      .filter(({ id }) => kept?.has(id) ?? true)
      .map(({ id, label, more }) => ({
        ...more,
        id,
        parentId: parentId ?? null,
        level,
        label,
        hasChildren: children.has(id) || mayHaveMore(id),
        children: nodesBelow(id, level + 1),
      }));
  };
  return nodesBelow(root, 0);
}

/** Nodes whose label holds a text, and everything above them. */
function matching(rows: readonly ShownRow[], text: string): Set<string> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const kept = new Set<string>();
  for (const row of rows) {
    if (!fold(row.label).includes(text)) continue;
    for (
      let at: ShownRow | undefined = row;
      at && !kept.has(at.id);
      at = byId.get(at.parentId ?? '')
    ) {
      kept.add(at.id);
    }
  }
  return kept;
}
