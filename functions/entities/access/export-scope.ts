import { createHash } from 'node:crypto';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { isJsonObject } from '../domain/entity/json.ts';
import type { Filter } from '../domain/query/filter.ts';
import { readFilter } from '../domain/query/list-query.ts';
import type { Moment } from '../domain/query/moments.ts';
import type { EntityAccess } from './entity-access.ts';
import type { RecordGrant } from './record-grant.ts';
import { withinGrant } from './record-rules.ts';

/** The query of an export's call. */
export type ExportParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What an export holds: the records that were asked for, and of those what its caller may see. */
export interface ExportScope {
  readonly filter: Filter;
  /** Fields that the caller may see; all when there is no list. */
  readonly visible: readonly string[] | null;
  /** Fingerprint of the grant by which that was judged. Jobs of earlier versions lack it. */
  readonly grantedBy?: string;
}

/**
 * Judges what a caller may export by the definition and the grants of now.
 * @param moment when the caller asked for it
 * @throws Problem `INVALID_PARAMETER` (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
 */
export async function exportScope(
  access: EntityAccess,
  model: EntityModel,
  parameters: ExportParameters,
  principal: Principal,
  moment: Moment,
): Promise<ExportScope> {
  const grant = await access.check(model, principal, 'view');
  const asked = readFilter(parameters, model, ['format', 'fields', 'q', 'filter'], { moment });
  return {
    filter: withinGrant(model, asked, [], grant),
    visible: grant.fields ? [...grant.fields] : null,
    grantedBy: fingerprint(grant),
  };
}

/**
 * Whether what was written under some grants may still be handed out: the caller's grant is the same as all of them.
 * @throws Problem `FORBIDDEN` (403) when the caller sees nothing any more
 */
export async function isGrantedStill(
  access: EntityAccess,
  model: EntityModel,
  grants: readonly string[],
  principal: Principal,
): Promise<boolean> {
  const now = fingerprint(await access.check(model, principal, 'view'));
  return grants.every((grant) => grant === now);
}

/** Fingerprint of what a caller may view by now. */
export async function viewedNow(
  access: EntityAccess,
  model: EntityModel,
  principal: Principal,
): Promise<string> {
  const grant = await access.grantOf(model, principal, 'view');
  return grant ? fingerprint(grant) : 'nothing';
}

const fingerprint = ({ filter, fields }: RecordGrant): string =>
  createHash('sha256')
    .update(JSON.stringify([filter, fields ? [...fields].sort() : null], asWritten))
    .digest('base64url');

/** A grant that names `today` is the same tomorrow. */
const asWritten = (_member: string, value: unknown): unknown =>
  isJsonObject(value) && typeof value.named === 'string' ? { named: value.named } : value;
