import type { Clock } from '../../../shared/primitives/clock.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { apart } from '../../../shared/store/unit-of-work.ts';
import { workingTenant } from '../definitions/tenancy.ts';
import type { Variables } from '../domain/cmmn/index.ts';
import { HeardBeforeError, stageHeard } from '../store/cases/heard-signals.ts';
import type { RowSearch } from '../store/cases/row-search.ts';
import type { FamilyStore } from '../store/families/family-store.ts';
import type { CaseCommands } from './case-commands.ts';

/** A signal to all cases of a tenant that wait for it. */
export interface Signal {
  readonly name: string;
  readonly tenantCode?: string | undefined;
  readonly variables?: Variables | undefined;
  /** The message that has brought it: a case hears it once, however often it is delivered. */
  readonly messageId?: string | undefined;
}

/** Which cases have heard a signal. */
export interface HeardSignal {
  /** Roots of the families that have heard it. */
  readonly caseInstanceIds: readonly string[];
  /** Those that have refused it, and why. */
  readonly refused: readonly { readonly caseInstanceId: string; readonly code: string }[];
  /** There are more listeners than one call reaches. */
  readonly isTruncated: boolean;
}

export interface SignalsDependencies {
  readonly commands: CaseCommands;
  readonly families: FamilyStore;
  readonly rows: RowSearch;
  readonly clock: Clock;
}

const MAX_LISTENERS = 1_000;
const PARALLEL = 4;

/** Sends signals to whoever waits for them. */
export class Signals {
  readonly #deps: SignalsDependencies;

  constructor(dependencies: SignalsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Gives the signal once to each family with a listener for it, each in a transaction of its own.
   * @throws Problem `FORBIDDEN` (403) for another tenant than the caller's
   */
  broadcast(signal: Signal, principal: Principal): Promise<HeardSignal> {
    const tenant = workingTenant(principal, signal.tenantCode);
    return apart(async () => {
      const listeners = await this.#deps.rows.listeners(tenant, signal.name, MAX_LISTENERS + 1);
      const heard = listeners.slice(0, MAX_LISTENERS);
      const cases = [...new Set(heard.map(({ caseInstanceId }) => caseInstanceId))];
      const families = await this.#familiesOf(cases);
      const outcomes = await mapLimited(families, PARALLEL, async (caseInstanceId) => ({
        caseInstanceId,
        code: await this.#tell(caseInstanceId, signal, principal),
      }));
      return {
        caseInstanceIds: outcomes
          .filter(({ code }) => code === undefined)
          .map(({ caseInstanceId }) => caseInstanceId),
        refused: outcomes.flatMap(({ caseInstanceId, code }) =>
          code === undefined ? [] : [{ caseInstanceId, code }],
        ),
        isTruncated: listeners.length > MAX_LISTENERS,
      };
    });
  }

  async #familiesOf(cases: readonly string[]): Promise<readonly string[]> {
    const families = await mapLimited(cases, PARALLEL, async (id) => {
      const found = await this.#deps.families.load(id);
      return found?.familyId;
    });
    return [...new Set(families.flatMap((id) => id ?? []))];
  }

  /** @returns the code with which the family refuses it; `undefined` when it has heard it */
  async #tell(
    caseInstanceId: string,
    { name, variables, messageId }: Signal,
    principal: Principal,
  ): Promise<string | undefined> {
    const { commands, clock } = this.#deps;
    try {
      await commands.give({
        caseInstanceId,
        principal,
        command: () => ({ type: 'signal', name, variables }),
        also: async (unit) => {
          if (messageId !== undefined) stageHeard(unit, caseInstanceId, messageId, clock.now());
        },
      });
      return undefined;
    } catch (error) {
      if (error instanceof HeardBeforeError) return undefined;
      if (error instanceof Problem && error.status < 500) return error.code;
      throw error;
    }
  }
}
