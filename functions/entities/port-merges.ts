import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { RecordMerging } from '../../shared/ports/records.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import { Problem } from '../../shared/problems/problem.ts';
import { isNoEntity } from './catalog/entity-catalog.ts';
import type { EntitiesConfig } from './configuration.ts';
import type { EntityModel } from './domain/definitions/model.ts';
import { createServices } from './services.ts';

/** The calls of the port `entities.record-merges`. */
export function recordMerging(
  context: ServiceContext<EntitiesConfig>,
  encryption: EncryptService,
): RecordMerging {
  const { catalog, recordService } = createServices(context, encryption);
  return {
    async merge(entity, id, values, principal, { pointer, room }) {
      const told = (refusal: Error) => under(pointer, refusal);
      const merged = async (model: EntityModel) => ({
        writes: await recordService.merge(model, id, values, { principal, room, told }),
        secret: secretAmong(model, Object.keys(values)),
      });
      return catalog.withEntity(entity, merged).catch((error: unknown) => {
        if (isNoEntity(error)) return undefined;
        throw error instanceof Error ? told(error) : error;
      });
    },
    secretFields: (entity, names) =>
      catalog
        .withEntity(entity, async (model) => secretAmong(model, names))
        .catch((error: unknown) => {
          if (isNoEntity(error)) return undefined;
          throw error;
        }),
  };
}

const secretAmong = (model: EntityModel, names: readonly string[]): readonly string[] =>
  names.filter((code) => isSecret(model, code));

function isSecret(model: EntityModel, code: string): boolean {
  const field = model.field(code);
  return field?.encrypted === true || field?.writeOnly === true;
}

/** Refusals that already name fields where the caller has sent them. */
const moved = new WeakSet<Error>();

function under(pointer: string, refusal: Error): Error {
  if (!(refusal instanceof Problem) || refusal.errors.length === 0) return refusal;
  if (moved.has(refusal)) return refusal;
  const { detail, extensions, headers, cause } = refusal;
  const errors = refusal.errors.map((item) =>
    item.pointer === undefined ? item : { ...item, pointer: `${pointer}${item.pointer}` },
  );
  const told = new Problem(refusal, { detail, extensions, headers, cause, errors });
  moved.add(told);
  return told;
}
