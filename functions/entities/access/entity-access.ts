import type { Host } from '../../../shared/host/host.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntitiesConfig } from '../configuration.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { everything, type Filter } from '../domain/query/filter.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';

/** What a caller may do with records. */
export type RecordAction = 'view' | 'add' | 'edit' | 'delete';

/** Row, field and preset restrictions of a caller. */
export interface RecordGrant {
  /** Only matching records are visible to the caller. */
  readonly filter: Filter;
  /** Only these fields are shown and may be written; all when there is no list. */
  readonly fields?: ReadonlySet<string>;
  /** Values of every new record; they overwrite what the caller sends. */
  readonly presets?: JsonObject;
}

const UNLIMITED: RecordGrant = { filter: everything };

/** Authorises access to the records of an entity by its flags and the host's evaluator. */
export class EntityAccess {
  readonly #host: Host;
  readonly #config: EntitiesConfig['dynamic'];

  constructor({ host, config, log }: { host: Host; config: EntitiesConfig; log: Log }) {
    this.#host = host;
    this.#config = config.dynamic;
    if (!host.permissionEvaluator && !config.dynamic.permissionFailClosed) {
      log.warn(
        'The host has no permissionEvaluator: entities with requirePermission=true are not checked',
        { code: 'PERMISSION_CHECK_ABSENT' },
      );
    }
  }

  /** The permission target passed to the evaluator: `{permission-prefix}:{apiPath}`. */
  targetOf({ apiPath }: Pick<EntityDefinition, 'apiPath'>): string {
    const { permissionPrefix } = this.#config;
    return permissionPrefix ? `${permissionPrefix}:${apiPath}` : apiPath;
  }

  /**
   * Authorises an action on the records of an entity, possibly limited to some of them.
   * @throws Problem `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
   */
  async check(
    model: EntityModel,
    principal: Principal,
    action: RecordAction,
  ): Promise<RecordGrant> {
    const { requireAuth, requirePermission } = model.definition;
    if (requireAuth && !principal.authenticated) throw this.#unauthenticated();
    if (!requirePermission) return UNLIMITED;
    const target = this.targetOf(model.definition);
    const refuse = (): Error =>
      principal.authenticated
        ? httpProblems.forbidden(
            { permission: `${target}:${action}` },
            { extensions: { target, action } },
          )
        : this.#unauthenticated();
    const { permissionEvaluator } = this.#host;
    if (!permissionEvaluator) {
      if (this.#config.permissionFailClosed) throw refuse();
      return UNLIMITED;
    }
    const decision = await permissionEvaluator.hasPermission(principal, target, action);
    if (decision === true) return UNLIMITED;
    if (typeof decision !== 'object' || decision?.allowed !== true) throw refuse();
    const { rowFilter, fields, presets } = decision;
    return {
      filter: rowFilter ? parseFilterObject(rowFilter, model, 'rowFilter') : everything,
      ...(fields && { fields: new Set(fields) }),
      ...(presets && { presets: checkedPresets(presets, model) }),
    };
  }

  /** The grant of a caller; `undefined` when access is denied. */
  async grantOf(
    model: EntityModel,
    principal: Principal,
    action: RecordAction,
  ): Promise<RecordGrant | undefined> {
    return this.check(model, principal, action).catch(() => undefined);
  }

  #unauthenticated(): Error {
    return httpProblems.unauthenticated({
      detail: 'Send the header Authorization: Bearer <token>.',
    });
  }
}

/** @throws Problem `INVALID_PARAMETER` (400) for a field that the entity does not have */
function checkedPresets(presets: JsonObject, model: EntityModel): JsonObject {
  const unknown = Object.keys(presets).find((code) => !model.field(code));
  if (unknown === undefined) return presets;
  const detail = `names ${unknown.slice(0, 80)}, which is not a field of ${model.code}`;
  throw httpProblems.invalidParameter([{ parameter: 'presets', code: 'UNKNOWN_FIELD', detail }]);
}
