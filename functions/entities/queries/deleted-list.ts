import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { Filter } from '../domain/query/filter.ts';
import type { Total } from '../domain/search/counts/counting.ts';
import { DELETION_ORDER, findDeleted, findDeletedBefore } from '../domain/search/deleted.ts';
import type { FoundPage } from '../domain/search/page-collector.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { checkWindow } from '../domain/search/run.ts';
import { begunPage, type Seal, toLinkedPage } from './linked-page.ts';
import type { ListCall, ListOutcome } from './list-call.ts';

/** A page of deleted records, newest deletion first. @throws Problem `INVALID_CURSOR`, `PAGE_WINDOW_EXCEEDED` (400) */
export async function listDeleted(
  {
    filter,
    call,
    principal,
    seal,
  }: { filter: Filter; call: ListCall; principal: Principal; seal: Seal | undefined },
  search: Search,
): Promise<ListOutcome['page']> {
  const begun = begunPage(call, identityOf(search.model, call, principal), DELETION_ORDER);
  const { start, skip, size } = begun;
  if (!start) checkWindow(skip, undefined);
  const request = { filter, skip, size, position: start?.position };
  const found = await (start?.isBackward ? findDeletedBefore : findDeleted)(request, search);
  const total = start ? undefined : await totalDeleted(filter, found, skip, search);
  return toLinkedPage(found, begun, { total, seal });
}

/** What a cursor belongs to: the same entity, parameters and caller. */
export const identityOf = (
  { code }: EntityModel,
  { parameters, within }: ListCall,
  { id, issuer }: Principal,
): readonly unknown[] => [
  code,
  { ...parameters, page: undefined, cursor: undefined },
  id,
  issuer ?? null,
  ...(within ? [within] : []),
];

/** Refuses parameters that do not apply to the trash, which is read newest deletion first. @throws Problem `INVALID_PARAMETER` (400) */
export function checkTrash({ parameters }: ListCall): void {
  const errors = ['sort', 'count', 'consistent', 'explain']
    .filter((parameter) => parameters[parameter] !== undefined)
    .map((parameter) => ({
      parameter,
      code: 'NOT_APPLICABLE',
      detail: 'does not apply to the trash, which is sorted by time of deletion, newest first',
    }));
  if (errors.length > 0) throw httpProblems.invalidParameter(errors);
}

/** Exact for all deleted records, and when one page holds all that fit. */
async function totalDeleted(
  filter: Filter,
  { records, isWhole }: FoundPage,
  skip: number,
  { source }: Search,
): Promise<Total | undefined> {
  if (filter.kind === 'all') {
    return { value: Math.max(0, (await source.counters()).deleted), relation: 'eq' };
  }
  return isWhole ? { value: skip + records.length, relation: 'eq' } : undefined;
}
