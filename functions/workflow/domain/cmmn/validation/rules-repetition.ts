import type { ProblemElement, Report } from '../basics/problem.ts';
import type { RepetitionRule } from '../model/item-control.ts';
import { asItem, type CaseOutline, type PlacedItem } from './case-outline.ts';

/** Repetition rules (CMMN 1.1, 5.4). */
export function checkRepetition(outline: CaseOutline, report: Report): void {
  for (const placed of outline.planItems) {
    const rule =
      placed.item.itemControl?.repetitionRule ?? placed.definition?.defaultControl?.repetitionRule;
    if (!rule) continue;
    checkCollection(rule, asItem(placed), report);
    checkEnd(outline, placed, rule, report);
    if (placed.definition?.type === 'timerEventListener') {
      const message = 'A timer repeats by its timer expression: the rule has no effect.';
      report.add('REPETITION_ON_TIMER_IGNORED', message, asItem(placed));
    }
  }
}

function checkCollection(rule: RepetitionRule, element: ProblemElement, report: Report): void {
  if (rule.collection && rule.maxInstanceCount !== undefined) {
    const message = 'Over a collection the maximum number of instances has no effect.';
    report.add('REPETITION_COLLECTION_IGNORES_MAX', message, element);
  }
  if (!rule.collection && (rule.elementVariable || rule.elementIndexVariable)) {
    const message = 'There is an element variable, but no collection.';
    report.add('REPETITION_ELEMENT_WITHOUT_COLLECTION', message, element);
  }
}

/** Repetitions that no event and no person interrupts. */
function checkEnd(
  { sentriesById }: CaseOutline,
  placed: PlacedItem,
  rule: RepetitionRule,
  report: Report,
): void {
  const { item, definition } = placed;
  if (rule.collection || rule.maxInstanceCount !== undefined) return;
  const hasOwnPace = item.entryCriteria.some(({ sentryRef }) => {
    return sentriesById.get(sentryRef)?.onParts.length === 0;
  });
  if (hasOwnPace) {
    const message =
      'The entry criterion has no on-part: while its condition is true, this never ends.';
    report.add('REPETITION_ENTRY_WITHOUT_ON_PART', message, asItem(placed));
  }
  const isInstant =
    definition?.type === 'expressionTask' ||
    definition?.type === 'decisionTask' ||
    (definition !== undefined && 'isBlocking' in definition && !definition.isBlocking);
  const isManual =
    (item.itemControl?.manualActivationRule ?? definition?.defaultControl?.manualActivationRule) !==
    undefined;
  if (isInstant && !isManual && item.entryCriteria.length === 0 && !rule.condition) {
    const message = 'The item completes at once and repeats without condition: this never ends.';
    report.add('REPETITION_ENDLESS', message, asItem(placed));
  }
}
