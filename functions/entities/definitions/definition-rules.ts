import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { isOwnedName } from '../domain/definitions/definition.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';

/** @throws Problem `VERSION_CONFLICT` (412) when the caller read another version of a definition */
export function checkDefinitionVersion(
  { version }: EntityDefinition,
  ifMatch: string | undefined,
): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === String(version)) return;
  throw httpProblems.versionConflict({ expected: ifMatch, actual: version });
}

/** @throws Problem `VALIDATION_FAILED` (400) when a code or apiPath belongs to the platform */
export function checkNames(names: {
  readonly code?: string | undefined;
  readonly apiPath?: string | undefined;
}): void {
  const errors = Object.entries(names)
    .filter(([, name]) => name !== undefined && isOwnedName(name))
    .map(([member]) => ({
      pointer: `/${member}`,
      code: 'RESERVED',
      detail: 'is reserved by the platform',
    }));
  if (errors.length > 0) throw httpProblems.validationFailed(errors);
}
