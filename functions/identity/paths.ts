export const SOURCES_PATH = '/api/v1/identity_source';
export const SYNCHRONIZER_PATH = '/api/v1/synchronizer';
export const USERS_PATH = '/api/v1/users';
export const DEPARTMENTS_PATH = '/api/v1/departments';
export const PROVIDERS_PATH = '/api/v1/identity_provider';
/** Page that a login may end at. */
export const SIGNED_IN_PATH = `${PROVIDERS_PATH}/signed-in`;
export const SESSION_KEYS_PATH = `${PROVIDERS_PATH}/jwks`;
