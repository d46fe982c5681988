import type { BlockingPlanItem } from '../../basics/cmmn-error.ts';
import type { LivePlanItem } from './live-case.ts';

/** The plan item in the way, as an error names it. */
export const blockingPlanItem = (item: LivePlanItem): BlockingPlanItem => ({
  id: item.id,
  name: item.name,
  definitionKey: item.planItem.definition.id,
  state: item.state ?? 'available',
});
