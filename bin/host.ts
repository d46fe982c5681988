import {
  claimsEditorAuthorization,
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../shared/host/claims-policies.ts';
import { defineHost } from '../shared/host/host.ts';

/** The host of the standalone app: callers may do what the roles and permissions of their token allow. */
export default defineHost({
  permissionEvaluator: claimsPermissionEvaluator,
  workflowTaskAuthorizationService: claimsTaskAuthorization,
  docsEditorAuthorizationServices: [claimsEditorAuthorization],
});
