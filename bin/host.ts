import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../shared/host/claims-policies.ts';
import { defineHost } from '../shared/host/host.ts';

/** The host of the standalone app: whoever holds a token may do what its roles and permissions say. */
export default defineHost({
  permissionEvaluator: claimsPermissionEvaluator,
  workflowTaskAuthorizationService: claimsTaskAuthorization,
});
