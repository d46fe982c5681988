import type { Host } from '../../../../shared/host/host.ts';
import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { tenantOf } from '../../definitions/tenancy.ts';
import { namesOfUser } from '../../domain/tasks/task-caller.ts';
import { problems } from '../../errors.ts';
import type { Substitution, Substitutions } from '../../store/tasks/substitutions.ts';
import { namesOfAnyone, requireUser } from './known-users.ts';

export interface SubstitutesDependencies {
  readonly substitutions: Substitutions;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly host: Pick<Host, 'userRepository'>;
}

/** Who is to stand in, and when. */
export interface NewSubstitution {
  readonly substitute: string;
  /** Default: now. */
  readonly from?: string | undefined;
  readonly until: string;
}

/** A user whose substitute is asked about: the caller, or another user. */
export interface Absentee {
  readonly user: string;
  /** What that user is called by; left out: as far as the host knows. */
  readonly names?: readonly string[];
}

/** Most users with the same substitute: the lists of each are read apart. */
const MAX_ABSENCES = 10;
/** How long a substitution is retried while others name the same substitute (ms). */
const PATIENCE_MS = 10_000;

/** Names those who work on the tasks of absent users. Nobody stands in for those whom an absent user stands in for. */
export class Substitutes {
  readonly #deps: SubstitutesDependencies;

  constructor(dependencies: SubstitutesDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `SUBSTITUTE_NOT_FOUND` (404) */
  async get(user: string, principal: Principal): Promise<Substitution> {
    const found = await this.#deps.substitutions.of(tenantOf(principal), user);
    if (!found) throw problems.substituteNotFound({ user });
    return found;
  }

  /**
   * Replaces the substitute of a user.
   * @throws Problem `VALIDATION_FAILED` (400), `SUBSTITUTE_IS_ONESELF`, `USER_UNKNOWN`, `TOO_MANY_ABSENCES` (422)
   */
  async set(
    { user, names: given }: Absentee,
    { substitute, from, until }: NewSubstitution,
    principal: Principal,
  ): Promise<Substitution> {
    const { substitutions, unitOfWork, clock, host } = this.#deps;
    const tenant = tenantOf(principal);
    const now = toInstant(clock.now());
    const names = given ?? (await namesOfAnyone(host, user, tenant));
    const called = await requireUser(host, substitute, tenant);
    if (called.some((name) => names.includes(name))) throw problems.substituteIsOneself({ user });
    const period = { from: from ?? now, until };
    requirePeriod(period, now);
    const to = { user, names, substitute, ...period, setBy: principal.id, setAt: now };
    await unitOfWork(async (unit) => {
      unit.retryFor(PATIENCE_MS);
      const changes = await substitutions.changesOf(tenant, substitute);
      const others = await substitutions.by(tenant, substitute, MAX_ABSENCES + 1);
      const open = others.filter((other) => other.user !== user && other.until > now);
      if (open.length >= MAX_ABSENCES) {
        throw problems.tooManyAbsences({ substitute, max: MAX_ABSENCES });
      }
      // What is over makes room.
      for (const past of others) {
        if (past.user !== user && past.until <= now) {
          substitutions.stageRemoval(unit, tenant, past);
        }
      }
      const before = await substitutions.of(tenant, user);
      substitutions.stage(unit, tenant, before, to, changes);
    });
    return to;
  }

  /** @throws Problem `SUBSTITUTE_NOT_FOUND` (404) */
  remove(user: string, principal: Principal): Promise<void> {
    return this.#deps.unitOfWork(async (unit) => {
      const found = await this.get(user, principal);
      this.#deps.substitutions.stageRemoval(unit, tenantOf(principal), found);
    });
  }

  /** For whom the caller stands in now. */
  async absences(tenant: string, principal: Principal): Promise<Substitution[]> {
    const { substitutions, clock } = this.#deps;
    const now = toInstant(clock.now());
    const found: Substitution[] = [];
    for (const name of namesOfUser(principal)) {
      found.push(...(await substitutions.by(tenant, name, MAX_ABSENCES * 2)));
    }
    return found.filter(({ from, until }) => from <= now && now < until);
  }
}

/** @throws Problem `VALIDATION_FAILED` (400) */
function requirePeriod({ from, until }: { from: string; until: string }, now: string): void {
  if (until > from && until > now) return;
  const detail = 'must be later than from, and than now';
  throw httpProblems.validationFailed([{ pointer: '/until', code: 'RANGE', detail }]);
}
