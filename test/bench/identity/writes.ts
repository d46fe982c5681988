import { laneKey } from '../../../functions/identity/store/accounts/fence.ts';
import { TableUsers } from '../../../functions/identity/store/accounts/user-repository.ts';
import { HistoryRepository } from '../../../functions/identity/store/history-repository.ts';
import type { NewUser } from '../../../shared/ports/identity.ts';
import { aContext } from '../../helpers/world/a-context.ts';

const SOURCE = 'source-1';
const AT = '2026-03-01T09:30:00.000Z';

const newUser = (number: number): NewUser => ({
  ...{ id: `account-${number}`, userName: `user-${number}`, email: `user-${number}@example.com` },
  ...{ fullName: `Given ${number} Family ${number}`, orgIds: ['department-1'] },
  ...{ status: 'ENABLED', origin: 'SOURCE' },
  links: [{ sourceId: SOURCE, externalId: `e-${number}`, hash: 'h'.repeat(24), active: true }],
});

const recordOf = ({ id, userName }: NewUser) => ({
  ...{ id: `batch.u.${id}`, syncHistoryId: 'history-1', objectType: 'USER' as const },
  ...{ actionType: 'INSERT' as const, status: 'SUCCESS' as const, externalId: id },
  ...{ objectId: id, objectName: userName, changes: [], time: AT },
});

/** Write units of one user who is made, with the record that says so. */
export async function unitsOfNewUser(): Promise<number> {
  const context = aContext({ module: 'identity' });
  const fence = { sourceId: SOURCE, lane: 1, value: 1 };
  await context.unitOfWork(async (unit) =>
    unit.put({ ...laneKey(SOURCE, fence.lane), type: 'lock', fence: fence.value }),
  );
  const users = Array.from({ length: 240 }, (_, number) => newUser(number));
  const { writeUnits } = await context.db.meter.costOf(async () => {
    const results = await new TableUsers(context).createMany(users, { fence });
    if (results.some(({ kind }) => kind !== 'ok')) throw new Error('A user was not made');
    await new HistoryRepository(context).putRecords(users.map(recordOf));
  });
  return writeUnits / users.length;
}
