import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { RecordReading, RecordWriting } from '../../shared/ports/records.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import { httpProblems } from '../../shared/problems/http-problems.ts';
import type { Principal } from '../../shared/security/principal.ts';
import type { Presentation } from './api/record-presenter.ts';
import type { EntitiesConfig } from './configuration.ts';
import type { EntityModel } from './domain/definitions/model.ts';
import type { FlatRecord } from './domain/entity/record.ts';
import { neededBy } from './domain/query/filter.ts';
import { readNames } from './domain/query/list-query.ts';
import { problems } from './errors.ts';
import type { GrantedRecord } from './records/record-reader.ts';
import { createReading, createServices, createStores } from './services.ts';
import { CursorKey } from './store/cursor-key.ts';

type Context = ServiceContext<EntitiesConfig>;
type Reading = ReturnType<typeof createReading>;

/** What is behind the port that reads records. */
export function recordReading(context: Context, encryption: EncryptService): RecordReading {
  const stores = {
    ...createStores(context, encryption),
    cursorKey: new CursorKey(context, false),
  };
  const { catalog, repository } = stores;
  // An interrupted change is left to those who may write: what is stored of the record is complete.
  const load = ({ code }: EntityModel, id: string) => repository.load(code, id);
  const reading = createReading(context, stores, { load });
  const { reader, queryService, presenter } = reading;
  return {
    get: (entity, id, principal, shown = {}) =>
      catalog.withEntity(entity, async (model) => {
        const names = readNames('fields', shown.fields, () => true);
        const found = await reader.get(model, id, principal, false, names);
        return view(reading, model, found, principal, shown);
      }),
    requireEditable: (entity, id, principal) =>
      catalog.withEntity(entity, async (model) => {
        const grant = await stores.access.check(model, principal, 'edit');
        const needed = neededBy(model, grant.filter, []);
        const { deletedAt } = await reader.find(model, id, grant, needed);
        if (deletedAt !== undefined) throw problems.recordNotFound({ entity: model.code, id });
      }),
    list: (
      entity,
      { parameters = {}, cursor, size = context.config.web.pageSizeDefault },
      principal,
    ) =>
      catalog.withEntity(entity, async (model) => {
        checkSize(size, context.config.web.pageSizeMax);
        const call = { parameters, cursor, size };
        const outcome = await queryService.list(model, call, principal);
        return presenter.page(model, outcome, parameters, principal);
      }),
  };
}

/** What is behind the port that writes records. */
export function recordWriting(context: Context, encryption: EncryptService): RecordWriting {
  const services = createServices(context, encryption);
  const { catalog, recordService, deletionService, presenter } = services;
  return {
    create: (entity, values, principal) =>
      catalog.withEntity(entity, async (model) =>
        view({ presenter }, model, await recordService.create(model, values, principal), principal),
      ),
    update: (entity, id, values, principal, options = {}) =>
      catalog.withEntity(entity, async (model) => {
        const changed = await recordService.update(model, id, values, principal, at(options));
        return view({ presenter }, model, changed, principal);
      }),
    delete: (entity, id, principal, options = {}) =>
      catalog.withEntity(entity, async (model) => {
        await deletionService.delete(model, id, principal, at(options));
      }),
  };
}

/** @throws Problem `INVALID_PARAMETER` (400) for a page that no route would answer */
function checkSize(size: number, most: number): void {
  if (Number.isInteger(size) && size >= 1 && size <= most) return;
  const detail = `must be a whole number from 1 to ${most}`;
  throw httpProblems.invalidParameter([{ parameter: 'size', code: 'RANGE', detail }]);
}

const at = ({ version }: { readonly version?: number }) =>
  version === undefined ? {} : { ifMatch: String(version) };

/** One record as its caller sees it. */
async function view(
  { presenter }: Pick<Reading, 'presenter'>,
  model: EntityModel,
  { header, grant }: GrantedRecord,
  principal: Principal,
  shown: Presentation = {},
): Promise<FlatRecord> {
  const [flat] = await presenter.present(model, [header], shown, grant, principal);
  if (!flat) throw new Error(`Nothing is shown of the record ${header.id}`);
  return flat;
}
