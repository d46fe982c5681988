import { testSecurity } from '../../../helpers/api/test-tokens.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** A timer that opens a task each time it fires. */
export const aTimer = (id: string, expression: string): string => `
<planItem id="pi${id}" name="${id}" definitionRef="${id}"/>
<timerEventListener id="${id}"><timerExpression>${expression}</timerExpression></timerEventListener>
<planItem id="piDo${id}" name="Do${id}" definitionRef="Do${id}"><itemControl><repetitionRule/></itemControl><entryCriterion id="on${id}" sentryRef="when${id}"/></planItem>
<humanTask id="Do${id}" name="Do${id}"/>
<sentry id="when${id}"><planItemOnPart id="part${id}" sourceRef="pi${id}"><standardEvent>occur</standardEvent></planItemOnPart></sentry>`;

/** The module, with a deployed case of timers beside a task that keeps it open. */
export async function aTimerWorld(
  timers: string,
  svc: Readonly<Record<string, unknown>> = {
    mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } },
  },
) {
  const world = workflowWorld({ security: { ...testSecurity, 'test-clock': true }, ...svc });
  const { context } = world;
  const deployed = await world.post('/deployments', {
    workflowCode: 'loan',
    xml: aModel(`${aTask('Stay')}${timers}`),
  });
  if (deployed.status !== 201) throw new Error(deployed.text);
  const rows = (prefix = 'TIMERDUE#') =>
    context.db
      .items()
      .filter(({ pk }) => String(pk).startsWith(prefix) && !String(pk).includes('@'));
  return {
    ...world,
    rows,
    advance: (ms: number) => context.machineClock.advance(ms),
    start: async (variables: object = {}) => {
      const { body } = await world.post('/cases', { workflowCode: 'loan', variables });
      return String(body.caseInstanceId);
    },
    sweep: () => world.services().timers.sweep.run(),
    /** Names of the timers that have fired, in the order of their events. */
    fired: () =>
      context.bus.events
        .filter(({ type }) => type === 'workflow.timer.fired')
        .map(({ envelope }) => (envelope.data as { name: string }).name),
    /** Due times of the firings, in their order. */
    firedDue: () =>
      context.bus.events
        .filter(({ type }) => type === 'workflow.timer.fired')
        .map(({ envelope }) => (envelope.data as { dueAt: string }).dueAt.slice(11, 16)),
    tasks: async (id: string) => {
      const { body } = await world.get(`/cases/${id}`);
      return (body.tasks as { name: string }[]).map(({ name }) => name);
    },
  };
}
