import type { Key } from '../../../shared/store/table.ts';
import { digestOf, type OpenedAs } from '../domain/openings.ts';

/*
 * Access patterns
 *   the key of a file                 get    DOCKEY#<fileId> / KEY
 *   the session of a key              get    DOCSESSION#<key> / SESSION
 *   sessions of a document, newest    query  gsi1 DOCSESSION@<tenant>#<document id>, reversed
 *   as which else it was opened       get    DOCSESSION#<key> / OPENED#<digest of tenant and document id>
 *   a save of a session               get    DOCSESSION#<key> / SAVE#<status>#<hash of the download's path>
 *   saves of a session                query  DOCSESSION#<key> / SAVE#…
 *   versions of a document, newest    query  DOCVERSION#<document> / VERSION#…, reversed
 *   one version                       get    DOCVERSION#<document> / VERSION#<number, 8 digits>
 *   which secrets were used           get    DOCSECRET#HISTORY / SECRETS
 *   numbers that may have been given  get    DOCVERSION#<document> / NUMBERS
 *   where recovery goes on            get    DOCRECOVERY / PROGRESS
 */

export const documentKey = (fileId: string): Key => ({ pk: `DOCKEY#${fileId}`, sk: 'KEY' });

export const sessionKey = (key: string): Key => ({ pk: `DOCSESSION#${key}`, sk: 'SESSION' });

export const openingKey = (key: string, opened: OpenedAs): Key => ({
  pk: `DOCSESSION#${key}`,
  sk: `OPENED#${digestOf(opened)}`,
});

export const saveKey = (key: string, identity: string): Key => ({
  pk: `DOCSESSION#${key}`,
  sk: `SAVE#${identity}`,
});

export const secretsKey: Key = { pk: 'DOCSECRET#HISTORY', sk: 'SECRETS' };

export const recoveryKey: Key = { pk: 'DOCRECOVERY', sk: 'PROGRESS' };

export const VERSION_PREFIX = 'VERSION#';

export const versionKey = (document: string, number: number): Key => ({
  pk: `DOCVERSION#${document}`,
  sk: `${VERSION_PREFIX}${String(number).padStart(8, '0')}`,
});

export const numbersKey = (document: string): Key => ({
  pk: `DOCVERSION#${document}`,
  sk: 'NUMBERS',
});

/** Sessions of a document; empty: of no tenant. */
export const sessionsPartition = (tenant: string, documentId: string): string =>
  `DOCSESSION@${encodeURIComponent(tenant)}#${documentId}`;
