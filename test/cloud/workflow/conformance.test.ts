import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { overHttp } from '../../tools/conformance/http/play-over-http.ts';
import { outcomesOf } from '../../tools/conformance/outcomes.ts';

const OWN = fileURLToPath(new URL('../../fixtures/cmmn/own', import.meta.url));
/** Short ones, which together use every operation. */
const SCENARIOS = [
  'own-lifecycle-listeners-of-elements',
  'own-empty-sentry-is-satisfied-at-once',
  'own-external-work-done',
  'own-external-work-failed',
  'own-empty-business-status-changes-nothing',
  'own-overview-goes-with-its-stage',
  'own-lifecycle-listeners-of-a-repeating-listener',
  'own-reactivated-item-counts-from-one',
  'own-case-task-parameters',
  'own-user-listener-with-a-role',
  'own-votes-are-collected',
  'own-suspended-case-can-be-terminated',
  'own-repeating-timer-until-an-end',
  'own-signal-by-name',
  'own-suspended-stage-is-not-entered-across-its-border',
  'own-timer-counts-from-its-start-trigger',
  'own-case-file-item-on-part',
  'own-planning-table-of-a-human-task',
  'own-item-is-entered-in-the-stage-that-its-event-opens',
  'own-stage-is-entered-across-its-border',
];

describe('scenarios over HTTP', () => {
  it('go as they do in process, each in a tenant of its own', async () => {
    const player = overHttp({ baseUrl: cloud.baseUrl, sign: (claims) => cloud.token(claims) });
    const runs = await outcomesOf(OWN, player, SCENARIOS);

    // Each at a time starts an environment of the function.
    const outcomes = await mapLimited(runs, 2, (run) => run());

    expect(outcomes.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(outcomes).toHaveLength(SCENARIOS.length);
  });
});
