import type { IdentitySource } from '../../domain/sources/source.ts';
import { SourceError } from '../../providers/source-error.ts';
import type { RecordFacts } from '../run/records.ts';
import type { Run } from '../run/run.ts';
import { StopRun } from '../run/stop.ts';
import type { HintOutcome, ObjectHint } from '../source-sync.ts';
import type { StepDependencies } from '../steps/dependencies.ts';
import { GroupHints } from './group-hints.ts';
import type { SourceHold } from './source-hold.ts';
import { UserHints } from './user-hints.ts';

const SAME: HintOutcome = { status: 'SKIP', desc: 'It is as the source says.' };
const BUSY: HintOutcome = { status: 'BUSY', desc: 'A run holds the source.' };

/**
 * Applies what a source says now of one object. A hint is no more than that: its own content is not believed, and a
 * removal needs the source's word.
 */
export class Hints {
  readonly #deps: StepDependencies;
  readonly #hold: SourceHold;
  readonly #users: UserHints;
  readonly #groups: GroupHints;

  constructor(dependencies: StepDependencies, hold: SourceHold) {
    this.#deps = dependencies;
    this.#hold = hold;
    this.#users = new UserHints(dependencies);
    this.#groups = new GroupHints(dependencies, this.#users);
  }

  apply(source: IdentitySource, hint: ObjectHint): Promise<HintOutcome> {
    return this.#hold.during(source, (run) => this.#tried(run, source, hint), BUSY);
  }

  async #tried(run: Run, source: IdentitySource, hint: ObjectHint): Promise<HintOutcome> {
    try {
      return await this.#apply(run, source, hint);
    } catch (error) {
      if (error instanceof SourceError) return { status: 'FAIL', desc: error.message };
      if (!(error instanceof StopRun)) throw error;
      const isLost = error.end.reasonCode === 'LOCK_LOST';
      return { status: isLost ? 'BUSY' : 'FAIL', desc: error.message };
    }
  }

  async #apply(
    run: Run,
    source: IdentitySource,
    { objectType, externalId }: ObjectHint,
  ): Promise<HintOutcome> {
    const client = await this.#deps.access.client(source);
    const work = { run, source, client };
    if (objectType === 'USER') return outcomeOf(await this.#users.apply(work, externalId));
    const { facts, needsRun } = await this.#groups.apply(work, externalId);
    return { ...outcomeOf(facts), ...(needsRun && { needsRun }) };
  }
}

function outcomeOf(facts: RecordFacts | undefined): HintOutcome {
  if (!facts) return SAME;
  const { status, actionType, objectId, objectName, reasonCode, desc } = facts;
  return { status, actionType, objectId, objectName, desc: desc ?? reasonCode ?? 'Applied.' };
}
