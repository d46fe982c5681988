import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitiesConfig } from '../../../functions/entities/configuration.ts';
import { createEntitiesModule } from '../../../functions/entities/module.ts';
import type { ModuleContext } from '../../../shared/lambda/module-context.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';

/** What a process does with the entities module. */
export type EntitiesRole =
  | 'entities-jobs'
  | 'entities-loader'
  | 'entities-wide'
  | 'entities-writer';

/** Fields of a record that no single transaction holds. */
export const WIDE_FIELDS = 95;
const STATUSES = ['open', 'wip', 'closed'];
const CITIES = ['Huế', 'Vinh', 'Đà Nẵng', 'Hà Nội', ''];

/** Id of the n-th record of a run. */
export const recordId = (number: number): string =>
  `0a000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Values of the n-th record. */
export const recordValues = (number: number) => ({
  name: `Người ${number}`,
  email: `e${number}@example.com`,
  status: STATUSES[number % 3],
  amount: number % 17,
  city: CITIES[number % 5],
});

/** Values of a wide record in one of its states. */
export const wideValues = (state: string) =>
  Object.fromEntries(Array.from({ length: WIDE_FIELDS }, (_, at) => [`f${at}`, `${state}${at}`]));

/** States that a wide record goes through. */
export const WIDE_STATES = ['a', 'b', 'c', 'a'];

interface Work {
  readonly entity: string;
  readonly from: number;
  readonly to: number;
  /** Pause of a writer before each change. */
  readonly pauseMs?: number;
}

/** The callers of the module, each as a process that may be killed and begins again. */
export function entitiesRoles(
  context: ModuleContext<EntitiesConfig>,
  work: unknown,
  random: () => number,
): Readonly<Record<Exclude<EntitiesRole, 'entities-jobs'>, () => Promise<void>>> {
  const { entity, from, to, pauseMs = 0 } = work as Work;
  const services = () => createEntitiesModule(context).services;
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);

  return {
    /** Loads records in bulk calls; those that are there are refused. */
    async 'entities-loader'() {
      const { catalog, bulkService } = services();
      for (let at = 0; at < numbers.length; at += 50) {
        const operations = numbers.slice(at, at + 50).map((number) => ({
          op: 'create' as const,
          data: { id: recordId(number), ...recordValues(number) },
        }));
        const results = await catalog.withEntity(entity, (model) =>
          bulkService.run(model, operations, false, systemPrincipal),
        );
        for (const { error } of results) if (error && error.code !== 'RECORD_EXISTS') throw error;
      }
    },

    /** Takes each wide record through its states; the version tells where it stands. */
    async 'entities-wide'() {
      const { catalog, recordService, recordReader } = services();
      const model = await catalog.load(entity);
      for (const number of numbers) {
        const id = recordId(number);
        const [first = ''] = WIDE_STATES;
        await recordService
          .create(model, { id, ...wideValues(first) }, systemPrincipal)
          .catch(ignore('RECORD_EXISTS'));
        for (;;) {
          const { header } = await recordReader.get(model, id, systemPrincipal);
          const next = WIDE_STATES[header.version];
          if (next === undefined) break;
          const options = { ifMatch: String(header.version) };
          await recordService.update(model, id, wideValues(next), systemPrincipal, options);
        }
      }
    },

    /** Changes, deletes and restores records until it is stopped. */
    async 'entities-writer'() {
      const { catalog, recordService, deletionService } = services();
      for (;;) {
        await sleep(pauseMs);
        const number = from + Math.floor(random() * (to - from));
        const id = recordId(number);
        const dice = random();
        await catalog
          .withEntity(entity, async (model) => {
            if (dice < 0.1) await deletionService.delete(model, id, systemPrincipal);
            else if (dice < 0.3) await recordService.restore(model, id, systemPrincipal);
            else await recordService.update(model, id, change(random), systemPrincipal);
          })
          .catch(ignore('RECORD_NOT_FOUND', 'CONCURRENT_UPDATE'));
      }
    },
  };
}

function change(random: () => number) {
  const number = Math.floor(random() * 1_000);
  const { status, amount, city } = recordValues(number);
  return { status, amount: random() < 0.2 ? null : amount, city };
}

const ignore =
  (...codes: readonly string[]) =>
  (error: unknown): void => {
    if (!(error instanceof Problem) || !codes.includes(error.code)) throw error;
  };
