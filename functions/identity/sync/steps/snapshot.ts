import type { SnapshotUser } from '../../domain/directory/directory.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import { MISSING_HASH } from '../../domain/plan/user-plan.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { IdentitySourceClient, ResourcePage } from '../../providers/provider.ts';
import { SourceError } from '../../providers/source-error.ts';
import { numbered } from '../../store/run-files.ts';
import { MembershipIndex } from '../run/memberships.ts';
import type { Run, SnapshotProgress, StepResult } from '../run/run.ts';
import { anew, demandNewer, isStale, next } from '../run/snapshot-progress.ts';
import { waitOf } from '../run/stop.ts';
import { readStoredGroups } from '../run/stored-groups.ts';
import { lostGroups, readSomeUsers } from './by-id.ts';
import type { StepDependencies } from './dependencies.ts';

/** Pages between two looks at the lock. */
const PAGES_PER_CHECK = 10;
/** Waits after each other in which nothing could be read: whoever asks for more will not be read. */
const MAX_WAITS = 12;
const OVERLAP_MS = 5 * 60_000;

/** Reads the source into the bucket, page by page: groups first, as users are in them. */
export class SnapshotStep {
  readonly #deps: StepDependencies;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
  }

  async run(before: Run): Promise<StepResult> {
    const { access, keeper, clock, stepMs } = this.#deps;
    const endsAt = clock.now() + stepMs;
    const source = await access.sourceOf(before);
    const client = await access.client(source);
    let run = before;
    try {
      run = await this.#checked(run, source, client);
      for (let pages = 0; run.snapshot.phase !== 'done'; pages += 1) {
        if (pages % PAGES_PER_CHECK === 0) await keeper.check(run);
        if (clock.now() >= endsAt) return { outcome: 'AGAIN', run };
        run = await this.#readOn(run, source, client);
      }
      return { outcome: 'GO', run };
    } catch (error) {
      const waitSeconds = waitOf(error);
      const waits = run.snapshot === before.snapshot ? (before.waits ?? 0) + 1 : 1;
      if (waitSeconds === undefined || waits > MAX_WAITS) throw error;
      return { outcome: 'AGAIN', run: { ...run, waits }, waitSeconds };
    }
  }

  /** Users that were removed leave no trace in what has changed: then everything is read. */
  async #checked(run: Run, source: IdentitySource, client: IdentitySourceClient): Promise<Run> {
    const isNew = run.snapshot.groupPages === 0 && run.snapshot.position === undefined;
    if (run.mode === 'FULL' || run.only || !isNew) return run;
    const { filter } = await client.capabilities();
    if (!filter) return { ...run, mode: 'FULL' };
    const linked = await this.#deps.users.countLinks(source.id, { otherThan: MISSING_HASH });
    const count = await client.count('Users', source.strategyConfig.scope.userFilter);
    return count < linked ? { ...run, mode: 'FULL' } : run;
  }

  /** Where what has changed cannot be asked for, everything is. */
  async #readOn(run: Run, source: IdentitySource, client: IdentitySourceClient): Promise<Run> {
    try {
      return { ...run, snapshot: await this.#readOne(run, source, client) };
    } catch (error) {
      const isRefused = error instanceof SourceError && error.code === 'FILTER_REFUSED';
      if (!isRefused || run.mode === 'FULL') throw error;
      return {
        ...run,
        mode: 'FULL',
        snapshot: { ...run.snapshot, position: undefined, userPages: 0 },
      };
    }
  }

  async #readOne(
    run: Run,
    source: IdentitySource,
    client: IdentitySourceClient,
  ): Promise<SnapshotProgress> {
    const { snapshot } = run;
    const isOfGroups = snapshot.phase === 'groups';
    const { position } = snapshot;
    if (isOfGroups) {
      const page = await client.page({ kind: 'Groups', position });
      if (isStale(page, snapshot)) return anew(snapshot);
      const number = snapshot.groupPages + 1;
      await this.#deps.files.write(run, numbered('groups', number), page.resources);
      const after = next({ ...snapshot, groupPages: number }, page, 'users');
      return page.next ? after : this.#completed({ ...run, snapshot: after }, client);
    }
    if (run.only) return this.#readSome(run, source, client);
    const page = await this.#users(run, source, client);
    if (isStale(page, snapshot)) return anew(snapshot);
    const number = snapshot.userPages + 1;
    const mapped = await this.#mapped(run, source, page.resources);
    await this.#deps.files.writeUsers(run, number, mapped);
    return next({ ...snapshot, userPages: number }, page, 'done');
  }

  async #readSome(
    run: Run,
    source: IdentitySource,
    client: IdentitySourceClient,
  ): Promise<SnapshotProgress> {
    const { snapshot } = run;
    const some = await readSomeUsers(this.#deps, run, source, client);
    const { resources, refused, next: position } = some;
    const userPages = snapshot.userPages + 1;
    const mapped = await this.#mapped(run, source, resources);
    await this.#deps.files.writeUsers(run, userPages, [...mapped, ...refused]);
    return { ...snapshot, userPages, position, phase: position ? 'users' : 'done' };
  }

  /** Groups that the list has lost are read one by one. */
  async #completed(run: Run, client: IdentitySourceClient): Promise<SnapshotProgress> {
    const { snapshot, sourceId } = run;
    const groups = await readStoredGroups(this.#deps, run);
    const listed = new Set(groups.map(({ externalId }) => externalId));
    const { found, isSure } = await lostGroups(this.#deps, sourceId, client, listed);
    const known = isSure ? snapshot : { ...snapshot, hasLostGroups: true };
    if (found.length === 0) return known;
    const groupPages = snapshot.groupPages + 1;
    await this.#deps.files.write(run, numbered('groups', groupPages), found);
    return { ...known, groupPages };
  }

  async #users(
    run: Run,
    source: IdentitySource,
    client: IdentitySourceClient,
  ): Promise<ResourcePage> {
    const { userFilter } = source.strategyConfig.scope;
    const since = await this.#since(run);
    const filters = [userFilter, since].filter((each) => each !== undefined);
    const filter =
      filters.length > 1 ? filters.map((each) => `(${each})`).join(' and ') : filters[0];
    const page = await client.page({ kind: 'Users', filter, position: run.snapshot.position });
    if (since !== undefined) demandNewer(page.resources, since);
    return page;
  }

  /** By the clock of the source, a little before the run before. */
  async #since({ mode, sourceId }: Run): Promise<string | undefined> {
    if (mode === 'FULL') return undefined;
    const { watermark } = await this.#deps.states.of(sourceId);
    const from = Date.parse(watermark ?? '') - OVERLAP_MS;
    return Number.isNaN(from)
      ? undefined
      : `meta.lastModified ge "${new Date(from).toISOString()}"`;
  }

  async #mapped(
    run: Run,
    source: IdentitySource,
    resources: readonly Resource[],
  ): Promise<readonly SnapshotUser[]> {
    const { access } = this.#deps;
    const memberships = await this.#memberships(run, source);
    const map = access.mapping(source);
    return resources.map((resource) => map(resource, memberships));
  }

  #index: { readonly batch: string; readonly memberships: MembershipIndex } | undefined;

  /** Made once for all pages that one function reads. */
  async #memberships(run: Run, { strategyConfig }: IdentitySource): Promise<MembershipIndex> {
    if (this.#index?.batch === run.batch) return this.#index.memberships;
    const groups = await readStoredGroups(this.#deps, run);
    const memberships = new MembershipIndex(groups, strategyConfig.scope);
    this.#index = { batch: run.batch, memberships };
    return memberships;
  }
}
