import type { TenantClock } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { MAX_AHEAD_MS, stageAdvance } from '../../../shared/store/tenant-clock.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';

/** Advances the time of tenants, for tests. */
export class ClockService {
  readonly #deps: { readonly unitOfWork: RunUnitOfWork; readonly tenantClock: TenantClock };

  constructor(dependencies: {
    readonly unitOfWork: RunUnitOfWork;
    readonly tenantClock: TenantClock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @returns the time of the tenant (epoch ms)
   * @throws Problem `VALIDATION_FAILED` (400) beyond ten years ahead of the machine
   */
  async advance(tenant: string | undefined, ms: number): Promise<number> {
    const { unitOfWork, tenantClock } = this.#deps;
    await unitOfWork(async (unit) => stageAdvance(unit, tenant, { ms }, tooFar));
    return (await tenantClock.times()).of(tenant);
  }
}

function tooFar(): Error {
  const detail = `must not put the time of the tenant more than ${MAX_AHEAD_MS / 86_400_000} days ahead`;
  return httpProblems.validationFailed([{ pointer: '/by', code: 'TOO_BIG', detail }]);
}
