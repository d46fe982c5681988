import { compileMapping } from '../../../functions/identity/domain/directory/map-user.ts';
import type { ListRequest, ResourcePage } from '../../../functions/identity/providers/provider.ts';
import { readPage } from '../../../functions/identity/providers/scim/pages.ts';
import { MemorySource } from '../../helpers/identity/memory-source.ts';
import { aSource, syncWorld } from '../../helpers/identity/sync-world.ts';
import { aUser, PAGE, pageOf } from './reading.ts';

const NO_GROUPS = { has: () => false, of: () => [], nameOf: () => undefined };
const LATER = '2026-03-01T09:45:00.000Z';
const SOURCE = 'source-1';

/** Users that a source sends, in pages that are made before. */
class StaticSource extends MemorySource {
  pages: readonly Buffer[];
  /** What a filter by time gives. */
  changed: readonly Buffer[] = [];
  readonly #count: number;

  constructor(count: number) {
    super();
    this.#count = count;
    this.pageSize = PAGE;
    this.pages = Array.from({ length: count / PAGE }, (_, page) => pageOf(count, page * PAGE));
  }

  override async page({ kind, position, filter }: ListRequest): Promise<ResourcePage> {
    this.requests += 1;
    const none = { resources: [], total: 0, hasDrifted: false, sourceTime: this.time };
    if (kind === 'Groups') return { ...none, next: undefined };
    const { startIndex, read, total, size } = position ?? { ...FIRST, size: PAGE };
    const pages = filter === undefined ? this.pages : this.changed;
    const body = pages[(startIndex - 1) / PAGE] ?? Buffer.alloc(0);
    const headers = { 'content-type': 'application/scim+json' };
    const page = readPage({ status: 200, headers, body }, { startIndex, read, total, size });
    return { ...page, sourceTime: this.time };
  }

  override async count(): Promise<number> {
    this.requests += 1;
    return this.#count;
  }

  /** Gives the first of its users another name. */
  change(count: number, nickName: string): void {
    const userOf = (number: number) =>
      number < count ? { ...aUser(number, LATER), nickName } : aUser(number);
    const pageFrom = (page: number, total: number) => {
      const users = Array.from({ length: Math.min(PAGE, total - page * PAGE) }, (_, at) =>
        userOf(page * PAGE + at),
      );
      return pageOf(total, page * PAGE, users);
    };
    const touched = Math.ceil(count / PAGE);
    this.changed = Array.from({ length: touched }, (_, page) => pageFrom(page, count));
    this.pages = this.pages.map((body, page) =>
      page < touched ? pageFrom(page, this.#count) : body,
    );
  }
}

const FIRST = { startIndex: 1, read: 0, total: -1 };

/** A source whose users all have accounts, after a run that found nothing to do. */
export async function aWorldOf(count: number) {
  const source = aSource({ basicConfig: JSON.stringify({ incrementalEnabled: true }) });
  const directory = new StaticSource(count);
  const world = await syncWorld(source, { directory });
  const map = compileMapping();
  for (let number = 0; number < count; number += 1) {
    const user = map(aUser(number), NO_GROUPS);
    if ('refused' in user) throw new Error(`User ${number} is refused`);
    const { externalId, hash, active, userName, email } = user;
    const id = `account-${number}`;
    const link = { sourceId: SOURCE, externalId, hash, active };
    world.accounts.links.set(`${SOURCE}/${externalId}`, { ...link, userId: id });
    world.accounts.all.set(id, {
      ...{ id, tenant: '', userName, email, orgIds: [], status: 'ENABLED', origin: 'SOURCE' },
      ...{ links: [link], version: 1, createdAt: '', updatedAt: '' },
    });
  }
  await world.byHand({ mode: 'FULL' });
  return { world, directory };
}

/** What one run costs. */
export async function costOf(
  { world, directory }: Awaited<ReturnType<typeof aWorldOf>>,
  mode: 'FULL' | 'INCREMENTAL',
) {
  const { meter } = world.context.db;
  const [requests, accounts] = [directory.requests, world.accounts.writes];
  const before = process.cpuUsage();
  meter.reset();
  const { user } = await world.byHand({ mode });
  const { user: own, system } = process.cpuUsage(before);
  if (user.status !== 'SUCCESS') throw new Error(`The run ends as ${user.status}`);
  return {
    ...{ counts: user.counts, mode: user.syncMode, cpuMs: (own + system) / 1_000 },
    requests: directory.requests - requests,
    writeUnits: meter.total().writeUnits,
    accountWrites: world.accounts.writes - accounts,
  };
}
