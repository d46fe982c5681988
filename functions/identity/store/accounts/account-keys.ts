import type { Key } from '../../../../shared/store/table.ts';
import { foldedName } from '../../domain/accounts/folded-name.ts';

/*
 * Access patterns
 *   an account                           USER#<id>                       HEAD
 *   the accounts of a tenant by name     (gsi1) USER#@of#<tenant>        <user name in lower case>
 *   the accounts of a main department    (gsi2) USER#@in#<department>    <id>
 *   the account of a unique value        USERNAME#, USEREMAIL#, USERPHONE#<tenant>#<value>  HEAD
 *   the links of a source, in order      USERLINK#<source id>            <external id>
 *   the link of an alias at a source      (gsi1) USERLINK#@alias#<source id>  <alias>
 */
export const userKey = (id: string): Key => ({ pk: `USER#${id}`, sk: 'HEAD' });
/** The id in the key of an account. */
export const idOf = (pk: string): string => pk.slice('USER#'.length);
export const usersPartition = (tenant: string): string => `USER#@of#${tenant}`;
export const membersPartition = (departmentId: string): string => `USER#@in#${departmentId}`;
export const linksPartition = (sourceId: string): string => `USERLINK#${sourceId}`;
export const aliasesPartition = (sourceId: string): string => `USERLINK#@alias#${sourceId}`;
export const linkKey = (sourceId: string, externalId: string): Key => ({
  pk: linksPartition(sourceId),
  sk: externalId,
});

/** Values that one account of a tenant has. */
export const UNIQUE_FIELDS = ['userName', 'email', 'phone'] as const;
export type UniqueField = (typeof UNIQUE_FIELDS)[number];

const PREFIXES: Readonly<Record<UniqueField, string>> = {
  userName: 'USERNAME',
  email: 'USEREMAIL',
  phone: 'USERPHONE',
};

/** Of a phone number only its digits count. */
export const uniqueForm = (field: UniqueField, value: string): string =>
  field === 'phone' ? value.replace(/[^\d+]/g, '') || value : foldedName(value);

export const uniqueKey = (field: UniqueField, tenant: string, value: string): Key => ({
  pk: `${PREFIXES[field]}#${tenant}#${uniqueForm(field, value)}`,
  sk: 'HEAD',
});
