import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { matches } from '../domain/query/filter.ts';
import { recordWords } from '../domain/records/index-rows.ts';
import { problems } from '../errors.ts';
import type { RecordGrant } from './entity-access.ts';

/** Whether a record is visible to a caller. */
export function isGranted(
  model: EntityModel,
  header: RecordHeader,
  { filter }: RecordGrant,
): boolean {
  return matches(filter, header, model, (each) => recordWords(model, model.wordFields, each));
}

/** @throws Problem `VERSION_CONFLICT` (412), `PRECONDITION_REQUIRED` (428) */
export function checkVersion(
  { definition }: EntityModel,
  { version }: RecordHeader,
  ifMatch: string | undefined,
): void {
  if (ifMatch === undefined) {
    if (definition.options.requireIfMatch) throw problems.preconditionRequired();
    return;
  }
  if (ifMatch !== '*' && ifMatch !== String(version)) {
    throw httpProblems.versionConflict(
      { expected: ifMatch, actual: version },
      { extensions: { current: version, currentVersion: version } },
    );
  }
}
