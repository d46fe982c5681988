import type { Department } from '../../../../shared/ports/identity.ts';
import { notExists, versionIs } from '../../../../shared/store/conditions.ts';
import type { Item } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { ItemFailed } from '../accounts/item-failed.ts';
import {
  belowKey,
  departmentCodeKey,
  departmentKey,
  departmentLinkKey,
  departmentsPartition,
} from './department-keys.ts';

/** A department without its path, which follows from those above it. */
export type StoredDepartment = Omit<Department, 'path'>;

export interface DepartmentItem extends Item {
  readonly department: StoredDepartment;
}

export interface DepartmentPointer extends Item {
  readonly departmentId: string;
}

export function stageNewDepartment(unit: UnitOfWork, department: StoredDepartment): void {
  const { id, tenant = '', code, parentId, sourceId, externalId } = department;
  const pointer = { departmentId: id };
  const free = (failure: 'CODE_CONFLICT' | 'LINK_CONFLICT' | 'VERSION_CONFLICT') => ({
    condition: notExists,
    otherwise: () => new ItemFailed(failure),
  });
  unit.put(headItem(department), free('VERSION_CONFLICT'));
  unit.put(
    { ...departmentCodeKey(tenant, code), type: 'department_code', ...pointer },
    free('CODE_CONFLICT'),
  );
  unit.put({ ...belowKey(tenant, parentId, id), type: 'department_below', ...pointer });
  if (sourceId === undefined || externalId === undefined) return;
  unit.put(
    { ...departmentLinkKey(sourceId, externalId), type: 'department_link', ...pointer },
    free('LINK_CONFLICT'),
  );
}

/** Stages the next version of a department, and that it hangs elsewhere. */
export function stageDepartment(
  unit: UnitOfWork,
  next: StoredDepartment,
  before: StoredDepartment,
): void {
  unit.put(headItem(next), { condition: versionIs(before.version), otherwise: 'retry' });
  if (next.parentId === before.parentId) return;
  const { id, tenant = '' } = next;
  unit.delete(belowKey(tenant, before.parentId, id));
  unit.put({ ...belowKey(tenant, next.parentId, id), type: 'department_below', departmentId: id });
}

export function stageDepartmentGone(unit: UnitOfWork, department: StoredDepartment): void {
  const { id, tenant = '', code, parentId, sourceId, externalId, version } = department;
  unit.delete(departmentKey(id), { condition: versionIs(version), otherwise: 'retry' });
  unit.delete(departmentCodeKey(tenant, code));
  unit.delete(belowKey(tenant, parentId, id));
  if (sourceId !== undefined && externalId !== undefined) {
    unit.delete(departmentLinkKey(sourceId, externalId));
  }
}

function headItem(department: StoredDepartment) {
  const { id, tenant = '', name, code, parentId, order, version } = department;
  return {
    ...departmentKey(id),
    gsi1pk: departmentsPartition(tenant),
    gsi1sk: `${name.toLowerCase().slice(0, 200)}#${id}`,
    type: 'department',
    version,
    summary: { id, name: name.slice(0, 200), code, parentId, order },
    department,
  };
}
