import type { UserAccount } from '../../../../shared/ports/identity.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../../shared/store/paged-read.ts';
import type { Condition, Item, Table } from '../../../../shared/store/table.ts';
import { idOf, membersPartition, usersPartition } from './account-keys.ts';
import type { UserItem } from './user-items.ts';

/** Which accounts of a tenant a list has. */
export interface UserFilter {
  /** Only names and addresses that contain this text, in any case. */
  readonly q?: string | undefined;
  readonly departmentId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly status?: 'ENABLED' | 'DISABLED' | undefined;
}

const MEMBERS_AT_ONCE = 500;

/** Lists of accounts, by user name. */
export class UserDirectory {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  /** Ids of accounts whose main department this is, at most some hundreds. */
  async membersOf(departmentId: string): Promise<readonly string[]> {
    const { items } = await this.#table.query<Item>({
      ...{ index: 'gsi2', partition: membersPartition(departmentId), limit: MEMBERS_AT_ONCE },
    });
    return items.map(({ pk }) => idOf(pk));
  }

  async page(
    tenant: string,
    filter: UserFilter,
    request: PageRequest,
  ): Promise<ReadPage<UserAccount>> {
    const condition = conditionOf(filter);
    const query = {
      index: 'gsi1' as const,
      partition: usersPartition(tenant),
      ...(condition && { filter: condition }),
    };
    const page = await readPage<Item>(this.#table, query, request, { tenant, ...filter });
    const items = await this.#table.getMany<UserItem>(
      page.content.map(({ pk, sk }) => ({ pk, sk })),
    );
    return { ...page, content: items.map(({ account }) => account) };
  }
}

function conditionOf({ q, departmentId, sourceId, status }: UserFilter): Condition | undefined {
  const parts = [
    q !== undefined && ['contains(#summary.#q, :q)', 'q', q.toLowerCase()],
    departmentId !== undefined && ['contains(#summary.#orgIds, :orgIds)', 'orgIds', departmentId],
    sourceId !== undefined && ['contains(#summary.#sources, :sources)', 'sources', sourceId],
    status !== undefined && ['#summary.#status = :status', 'status', status],
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return {
    expression: parts.map(([expression]) => expression).join(' AND '),
    names: Object.fromEntries(
      [...parts.map(([, name]) => `${name}`), 'summary'].map((name) => [`#${name}`, name]),
    ),
    values: Object.fromEntries(parts.map(([, name, value]) => [`:${name}`, value])),
  };
}
