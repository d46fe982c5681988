import { mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { aCustomerEntity, anEntitiesApi } from '../../unit/entities/entities-api.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { onDisk } from './on-disk.ts';

/** Size of the file. */
const FILE_BYTES = Number(process.env.BENCH_IMPORT_MB ?? '110') * 1_048_576;

/**
 * Imports of a large file from a disk: a dry run of small rows, which keeps nothing, and one that stores rows of 20 KB
 * in a table in memory. `NODE_OPTIONS=--max-old-space-size=...` limits the memory.
 */
export default {
  name: 'Imports of large files',
  run: async (say) => [
    ...(await measured('dry run, rows of 1 KB', 1_000, true, say)),
    ...(await measured('stored, rows of 20 KB', 20_000, false, say)),
  ],
} satisfies Benchmark;

async function measured(
  what: string,
  rowBytes: number,
  dryRun: boolean,
  say: (text: string) => void,
): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-import-'));
  try {
    const rows = writeRows(join(folder, 'rows'), rowBytes);
    say(`${what}: ${rows} rows, ${statSync(join(folder, 'rows')).size} bytes`);
    const host = { permissionEvaluator: claimsPermissionEvaluator, storage: onDisk(folder) };
    const api = anEntitiesApi({ host });
    await api.define(aCustomerEntity());
    const { jobService } = createEntitiesModule(api.context).services;
    const how = { mode: 'insert', key: 'id', dryRun, format: 'ndjson', object: 'rows' };
    const job = await jobService.start('IMPORT', 'customer', how, systemPrincipal);
    const heap = peakHeap();
    const before = process.cpuUsage();
    await api.runJobs();
    const { user, system } = process.cpuUsage(before);
    const { state, processed, result } = await jobService.get('customer', job.id);
    if (state !== 'DONE' || processed !== rows || result.created !== rows) {
      throw new Error(`The import ended as ${JSON.stringify({ state, processed, result })}`);
    }
    const steps = api.context.log.named('job').length;
    return [
      { what: `${what}: steps`, value: steps, unit: 'steps' },
      { what: `${what}: CPU for a row`, value: (user + system) / 1_000 / rows, unit: 'ms' },
      { what: `${what}: largest heap`, value: heap() / 1_048_576, unit: 'MB' },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeRows(path: string, rowBytes: number): number {
  const file = openSync(path, 'w');
  let count = 0;
  for (let bytes = 0; bytes < FILE_BYTES; count += 1) {
    const row = { name: `n${count}`, amount: count, notes: 'ạ'.repeat(rowBytes / 3) };
    bytes += writeSync(file, `${JSON.stringify(row)}\n`);
  }
  return count;
}

/** Follows the heap. @returns its largest size so far (bytes) */
function peakHeap(): () => number {
  let most = 0;
  const look = (): void => {
    most = Math.max(most, process.memoryUsage().heapUsed);
  };
  setInterval(look, 50).unref();
  return () => {
    look();
    return most;
  };
}
