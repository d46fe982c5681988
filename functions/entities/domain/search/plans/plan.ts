import { claimsName } from '../../definitions/generations.ts';
import type { EntityModel } from '../../definitions/model.ts';
import { type Comparison, conjuncts } from '../../query/filter.ts';
import { isNatural } from '../../query/order.ts';
import { claimKey, claimPart } from '../../records/index-rows.ts';
import { equalities } from '../find.ts';
import { planOnward } from '../following/onward.ts';
import type { Plan, PlanInput, PlanRequest } from '../plan-request.ts';
import { RelatedPlaces } from '../related/places.ts';
import type { Search } from '../row-walk.ts';
import { sorted } from '../sorting/sorted.ts';
import { planByIds } from './by-ids.ts';
import { planByOrder } from './by-order.ts';
import { planByRelated } from './by-related.ts';

/** Plans a query, trying the cheapest strategies first. */
export async function planQuery(input: PlanInput, search: Search): Promise<Plan> {
  const request = { ...input, planPart: (part: PlanInput) => planQuery(part, search) };
  const direct = await directHits(request, search);
  if (direct) return direct;
  const { known, order } = request;
  const places = order[0]?.places;
  const plan = (): Promise<Plan> => {
    if (places instanceof RelatedPlaces) return planByRelated(request, search, places);
    return isNatural(order) ? planByIds(request, search) : planByOrder(request, search);
  };
  return known ? planOnward(request, known, search, plan) : plan();
}

/** Ids or unique values that the filter names. */
async function directHits(request: PlanRequest, search: Search): Promise<Plan | undefined> {
  const parts = conjuncts(request.filter);
  for (const part of parts) {
    if (part.kind !== 'test' || (part.op !== 'eq' && part.op !== 'in')) continue;
    if (part.field === 'id') {
      const ids = [...new Set(part.operands.map(({ value }) => String(value)))];
      return sorted('by id', ids, request, search);
    }
  }
  const equal = equalities(parts);
  for (const unique of search.model.uniques) {
    const { fields, state } = unique;
    const tests = fields.flatMap((field) => equal.get(field) ?? []);
    if (state !== 'READY' || tests.length < fields.length) continue;
    const id = await search.source.claimant(
      claimsName(unique),
      claimKey(tests.map((test) => partOf(search.model, test))),
    );
    return sorted('unique value', id === undefined ? [] : [id], request, search);
  }
  return undefined;
}

function partOf(model: EntityModel, { field, isExact, operands: [operand] }: Comparison): string {
  return operand ? claimPart(model, field, { ...operand, isExact }) : '';
}
