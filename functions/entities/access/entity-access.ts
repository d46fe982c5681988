import type { Host } from '../../../shared/host/host.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntitiesConfig } from '../configuration.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { allOf, everything } from '../domain/query/filter.ts';
import type { Moment } from '../domain/query/moments.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { underPolicies } from './policies.ts';
import {
  type GrantsByAction,
  RECORD_ACTIONS,
  type RecordAction,
  type RecordGrant,
} from './record-grant.ts';
import { common, NO_FIELDS } from './record-rules.ts';

export interface EntityAccessDependencies {
  readonly host: Host;
  readonly config: EntitiesConfig;
  readonly log: Log;
  /** The time that the caller's tenant sees. */
  readonly clock: Clock;
}

/** Authorises access to the records of an entity by its flags and the host's evaluator. */
export class EntityAccess {
  readonly #host: Host;
  readonly #config: EntitiesConfig['dynamic'];
  readonly #clock: Clock;

  constructor({ host, config, log, clock }: EntityAccessDependencies) {
    this.#host = host;
    this.#config = config.dynamic;
    this.#clock = clock;
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

  /** The time and the zone that `today` and `now` in filters stand for. */
  moment(): Moment {
    return { ms: this.#clock.now(), zone: this.#config.zoneId };
  }

  /**
   * Authorises an action on the records of an entity, possibly limited to some of them: what both the host and the
   * policies of the entity allow.
   * @throws Problem `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
   */
  async check(
    model: EntityModel,
    principal: Principal,
    action: RecordAction,
  ): Promise<RecordGrant> {
    const target = this.targetOf(model.definition);
    const refuse = (): Error =>
      principal.authenticated
        ? httpProblems.forbidden(
            { permission: `${target}:${action}` },
            { extensions: { target, action } },
          )
        : this.#unauthenticated();
    const byHost = await this.#byHost(model, principal, action, refuse);
    const grant = underPolicies(model, byHost, principal, this.moment());
    if (!grant) throw refuse();
    return grant;
  }

  async #byHost(
    model: EntityModel,
    principal: Principal,
    action: RecordAction,
    refuse: () => Error,
  ): Promise<RecordGrant> {
    const { requireAuth, requirePermission } = model.definition;
    if (requireAuth && !principal.authenticated) throw this.#unauthenticated();
    const unlimited = { action, filter: everything };
    if (!requirePermission) return unlimited;
    const { permissionEvaluator } = this.#host;
    if (!permissionEvaluator) {
      if (this.#config.permissionFailClosed) throw refuse();
      return unlimited;
    }
    const target = this.targetOf(model.definition);
    const decision = await permissionEvaluator.hasPermission(principal, target, action);
    if (decision === true) return unlimited;
    if (typeof decision !== 'object' || decision?.allowed !== true) throw refuse();
    const { rowFilter, fields, presets } = decision;
    const moment = this.moment();
    return {
      action,
      filter: rowFilter ? parseFilterObject(rowFilter, model, 'rowFilter', { moment }) : everything,
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

  /**
   * The grants of a caller who may view, add or edit records.
   * @throws Problem `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
   */
  async grants(model: EntityModel, principal: Principal): Promise<GrantsByAction> {
    const grants = await Promise.all(
      RECORD_ACTIONS.map((action) => this.grantOf(model, principal, action)),
    );
    const [view, add, edit, remove] = grants;
    if (!view && !add && !edit) await this.check(model, principal, 'view');
    return {
      ...(view && { view }),
      ...(add && { add }),
      ...(edit && { edit }),
      ...(remove && { delete: remove }),
    };
  }

  /**
   * What a caller sees of the records that a grant for any action covers: what that grant and the one for `view`
   * allow. Who may not view records sees that they are there, without a value.
   */
  async seen(
    model: EntityModel,
    principal: Principal,
    grant: RecordGrant,
  ): Promise<RecordGrant & { readonly action: 'view' }> {
    const { action, filter } = grant;
    if (action === 'view') return { ...grant, action };
    const view = await this.grantOf(model, principal, 'view');
    if (!view) return { action: 'view', filter, fields: NO_FIELDS };
    const fields = common(grant.fields, view.fields);
    return { action: 'view', filter: allOf([filter, view.filter]), ...(fields && { fields }) };
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
