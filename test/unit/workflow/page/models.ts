import type { CaseModel, ModelItem } from '../../../../functions/workflow/page/model.ts';

/** A plan item; those that it waits for are named by `after`. */
export const anItem = (
  id: string,
  { after = [], ...more }: Partial<ModelItem> & { readonly after?: readonly string[] } = {},
): ModelItem => ({
  ...{ id, definitionKey: `${id}Key`, name: id, type: 'humanTask', isDiscretionary: false },
  entryCriteria: after.map((source) => ({ id: `${id}<${source}`, sentryId: source })),
  exitCriteria: [],
  ...more,
});

/** A model of plan items; each sentry waits for the item that it is called after. */
export const aCaseModel = (
  planItems: readonly ModelItem[],
  more: Partial<CaseModel> = {},
): CaseModel => ({
  ...{ caseDefinitionKey: 'case', name: 'Case', planModelId: 'plan', exitCriteria: [] },
  planItems,
  sentries: planItems.map(({ id }) => ({
    id,
    onParts: [{ sourcePlanItemId: id, standardEvent: 'complete' }],
  })),
  diagrams: [],
  ...more,
});
