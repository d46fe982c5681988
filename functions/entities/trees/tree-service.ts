import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { isGranted, isNarrowed } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader, TreeNodeRow } from '../domain/entity/record.ts';
import { everything, neededBy } from '../domain/query/filter.ts';
import { lacksLarge, withoutLarge } from '../domain/records/large-values.ts';
import { toFlat } from '../domain/records/present.ts';
import { compareKeys, fold } from '../domain/values/folding.ts';
import { problems } from '../errors.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { createRecordSource } from '../store/record-source.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import { type TreeNode, withLargeValues } from './node-values.ts';

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
  readonly clock: Clock;
  /** Opens the encrypted fields of records. */
  readonly cipher: {
    decrypt(model: EntityModel, header: RecordHeader): Promise<RecordHeader>;
  };
}

/** Rows that are read where hidden ones are left out. */
const MAX_SIFTED = 10_000;
/** How long records are looked at to leave hidden ones out. */
const MAX_MS = 10_000;

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
    given: TreeCall,
    principal: Principal,
  ): Promise<{ readonly nodes: readonly TreeNode[]; readonly isTruncated: boolean }> {
    const grant = await this.#deps.access.check(model, principal, 'view');
    const fields = given.fields?.filter((field) => grant.fields?.has(field) ?? true);
    const call = { ...given, fields };
    if (!model.definition.hierarchical) throw problems.notHierarchical({ entity: model.code });
    const { root, maxNodes } = call;
    if (root !== undefined) await this.#checkRoot(model, root, grant);
    // With a narrowed grant, hidden rows are left out before the answer is cut: its length must not tell of them.
    const limit = isNarrowed(grant) ? MAX_SIFTED : maxNodes;
    const isLazy = root !== undefined || (call.depth !== undefined && call.q === undefined);
    const rows = isLazy
      ? await this.#levels(model.code, call, limit + 1, isNarrowed(grant))
      : await this.#deps.repository.treeRows(model.code, { limit: limit + 1 });
    const { shown, isLate } = await this.#shown(model, rows.slice(0, limit), call, grant);
    const isCut = isLate || rows.length > limit;
    const large = new Set(shown.filter(({ isLarge }) => isLarge).map(({ id }) => id));
    const whole = (nodes: readonly TreeNode[]): Promise<readonly TreeNode[]> =>
      withLargeValues(nodes, large, { model, fields, grant }, this.#deps);
    if (isNarrowed(grant)) {
      const { nodes, isTruncated } = cutTree(inSeenOrder(model, shown, grant), call, isCut);
      return { nodes: await whole(nodes), isTruncated };
    }
    // Rows come in the order of their parents, level by level in a lazy answer.
    const readUpTo = isLazy ? '' : (rows.at(-1)?.parentId ?? '');
    const mayHaveMore = (id: string): boolean => isCut && id >= readUpTo;
    return { nodes: await whole(build(shown, root, call, mayHaveMore)), isTruncated: isCut };
  }

  async #checkRoot(model: EntityModel, root: string, grant: RecordGrant): Promise<void> {
    const { repository, largeValues } = this.#deps;
    const found = await repository.findHeader(model.code, root);
    const needed = neededBy(model, grant.filter, []);
    const [header] = found ? await largeValues.completeAll(model, [found], needed) : [];
    const isThere = header && header.deletedAt === undefined;
    if (!isThere || !isGranted(model, header, grant)) {
      throw problems.recordNotFound({ entity: model.code, id: root });
    }
  }

  /**
   * Reads level by level; one extra level shows which nodes have children.
   * @param isWhole whether all children of that level are read, where one would say that there are some
   */
  async #levels(
    entity: string,
    { root, depth = Number.POSITIVE_INFINITY }: TreeCall,
    limit: number,
    isWhole: boolean,
  ): Promise<readonly TreeNodeRow[]> {
    const found: TreeNodeRow[] = [];
    let parents: readonly (string | null)[] = [root ?? null];
    for (let level = 0; level <= depth && parents.length > 0 && found.length < limit; level += 1) {
      const rows: TreeNodeRow[] = [];
      for (let at = 0; at < parents.length && found.length + rows.length < limit; at += 8) {
        const batch = parents.slice(at, at + 8);
        const isProbe = level === depth && !isWhole;
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

  /** Rows with the requested fields, without rows that are hidden from the caller, as far as there is time to find these. */
  async #shown(
    model: EntityModel,
    rows: readonly TreeNodeRow[],
    { fields }: TreeCall,
    grant: RecordGrant,
  ): Promise<{ readonly shown: readonly ShownRow[]; readonly isLate: boolean }> {
    const isLimited = grant.filter.kind !== 'all';
    const { labelField } = model.definition.layout;
    const hidesLabel = labelField !== undefined && grant.fields?.has(labelField) === false;
    const bare = rows.map((row) => ({ ...row, ...(hidesLabel && { label: '' }), more: {} }));
    if (!isLimited && !fields) return { shown: bare, isLate: false };
    const view = { visible: grant.fields, wanted: fields && new Set(fields) };
    const needed = neededBy(model, everything, fields ?? []);
    const withFields = async (header: RecordHeader) => {
      if (!fields || lacksLarge(model, header, needed)) return { more: {}, isLarge: true };
      return { more: toFlat(model, await this.#deps.cipher.decrypt(model, header), view) };
    };
    const { clock } = this.#deps;
    const endsAt = clock.now() + MAX_MS;
    let isLate = false;
    const stops = (): boolean => {
      isLate ||= isLimited && clock.now() > endsAt;
      return isLate;
    };
    const result: ShownRow[] = [];
    for (let at = 0; at < bare.length && !isLate; at += 100) {
      const page = bare.slice(at, at + 100);
      const seen = await this.#seen(model, page, grant, stops);
      for (const row of page) {
        const header = seen.get(row.id);
        if (header) result.push({ ...row, ...(await withFields(header)) });
      }
    }
    return { shown: result, isLate };
  }

  /** The live records of rows that the caller sees, without the large values that tell so. */
  async #seen(
    model: EntityModel,
    rows: readonly TreeNodeRow[],
    grant: RecordGrant,
    stops: () => boolean,
  ): Promise<ReadonlyMap<string, RecordHeader>> {
    const seen = new Map<string, RecordHeader>();
    const judged = neededBy(model, grant.filter, []);
    const source = createRecordSource(model, this.#deps, false, judged);
    for await (const some of source.headers(rows.map(({ id }) => id))) {
      for (const header of some.filter(({ deletedAt }) => deletedAt === undefined)) {
        if (isGranted(model, header, grant)) seen.set(header.id, withoutLarge(header));
      }
      if (stops()) break;
    }
    return seen;
  }
}

/** A row with the requested fields of its record. */
interface ShownRow extends TreeNodeRow {
  readonly more: Readonly<Record<string, unknown>>;
  /** Whether requested values are large, which are read of what is in the answer alone. */
  readonly isLarge?: boolean;
}

/** Orders siblings by id when a field that orders them is hidden: their order would tell of its values. */
function inSeenOrder(
  { definition }: EntityModel,
  rows: readonly ShownRow[],
  { fields }: RecordGrant,
): readonly ShownRow[] {
  const { labelField, treeOrderField } = definition.layout;
  const isHidden = (code: string | undefined): boolean =>
    code !== undefined && fields?.has(code) === false;
  if (!isHidden(labelField) && !isHidden(treeOrderField)) return rows;
  return rows.toSorted((one, other) => compareKeys(one.id, other.id));
}

/** The first nodes that are shown, those of upper levels first. */
function cutTree(
  rows: readonly ShownRow[],
  call: TreeCall,
  isCut: boolean,
): { readonly nodes: readonly TreeNode[]; readonly isTruncated: boolean } {
  const { root, depth = Number.POSITIVE_INFINITY, maxNodes } = call;
  const children = Map.groupBy(rows, ({ parentId }) => parentId);
  const reached: ShownRow[] = [];
  let level = children.get(root) ?? [];
  for (let at = 0; at < depth && level.length > 0; at += 1) {
    reached.push(...level);
    level = level.flatMap(({ id }) => children.get(id) ?? []);
  }
  const nodes = build(reached.slice(0, maxNodes), root, call, (id) => children.has(id));
  return { nodes, isTruncated: isCut || reached.length > maxNodes };
}

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
