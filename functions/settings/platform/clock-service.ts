import type { TenantClock } from '../../../shared/primitives/clock.ts';
import { stageAdvance } from '../../../shared/store/tenant-clock.ts';
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

  /** @returns the time of the tenant (epoch ms) */
  async advance(tenant: string | undefined, ms: number): Promise<number> {
    const { unitOfWork, tenantClock } = this.#deps;
    await unitOfWork(async (unit) => stageAdvance(unit, tenant, ms));
    return (await tenantClock.times()).of(tenant);
  }
}
