import type { EntityModel } from '../../../functions/entities/domain/definitions/model.ts';
import { createEntitiesModule, type EntitiesModule } from '../../../functions/entities/index.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { aContext, type TestContext } from '../world/a-context.ts';
import { loadRecords } from './load-records.ts';
import { MeasuredValues, measuredEntity } from './measured-entity.ts';

/** An entity with so many records, and the services over it. */
export interface World {
  readonly context: TestContext;
  readonly services: EntitiesModule['services'];
  readonly model: EntityModel;
  readonly size: number;
  readonly ids: readonly string[];
  /** The word of each name that hardly another has. */
  readonly words: readonly string[];
  /** When the first of them was made: the others follow, one each second. */
  readonly startedAt: number;
}

/** Time between two records. */
export const SPACE_MS = 1_000;

/** Makes the measured entity with records drawn from a seed. */
export async function aWorld(size: number, { seed = 1, options = {} } = {}): Promise<World> {
  const context = aContext({ module: 'entities' });
  const { services } = createEntitiesModule(context);
  await services.definitionService.create({ ...measuredEntity, options }, systemPrincipal);
  const values = new MeasuredValues(seed);
  const startedAt = context.clock.now();
  const words: string[] = [];
  const bodies = Iterator.from(numbers(size)).map((at) => {
    context.clock.advance(SPACE_MS);
    const body = values.record(at);
    words.push(String(body.name).slice(-7));
    return body;
  });
  const ids = await loadRecords(context, measuredEntity.code, bodies);
  // Read now that time has passed, so that no call that is measured looks at it.
  const model = await services.catalog.load(measuredEntity.code);
  context.db.meter.reset();
  return { context, services, model, size, ids, words, startedAt };
}

function* numbers(below: number): Iterable<number> {
  for (let at = 0; at < below; at += 1) yield at;
}
