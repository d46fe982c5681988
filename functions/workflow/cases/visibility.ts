import type { Principal } from '../../../shared/security/principal.ts';
import { problems } from '../errors.ts';
import type { StoredFamily } from '../store/families/family-store.ts';

/** Whether a case of the tenant is visible: who has a tenant sees that one's, an operator without one sees all. */
export const sees = ({ tenant }: Pick<Principal, 'tenant'>, tenantCode: string): boolean =>
  tenant === undefined || tenant === tenantCode;

/** @throws Problem `CASE_NOT_FOUND` (404) */
export function requireVisible(
  family: StoredFamily | undefined,
  caseInstanceId: string,
  principal: Pick<Principal, 'tenant'>,
): StoredFamily {
  const facts = family?.facts[caseInstanceId];
  if (family && facts && sees(principal, facts.tenantCode)) return family;
  throw problems.caseNotFound({
    reason: `There is no case ${caseInstanceId} that is visible to the caller.`,
  });
}
