import type { Resource } from '../../../functions/identity/domain/directory/scim-path.ts';
import type { Provider } from '../../../functions/identity/domain/sources/source.ts';
import type {
  IdentitySourceClient,
  IdentitySourceProvider,
  ListRequest,
  Providers,
  ProvisionedUser,
  ResourcePage,
} from '../../../functions/identity/providers/provider.ts';

/** A directory in memory that is read as a source is. */
export class MemorySource implements IdentitySourceClient, Providers {
  readonly users = new Map<string, Resource>();
  readonly groups = new Map<string, Resource>();
  /** Users that lists leave out, though they are there. */
  readonly hidden = new Set<string>();
  /** Runs before each answer; what it throws is the answer. */
  beforeAnswer: (path: string) => void = () => undefined;
  pageSize = 10;
  requests = 0;
  time = Date.parse('2026-03-01T09:00:00.000Z');

  of(_kind?: Provider): IdentitySourceProvider {
    return {
      client: () => this,
      validate: async () => ({ checks: [], capabilities: {} }),
    };
  }

  async capabilities() {
    return {
      ...{ authMode: 'basic' as const, filter: true, sort: true, cursorPaging: false },
      maxResults: this.pageSize,
    };
  }

  async page({ kind, position, filter }: ListRequest): Promise<ResourcePage> {
    this.#answer(`/${kind}`);
    const { startIndex = 1, read = 0 } = position ?? {};
    const all = this.#listed(kind, filter);
    const resources = all.slice(startIndex - 1, startIndex - 1 + this.pageSize);
    const next = { startIndex: startIndex + resources.length, read: read + resources.length };
    const hasNext = next.read < all.length;
    return {
      ...{ resources, total: all.length, sourceTime: this.time },
      hasDrifted: position !== undefined && position.total !== all.length,
      next: hasNext ? { ...next, total: all.length, size: this.pageSize } : undefined,
    };
  }

  async find(kind: 'Users' | 'Groups', id: string) {
    this.#answer(`/${kind}/${id}`);
    return (kind === 'Users' ? this.users : this.groups).get(id);
  }

  async count(kind: 'Users' | 'Groups', filter?: string) {
    this.#answer(`/${kind}?count=0`);
    return this.#listed(kind, filter).length;
  }

  async createUser({ userName, externalId }: ProvisionedUser) {
    this.#answer('/Users');
    const known = [...this.users.values()].find((each) => each.userName === userName);
    if (known) return { id: String(known.id), isNew: false };
    const id = `made-${this.users.size}`;
    this.users.set(id, { id, userName, externalId });
    return { id, isNew: true };
  }

  #answer(path: string): void {
    this.requests += 1;
    this.beforeAnswer(path);
  }

  #listed(kind: 'Users' | 'Groups', filter?: string): readonly Resource[] {
    if (kind === 'Groups') return [...this.groups.values()];
    const since = /lastModified ge "([^"]+)"/.exec(filter ?? '')?.[1] ?? '';
    return [...this.users].flatMap(([id, user]) => {
      const modified = String((user.meta as Resource | undefined)?.lastModified ?? '');
      return this.hidden.has(id) || modified < since ? [] : [user];
    });
  }
}
