import { createHash } from 'node:crypto';
import type { Principal } from '../../../shared/security/principal.ts';
import { type EntityCatalog, isNoEntity } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { isJsonObject } from '../domain/entity/json.ts';
import type { EntityAccess } from './entity-access.ts';
import type { RecordGrant } from './record-grant.ts';

/**
 * Whether what was written under some grants may still be handed out: those of the caller are the same.
 * @throws Problem `FORBIDDEN` (403) when the caller sees nothing any more
 */
export async function isGrantedStill(
  { access, catalog }: { readonly access: EntityAccess; readonly catalog: EntityCatalog },
  model: EntityModel,
  grants: readonly string[],
  principal: Principal,
): Promise<boolean> {
  const now = fingerprint(await access.check(model, principal, 'view'));
  for (const grant of grants) {
    const [entity = '', ofTarget] = grant.split(':');
    const current =
      ofTarget === undefined ? now : await grantOfTarget(catalog, access, entity, principal);
    if (grant !== current) return false;
  }
  return true;
}

/** Fingerprint of what a caller may view now. */
export async function viewedNow(
  access: EntityAccess,
  model: EntityModel,
  principal: Principal,
): Promise<string> {
  const grant = await access.grantOf(model, principal, 'view');
  return grant ? fingerprint(grant) : 'nothing';
}

/** Fingerprint of what a caller may view now of another entity, behind the name of that entity. */
export async function grantOfTarget(
  catalog: EntityCatalog,
  access: EntityAccess,
  entity: string,
  principal: Principal,
): Promise<string> {
  const now = await catalog
    .withEntity(entity, (model) => viewedNow(access, model, principal))
    .catch((error: unknown) => {
      if (isNoEntity(error)) return 'gone';
      throw error;
    });
  return `${entity}:${now}`;
}

const fingerprint = ({ filter, fields }: RecordGrant): string =>
  createHash('sha256')
    .update(JSON.stringify([filter, fields ? [...fields].sort() : null], asWritten))
    .digest('base64url');

/** Replaces times by the words that stand for them: a grant that names `today` is the same grant tomorrow. */
const asWritten = (_member: string, value: unknown): unknown =>
  isJsonObject(value) && typeof value.named === 'string' ? { named: value.named } : value;
