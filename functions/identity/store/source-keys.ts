import type { Key } from '../../../shared/store/table.ts';

/*
 * Access patterns
 *   a source, its state                 identity_source#<id>             HEAD, STATE
 *   the source of a code; all sources   identity_source#@codes           <code>
 *   the sources of a tenant by name     identity_source#@names#<tenant>  <name in lower case>
 *   deleted sources that may have events  identity_source#@deleted        <id>
 */
export const CODES_PARTITION = 'identity_source#@codes';

export const DELETED_PARTITION = 'identity_source#@deleted';

export const sourceKey = (id: string): Key => ({ pk: `identity_source#${id}`, sk: 'HEAD' });
export const stateKey = (id: string): Key => ({ pk: `identity_source#${id}`, sk: 'STATE' });
export const sourceCodeKey = (code: string): Key => ({ pk: CODES_PARTITION, sk: code });
export const deletedKey = (id: string): Key => ({ pk: DELETED_PARTITION, sk: id });
export const namesPartition = (tenant: string): string => `identity_source#@names#${tenant}`;
export const nameKey = (tenant: string, name: string): Key => ({
  pk: namesPartition(tenant),
  sk: name.toLowerCase(),
});
