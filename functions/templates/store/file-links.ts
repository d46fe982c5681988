import { LINKS_PATH } from '../paths.ts';

/** Where links of a host storage that makes none of its own lead. */
export const FILE_LINKS = { path: LINKS_PATH, keyPrefix: 'TPLLINK' } as const;
