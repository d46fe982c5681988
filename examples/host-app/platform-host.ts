import { defineHost } from '../../shared/host/host.ts';

/** Everybody may read settings, members of the role `operations` may change them. */
export default defineHost({
  permissionEvaluator: {
    hasPermission: async (principal, target, action) =>
      target === 'setting' && (action === 'view' || principal.roles.includes('operations')),
  },
});
