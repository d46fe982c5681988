import type { DocsEditorAuthorizationService } from '../ports/documents.ts';
import type { PermissionEvaluator } from '../ports/security.ts';
import type { TaskGroups, WorkflowTaskAuthorizationService } from '../ports/workflow.ts';
import type { Principal } from '../security/principal.ts';

/** Role that may do everything. */
export const ADMIN_ROLE = 'admin';

/**
 * Allows what the token grants: the role `admin` everything, others the permissions `<target>:<action>`
 * they carry (`<target>:*` for every action of a target).
 */
export const claimsPermissionEvaluator: PermissionEvaluator = {
  hasPermission: ({ roles, permissions }, target, action) =>
    roles.includes(ADMIN_ROLE) ||
    permissions.includes(`${target}:${action}`) ||
    permissions.includes(`${target}:*`),
};

/**
 * Lets a user open documents: `docs:view` for looking at them, `docs:edit` for whatever changes them too. Which of the
 * documents is not asked: an application that has rights on single ones brings a service of its own.
 */
export const claimsEditorAuthorization: DocsEditorAuthorizationService = {
  canOpen({ mode }, _, { roles, permissions, authenticated }) {
    if (!authenticated) return false;
    if (roles.includes(ADMIN_ROLE)) return true;
    const rights = mode === 'view' || mode === 'embedded' ? ['view', 'edit', '*'] : ['edit', '*'];
    return rights.some((action) => permissions.includes(`docs:${action}`));
  },
};

/**
 * Lets a user work on the tasks that are theirs: assigned to them, or open to them by name or by a group that the
 * resolver gives them. A candidate sees claimed tasks too; an attempt to claim one names its assignee. Changing a task for
 * others (`assign`, `update`) needs the role `admin`, which may do everything.
 */
export const claimsTaskAuthorization: WorkflowTaskAuthorizationService = {
  isAllowed(operation, task, principal, groups) {
    if (principal.roles.includes(ADMIN_ROLE)) return true;
    if (operation === 'list') return principal.authenticated;
    if (operation === 'assign' || operation === 'update' || !task) return false;
    const { onBehalfOf = [] } = groups ?? {};
    const called = [...names(principal), ...onBehalfOf];
    if (called.some((name) => name === task.assignee || name === task.owner)) return true;
    const isOpen = task.assignee === undefined || operation === 'view' || operation === 'claim';
    const isMeant = onBehalfOf.some((name) => task.candidateUsers.includes(name));
    return isOpen && (isMeant || isCandidate(principal, task, groups));
  },
};

function isCandidate(
  principal: Principal,
  task: { readonly candidateUsers: readonly string[]; readonly candidateGroups: readonly string[] },
  { resolved }: Pick<TaskGroups, 'resolved'> = {
    resolved: [...principal.roles, ...principal.groups],
  },
): boolean {
  return (
    names(principal).some((name) => task.candidateUsers.includes(name)) ||
    resolved.some((group) => task.candidateGroups.includes(group))
  );
}

const names = ({ id, username }: Principal): readonly string[] => [id, username];
