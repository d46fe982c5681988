import { httpProblems } from '../../shared/http/problems.ts';
import { isOwnedPath } from './domain/definition.ts';
import type { EntityDefinition } from './domain/entity.ts';

/** @throws Problem `VERSION_CONFLICT` (412) when the caller read another version of a definition */
export function checkDefinitionVersion(
  { version }: EntityDefinition,
  ifMatch: string | undefined,
): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === String(version)) return;
  throw httpProblems.versionConflict({ expected: ifMatch, actual: version });
}

/** @throws Problem `VALIDATION_FAILED` (400) when an apiPath would hide paths of the platform */
export function checkApiPath(apiPath: string): void {
  if (!isOwnedPath(apiPath)) return;
  const item = { pointer: '/apiPath', code: 'RESERVED', detail: 'is a path of the platform' };
  throw httpProblems.validationFailed([item]);
}
