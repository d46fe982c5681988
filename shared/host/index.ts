export {
  ADMIN_ROLE,
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from './claims-policies.ts';
export { defineHost, type Host } from './host.ts';
