import { capacityChecks } from './capacity-checks.ts';
import { conditionChecks } from './condition-checks.ts';
import { itemChecks } from './item-checks.ts';
import { indexChecks, queryChecks } from './query-checks.ts';
import type { TableCheck } from './table-check.ts';
import { transactionChecks } from './transaction-checks.ts';
import { updateChecks } from './update-checks.ts';

/** Everything that the double and the local cloud must agree on, by topic. */
export const tableChecks: Readonly<Record<string, readonly TableCheck[]>> = {
  conditions: conditionChecks,
  updates: updateChecks,
  items: itemChecks,
  queries: queryChecks,
  indexes: indexChecks,
  transactions: transactionChecks,
  capacity: capacityChecks,
};
