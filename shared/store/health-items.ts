import { toInstant } from '../primitives/clock.ts';
import { readAll } from './read-all.ts';
import type { Item, Table } from './table.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Partition of what functions report of themselves, for `/health`. */
const HEALTH_PARTITION = 'setting#@health';

/** A module whose function is not ready. */
interface HealthReport extends Item {
  readonly module: string;
  /** The report holds until then (epoch ms): while a module is not ready, it reports again. */
  readonly until: number;
}

const MAX_REPORTS = 100;

/** Stages the report that a module is not ready. @param forMs how long it holds */
export function reportNotReady(unit: UnitOfWork, { module, reason, now, forMs }: NotReady): void {
  unit.put({
    pk: HEALTH_PARTITION,
    sk: module,
    type: 'health_report',
    ...{ module, reason, until: now + forMs, reportedAt: toInstant(now) },
    ttl: Math.ceil((now + forMs) / 1_000),
  });
}

interface NotReady {
  readonly module: string;
  readonly reason: string;
  readonly now: number;
  readonly forMs: number;
}

/** The modules that have reported that they are not ready. */
export async function modulesNotReady(table: Table, now: number): Promise<readonly string[]> {
  const reports = await readAll<HealthReport>(table, { partition: HEALTH_PARTITION }, MAX_REPORTS);
  return reports.filter(({ until }) => until > now).map(({ module }) => module);
}
