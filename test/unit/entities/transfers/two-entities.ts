import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { admin, OTHER_ISSUER } from '../../../helpers/api/test-tokens.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { aCustomerEntity, anEntitiesApi, RECORDS } from '../entities-api.ts';

export const FROM = `${RECORDS}/customer`;
export const TO = `${RECORDS}/copy`;

export async function withEntities(more: object = {}) {
  const storage = memoryStorage();
  const api = anEntitiesApi({ host: { permissionEvaluator: claimsPermissionEvaluator, storage } });
  await api.define(aCustomerEntity({ ...more }));
  await api.define(aCustomerEntity({ code: 'copy', apiPath: 'copies', ...more }));
  const send = (path: string, text: string, type: string) =>
    api.post(path, text, { headers: { 'content-type': type } });
  return { ...api, storage, send };
}

/** The subject of another issuer. */
export const elsewhere = { ...admin, iss: OTHER_ISSUER };
export const create = (body: object) => ({ op: 'create', data: body });
