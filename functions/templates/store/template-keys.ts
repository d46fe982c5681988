import type { Key } from '../../../shared/store/table.ts';

/*
 * Access patterns
 *   a template                  get    TPL#<id> / HEAD
 *   the template of a code      get    TPLCODE#<tenant> / <code>
 *   the templates of a tenant   query  TPLCODE#<tenant>; then HEAD of those on the page
 */

export const templateKey = (id: string): Key => ({ pk: `TPL#${id}`, sk: 'HEAD' });

/** Codes of a tenant; empty: of none. The tenant comes last, so that no two of these partitions meet. */
export const codesPartition = (tenant: string): string => `TPLCODE#${tenant}`;

export const codeKey = (tenant: string, code: string): Key => ({
  pk: codesPartition(tenant),
  sk: code,
});
