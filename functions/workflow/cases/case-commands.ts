import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DefinitionReader, LoadedCase } from '../definitions/definition-reader.ts';
import type { CaseFacts } from '../domain/cases/case-facts.ts';
import { changesOf, type Execution } from '../domain/cases/changes-of.ts';
import { type FamilyContent, taskChanges } from '../domain/cases/family.ts';
import type { FamilyChange, ProcessCall } from '../domain/cases/family-change.ts';
import type { TaskRecord, TaskSaying } from '../domain/cases/task-record.ts';
import type { Command, Limits, Result } from '../domain/cmmn/index.ts';
import { loadEngine } from '../engine.ts';
import { problems } from '../errors.ts';
import type { StoredWork } from '../store/cases/row-search.ts';
import type { FamilyStore, StoredFamily } from '../store/families/family-store.ts';
import type { FamilyWriter } from '../store/families/family-writer.ts';
import { toProblem } from './engine-problems.ts';
import { requireVisible } from './visibility.ts';

export interface CaseCommandsDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly families: FamilyStore;
  readonly writer: FamilyWriter;
  readonly definitions: DefinitionReader;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly limits?: Partial<Limits>;
  /** Called after the commit with the processes that a command has started and ended. */
  readonly onProcesses?: ((calls: readonly ProcessCall[]) => Promise<void>) | undefined;
  /** Events that a command sends; none when absent. */
  readonly eventsOf?: Execution['eventsOf'];
  /** `svc.workflow.due-soon-lead` (ms); absent: no reminders are sent. */
  readonly reminderLeadMs?: number;
  /** Runs behind the commit of each command; does not fail. */
  readonly afterCommit?: (done: CommittedCommand) => Promise<void>;
}

/** A command that has been committed. */
export interface CommittedCommand {
  readonly before: FamilyContent | undefined;
  readonly change: FamilyChange;
  /** Whether it fired a timer: what is due already has its turn behind it. */
  readonly isFiring: boolean;
}

/** A command for a case that is there. */
export interface GivenCommand {
  readonly caseInstanceId: string;
  readonly principal: Principal;
  /** Makes the command for the family as it is found. */
  readonly command: (family: StoredFamily) => Command | Promise<Command>;
  /** Completion facts of tasks, by task. */
  readonly said?: Readonly<Record<string, TaskSaying>>;
  /** Why it is given, for the history. */
  readonly reason?: string | undefined;
  /** The absent user for whom it is given. */
  readonly onBehalfOf?: () => string | undefined;
  /** Tasks that the command may end, as its maker has read them: it is repeated when they have changed since. */
  readonly tasks?: () => readonly TaskRecord[];
  /** External work that the command ends, as its maker has read it: it is repeated when that has changed since. */
  readonly work?: () => Pick<StoredWork, 'id' | 'version'>;
  /** Writes that the maker of the command has staged besides, about. */
  readonly besides?: () => number;
  /** Writes more in the same transaction. */
  readonly also?: (unit: UnitOfWork, done: DoneCommand) => Promise<void>;
}

/** A new case, and the command that starts it. */
export interface GivenStart {
  readonly principal: Principal;
  readonly definition: LoadedCase;
  readonly command: Extract<Command, { type: 'start' }> & { readonly caseInstanceId: string };
  readonly facts: Pick<CaseFacts, 'tenantCode' | 'entityType' | 'entityId'>;
}

/** Result of a command. */
export interface DoneCommand {
  readonly caseInstanceId: string;
  /** The family as it is stored now. */
  readonly family: FamilyContent;
  readonly version: number;
  readonly change: FamilyChange;
}

/** Items that the caller has read already. */
interface Known {
  readonly definitions?: readonly LoadedCase[];
  readonly tasks?: readonly TaskRecord[] | undefined;
  readonly work?: Pick<StoredWork, 'id' | 'version'> | undefined;
  readonly besides?: number | undefined;
}

/** A command, and the family that it changes; `before` is `undefined` for the start of one. */
interface CommandOnFamily
  extends Pick<
    Execution,
    'command' | 'caseInstanceId' | 'started' | 'said' | 'reason' | 'onBehalfOf'
  > {
  readonly before: StoredFamily | undefined;
}

/** How long a command that meets others in the same family is repeated (ms). */
const PATIENCE_MS = 10_000;

/** Gives commands to the engine, and stores what comes of them in one transaction. */
export class CaseCommands {
  readonly #deps: CaseCommandsDependencies;

  constructor(dependencies: CaseCommandsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Carries out a command on the family as it is now, again as often as others come first.
   * @throws Problem `CASE_NOT_FOUND` (404), `CONCURRENT_UPDATE` (409), or why the engine refuses it
   */
  give(given: GivenCommand): Promise<DoneCommand> {
    return this.#deps.unitOfWork(async (unit) => {
      unit.retryFor(PATIENCE_MS);
      const { caseInstanceId, principal, said, reason } = given;
      const before = requireVisible(
        await this.#deps.families.load(caseInstanceId),
        caseInstanceId,
        principal,
      );
      const command = await given.command(before);
      const withTasks = { ...command, tasks: { ...taskChanges(before), ...command.tasks } };
      const done = await this.#carryOut(
        unit,
        {
          before,
          command: withTasks,
          caseInstanceId,
          said,
          reason,
          onBehalfOf: given.onBehalfOf?.(),
        },
        principal,
        { tasks: given.tasks?.(), work: given.work?.(), besides: given.besides?.() },
      );
      await given.also?.(unit, done);
      return done;
    });
  }

  /** Starts a case. @throws Problem `CASE_EXISTS` (409), or why the engine refuses it */
  start({ principal, definition, command, facts: started }: GivenStart): Promise<DoneCommand> {
    const { caseInstanceId } = command;
    return this.#deps.unitOfWork((unit) =>
      this.#carryOut(unit, { before: undefined, command, caseInstanceId, started }, principal, {
        definitions: [definition],
      }),
    );
  }

  async #carryOut(
    unit: UnitOfWork,
    given: CommandOnFamily,
    principal: Principal,
    known: Known = {},
  ): Promise<DoneCommand> {
    const { clock, ids: newId, eventsOf, reminderLeadMs, writer, afterCommit } = this.#deps;
    const { before, caseInstanceId } = given;
    const now = clock.now();
    const run = { now, user: principal.id };
    const result = await this.#execute(given.command, before, run, known.definitions);
    const deploymentOf = await this.#noteDeployments(result, before);
    const about = {
      at: toInstant(now),
      by: principal.id,
      deploymentOf,
      newId,
      eventsOf,
      reminderLeadMs,
    };
    const change = changesOf({ ...given, ...about, result });
    const taken = ({ businessKey = '' }) => problems.caseExists({ businessKey });
    const { tasks, work, besides } = known;
    await writer.stage(unit, before, change, { taken, tasks, work, besides });
    if (afterCommit) {
      const isFiring = given.command.type === 'fireTimer';
      unit.afterCommit(() => afterCommit({ before, change, isFiring }));
    }
    const { processes } = change;
    if (processes.length > 0) unit.afterCommit(async () => this.#deps.onProcesses?.(processes));
    const alone = change.apart.get(caseInstanceId);
    const family = alone ?? change.family;
    return { caseInstanceId, family, version: alone ? 1 : (before?.version ?? 0) + 1, change };
  }

  async #execute(
    command: Command,
    before: StoredFamily | undefined,
    { now, user }: { readonly now: number; readonly user: string },
    known: readonly LoadedCase[] = [],
  ): Promise<Result> {
    const { definitions, ids: newId, limits } = this.#deps;
    const { execute } = await loadEngine();
    try {
      return await definitions.run(
        (source) =>
          execute(before?.state, command, { definitions: source, now, newId, user, limits }),
        known,
      );
    } catch (error) {
      throw toProblem(error);
    }
  }

  /** Notes of which deployments the new cases are. @returns the deployment of a definition of theirs */
  async #noteDeployments(
    { state, parted }: Result,
    before: StoredFamily | undefined,
  ): Promise<Execution['deploymentOf']> {
    const cases = [state, ...parted].flatMap((part) => part.cases);
    const fresh = cases.filter(({ id }) => !before?.facts[id]);
    const found = new Map<string, LoadedCase['deployment']>();
    for (const id of new Set(fresh.map(({ definitionId }) => definitionId))) {
      const loaded = await this.#deps.definitions.load(id);
      if (loaded) found.set(id, loaded.deployment);
    }
    for (const { definitionId, tenantId = '' } of fresh) {
      const { deploymentId, tenantCode } = found.get(definitionId) ?? {};
      if (deploymentId === undefined || tenantCode === tenantId) continue;
      await this.#deps.definitions.noteUse(deploymentId, tenantId);
    }
    return (id) => {
      const deployment = found.get(id);
      if (!deployment) throw new Error(`The definition ${id} has gone during the command`);
      return deployment;
    };
  }
}
