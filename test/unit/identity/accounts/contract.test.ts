import { describe, it } from 'vitest';
import { departmentContract } from '../../../../functions/identity/contract/department-contract.ts';
import { userContract } from '../../../../functions/identity/contract/user-contract.ts';
import { laneKey } from '../../../../functions/identity/store/accounts/fence.ts';
import { TableUsers } from '../../../../functions/identity/store/accounts/user-repository.ts';
import { TableDepartments } from '../../../../functions/identity/store/departments/department-repository.ts';
import { memoryAccounts } from '../../../helpers/identity/accounts/memory-accounts.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

function inTheTable() {
  const context = aContext({ module: 'identity' });
  return {
    users: new TableUsers(context),
    departments: new TableDepartments(context),
    setFence: ({ sourceId, lane, value }: { sourceId: string; lane: number; value: number }) =>
      context.unitOfWork(async (unit) =>
        unit.put({ ...laneKey(sourceId, lane), type: 'lock', fence: value }),
      ),
  };
}

describe.each([
  ['in the table', inTheTable],
  ['in memory', memoryAccounts],
])('repositories %s', (_, make) => {
  it.each([...userContract, ...departmentContract])('$name', async ({ run }) => {
    await run(make());
  });
});
