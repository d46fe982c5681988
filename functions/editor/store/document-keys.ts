import type { Key } from '../../../shared/store/table.ts';

/*
 * Access patterns
 *   the key of a file                 get    DOCKEY#<fileId> / KEY
 *   the session of a key              get    DOCSESSION#<key> / SESSION
 *   sessions of a document, newest    query  gsi1 DOCSESSION@<tenant>#<document id>, reversed
 *   a save of a session               get    DOCSESSION#<key> / SAVE#<status>#<hash of the download's path>
 *   saves of a session                query  DOCSESSION#<key> / SAVE#…
 *   since when a secret is used       get    DOCSECRET#<digest> / SEEN
 *   where recovery goes on            get    DOCRECOVERY / PROGRESS
 */

export const documentKey = (fileId: string): Key => ({ pk: `DOCKEY#${fileId}`, sk: 'KEY' });

export const sessionKey = (key: string): Key => ({ pk: `DOCSESSION#${key}`, sk: 'SESSION' });

export const saveKey = (key: string, identity: string): Key => ({
  pk: `DOCSESSION#${key}`,
  sk: `SAVE#${identity}`,
});

export const recoveryKey: Key = { pk: 'DOCRECOVERY', sk: 'PROGRESS' };

/** Sessions of a document; empty: of no tenant. */
export const sessionsPartition = (tenant: string, documentId: string): string =>
  `DOCSESSION@${encodeURIComponent(tenant)}#${documentId}`;
