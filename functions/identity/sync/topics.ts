/** What the synchronisation publishes. */
export const SYNC_COMPLETED = 'identity.sync.completed';
export const SYNC_SUSPENDED = 'identity.sync.suspended';
export const SYNC_FAILED = 'identity.sync.failed';
export const SOURCE_DISABLED = 'identity.source.disabled';
export const USER_PROVISIONED = 'identity.user.provisioned';
