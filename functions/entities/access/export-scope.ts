import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { Filter } from '../domain/query/filter.ts';
import { readFilter } from '../domain/query/list-query.ts';
import type { EntityAccess } from './entity-access.ts';
import { withinGrant } from './record-rules.ts';

/** The query of an export's call. */
export type ExportParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What an export holds: the records that were asked for, and of those what its caller may see. */
export interface ExportScope {
  readonly filter: Filter;
  /** Fields that the caller may see; all when there is no list. */
  readonly visible: readonly string[] | null;
}

/**
 * Judges what a caller may export by the definition and the grants of now.
 * @throws Problem `INVALID_PARAMETER` (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
 */
export async function exportScope(
  access: EntityAccess,
  model: EntityModel,
  parameters: ExportParameters,
  principal: Principal,
): Promise<ExportScope> {
  const grant = await access.check(model, principal, 'view');
  const asked = readFilter(parameters, model, ['format', 'fields', 'q', 'filter']);
  return {
    filter: withinGrant(model, asked, [], grant),
    visible: grant.fields ? [...grant.fields] : null,
  };
}
