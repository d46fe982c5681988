import type { Report } from '../basics/problem.ts';
import { isEventListener } from '../model/plan-item-definition.ts';
import { asCriterion, asSentry, type CaseOutline, type PlacedCriterion } from './case-outline.ts';

/** Most on-parts of all criteria of a case; a sentry counts for each criterion that names it. */
const MAX_CONNECTIONS = 50_000;

/** Criteria and where they may stand (CMMN 1.1, 5.4). */
export function checkCriteria(outline: CaseOutline, report: Report): void {
  for (const placed of outline.criteria) {
    checkSentry(placed, report);
    checkPlace(placed, report);
  }
  checkConnections(outline, report);
  const used = new Set(outline.criteria.map(({ sentry }) => sentry));
  for (const sentry of outline.sentries) {
    if (!used.has(sentry)) report.add('SENTRY_UNUSED', 'No criterion names it.', asSentry(sentry));
  }
}

/** Every criterion listens to every source of its sentry. */
function checkConnections({ criteria, definition }: CaseOutline, report: Report): void {
  const connections = criteria.reduce((sum, { sentry }) => sum + (sentry?.onParts.length ?? 0), 0);
  if (connections <= MAX_CONNECTIONS) return;
  const message = `The criteria of the case wait for ${connections} events; at most ${MAX_CONNECTIONS} are possible.`;
  report.add('CASE_TOO_LARGE', message, {
    id: definition.key,
    type: 'case',
    name: definition.name,
  });
}

function checkSentry(placed: PlacedCriterion, report: Report): void {
  const { criterion, sentry } = placed;
  if (criterion.sentryRef === '' || sentry) return;
  const message = `There is no sentry "${criterion.sentryRef}".`;
  report.add('CRITERION_SENTRY_REF_UNRESOLVED', message, asCriterion(placed));
}

function checkPlace(placed: PlacedCriterion, report: Report): void {
  const { kind, criterion, owner } = placed;
  const definition = owner?.definition;
  const element = asCriterion(placed);
  if (!definition) return;
  if (kind === 'entry' && isEventListener(definition)) {
    const message = 'A listener has no entry criteria: it has no effect.';
    report.add('ENTRY_CRITERION_ON_LISTENER', message, element);
  }
  if (kind !== 'exit') return;
  if (isEventListener(definition) || definition.type === 'milestone') {
    const message =
      'CMMN gives listeners and milestones no exit criteria: it ends them while they wait.';
    report.add('EXIT_CRITERION_ON_LISTENER_OR_MILESTONE', message, element);
  }
  if ('isBlocking' in definition && !definition.isBlocking) {
    const message = 'A task that does not block has completed before it could exit.';
    report.add('CRITERION_ON_NON_BLOCKING_TASK', message, element);
  }
  if (definition.type === 'stage' && criterion.exitType && criterion.exitType !== 'default') {
    report.add('EXIT_TYPE_ON_STAGE', 'The exit type has no effect on a stage.', element);
  }
}
