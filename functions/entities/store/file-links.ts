/** Path of file links when the host's storage cannot issue links. */
export const FILES_PATH = '/api/v1/entity-definitions/files';

/** Where these links are served and kept. */
export const FILE_LINKS = { path: FILES_PATH, keyPrefix: 'DYN_LINK' };
