import type { Key } from '../../../../shared/store/table.ts';

/*
 * Access patterns
 *   a department                       DEPT#<id>                              HEAD
 *   the departments right below one    DEPT#@below#<tenant>#<parent or ''>    <id>
 *   all departments of a tenant        (gsi1) DEPT#@of#<tenant>               <name in lower case>
 *   the department of a code           DEPTCODE#<tenant>#<code>               HEAD
 *   the departments of a source        DEPTLINK#<source id>                   <external id>
 */
export const departmentKey = (id: string): Key => ({ pk: `DEPT#${id}`, sk: 'HEAD' });
export const belowPartition = (tenant: string, parentId = ''): string =>
  `DEPT#@below#${tenant}#${parentId}`;
export const belowKey = (tenant: string, parentId: string | undefined, id: string): Key => ({
  pk: belowPartition(tenant, parentId),
  sk: id,
});
export const departmentsPartition = (tenant: string): string => `DEPT#@of#${tenant}`;
export const departmentCodeKey = (tenant: string, code: string): Key => ({
  pk: `DEPTCODE#${tenant}#${code.toLowerCase()}`,
  sk: 'HEAD',
});
export const departmentLinksPartition = (sourceId: string): string => `DEPTLINK#${sourceId}`;
export const departmentLinkKey = (sourceId: string, externalId: string): Key => ({
  pk: departmentLinksPartition(sourceId),
  sk: externalId,
});
