import type { Key } from '../../../shared/store/table.ts';

/*
 * Access patterns
 *   a template                  get    TPL#<id> / HEAD
 *   its declared fields         get    TPL#<id> / FIELDS
 *   a version of its file       get    TPL#<id> / FILE#<8 digits>
 *   versions, newest first      query  TPL#<id> / FILE#, reversed
 *   the template of a code      get    TPLCODE#<tenant> / <code>
 *   the templates of a tenant   query  TPLCODE#<tenant>; then HEAD of those on the page
 *   constants of a tenant       query  TPLCONST#<tenant>
 *   one of them                 get    TPLCONST#<tenant> / <code in lower case>
 *   versions about to be stored query  TPLNEW / <instant>#<path of the file>
 *   cancelled and deleted ones   query  TPLENDED / <instant>#<document>
 *   a key of readers' tokens    get    TPLREADER#<thumbprint> / KEY
 */

export const templateKey = (id: string): Key => ({ pk: `TPL#${id}`, sk: 'HEAD' });

export const fieldsKey = (id: string): Key => ({ pk: `TPL#${id}`, sk: 'FIELDS' });

export const FILE_PREFIX = 'FILE#';

export const fileKey = (id: string, fileVersion: number): Key => ({
  pk: `TPL#${id}`,
  sk: FILE_PREFIX + String(fileVersion).padStart(8, '0'),
});

/** Codes of a tenant; empty: of none. The tenant comes last, so that no two of these partitions meet. */
export const codesPartition = (tenant: string): string => `TPLCODE#${tenant}`;

export const codeKey = (tenant: string, code: string): Key => ({
  pk: codesPartition(tenant),
  sk: code,
});

/** Constants of a tenant. */
export const constantsPartition = (tenant: string): string => `TPLCONST#${tenant}`;

/** @param key the code as it is looked up */
export const constantKey = (tenant: string, key: string): Key => ({
  pk: constantsPartition(tenant),
  sk: key,
});

/** A key that signs tokens of readers. */
export const readerKey = (id: string): Key => ({ pk: `TPLREADER#${id}`, sk: 'KEY' });

/** Versions of files that were about to be stored, of all templates. */
export const ANNOUNCED_PARTITION = 'TPLNEW';

/** Documents that are cancelled or deleted, of all templates. */
export const ENDED_PARTITION = 'TPLENDED';

export const endedKey = (instant: string, document: string): Key => ({
  pk: ENDED_PARTITION,
  sk: `${instant}#${document}`,
});

export const announcedKey = (instant: string, path: string): Key => ({
  pk: ANNOUNCED_PARTITION,
  sk: `${instant}#${path}`,
});
