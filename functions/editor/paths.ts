/** Path of the configuration of an editor. */
export const EDITOR_PATH = '/api/v1/docs/editor';
/** The same under the name that access policies use. */
export const EDITOR_ALIAS = '/api/v1/docs/config/editor';
/** Path below which the editing server downloads files. */
export const FILE_PATH = '/api/v1/docs/file';
/** Path prefix of plugins. */
const PLUGINS_PATH = '/api/v1/docs/plugins';
/** Path of the sessions. */
export const SESSIONS_PATH = '/api/v1/docs/sessions';
/** Path of documents. */
export const DOCUMENTS_PATH = '/api/v1/docs/documents';
/** Path of what is known of the editing server. */
export const STATUS_PATH = '/api/v1/docs/status';

/** Paths that demand a token of the platform. */
export const PRIVATE_PATHS = [
  ...[EDITOR_PATH, EDITOR_ALIAS, SESSIONS_PATH, DOCUMENTS_PATH, STATUS_PATH],
] as const;

/** Paths that the editing server, or an editor in a browser, calls without one. */
const PUBLIC_PATHS = [FILE_PATH, PLUGINS_PATH] as const;

/** All paths besides that of the callback. */
export const OWN_PATHS: readonly string[] = [...PRIVATE_PATHS, ...PUBLIC_PATHS];
