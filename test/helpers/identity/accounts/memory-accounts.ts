import type { AccountsUnderTest } from '../../../../functions/identity/contract/contract-case.ts';
import type { WriteFence, WriteOptions } from '../../../../shared/ports/identity.ts';
import { memoryDepartments } from './memory-departments.ts';
import { memoryUsers } from './memory-users.ts';

/** Repositories that keep everything in maps: a second way to keep the contract, and a fast one. */
export function memoryAccounts(): AccountsUnderTest {
  const fences = new Map<string, number>();
  const laneOf = ({ sourceId, lane }: WriteFence) => `${sourceId}#${lane}`;
  const isFenced = ({ fence }: WriteOptions = {}) =>
    fence !== undefined && fences.get(laneOf(fence)) !== fence.value;
  const { users, isMember } = memoryUsers(isFenced);
  return {
    users,
    departments: memoryDepartments(isFenced, isMember),
    setFence: async (fence) => void fences.set(laneOf(fence), fence.value),
  };
}
