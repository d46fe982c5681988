import { createHash } from 'node:crypto';
import { createWorkflowModule } from '../../../../functions/workflow/module.ts';
import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { FailingRequests } from '../../../helpers/workflow/failing-requests.ts';
import { storedFacts } from '../../../helpers/workflow/stored-facts.ts';
import { type ApiAnswer, aContext, connect } from '../../../helpers/world/a-context.ts';

const CMMN = '/api/v1/workflow/cmmn';
const TASKS = '/api/v1/tasks';
/** More than one transaction takes with their rows. */
const TASKS_EACH = 16;
const HOUR_MS = 3_600_000;
/** When the timer of the case is due: later than all that is before it takes. */
const DUE_MS = 20 * HOUR_MS;

const ALL = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MAIN = aModel(`${aTask('Each', ALL, 'flowable:candidateGroups="a,b"')}${aTask('Stay')}
<planItem id="piTimer" definitionRef="Timer"/><timerEventListener id="Timer"><timerExpression>PT20H</timerExpression></timerEventListener>
<planItem id="piAfter" definitionRef="After"><entryCriterion id="afterEntry" sentryRef="timed"/></planItem><humanTask id="After" name="After"/>${aSentry('timed', 'piTimer', 'occur')}
<planItem id="piNews" definitionRef="News"/><eventListener id="News" flowable:eventType="signal" flowable:signalRef="news"/>
<planItem id="piTold" definitionRef="Told"><entryCriterion id="toldEntry" sentryRef="told"/></planItem><milestone id="Told" name="Told"/>${aSentry('told', 'piNews', 'occur')}
<planItem id="piWork" definitionRef="Work"/><task id="Work" name="Work" flowable:type="external-worker" flowable:topic="post"><extensionElements><flowable:in source="document" target="document"/></extensionElements></task>
<planItem id="piSub" definitionRef="Sub"/><caseTask id="Sub" name="Sub" caseRef="child"/>
<planItem id="piFree" definitionRef="Free"/><caseTask id="Free" name="Free" isBlocking="false" caseRef="child"/>`);
const CHILD = aModel(
  `${aTask('Inner', '', 'flowable:candidateGroups="a"')}
<planItem id="piLater" definitionRef="Later"/><timerEventListener id="Later"><timerExpression>P30D</timerExpression></timerEventListener>`,
  { key: 'child' },
);

/** Text that hardly gets smaller when it is packed, the same each time. */
function aDocument(seed: string, bytes: number): string {
  const parts = Array.from({ length: Math.ceil(bytes / 32) }, (_, at) =>
    createHash('sha256').update(`${seed}${at}`).digest('base64'),
  );
  return parts.join('');
}

/** A family of cases whose requests can be made to fail. */
export async function aFamilyWorld() {
  const storage = memoryStorage();
  const first = aContext({ module: 'workflow' });
  const requests = new FailingRequests(first.db);
  const host = {
    permissionEvaluator: claimsPermissionEvaluator,
    workflowTaskAuthorizationService: claimsTaskAuthorization,
    storage: requests.storage(storage),
  };
  const svc = { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } };
  const another = () =>
    connect(createWorkflowModule, aContext({ module: 'workflow', host, svc, besides: first }));
  let connected = another();
  const caller = { sub: 'op', roles: ['admin'], groups: ['a'] };
  const send = (method: string, path: string, body?: unknown) =>
    connected.call({ method, path, body, caller });
  for (const [workflowCode, xml] of [
    ['main', MAIN],
    ['child', CHILD],
  ]) {
    await send('POST', `${CMMN}/deployments`, { workflowCode, xml, uniqueBusinessKey: true });
  }
  const sweep = () => connected.runTask('workflow.sweep', {});
  return {
    ...{ requests, send, sweep },
    items: () => first.db.items(),
    facts: () => storedFacts(first.db.items(), storage.files.keys()),
    later: (ms: number) => first.machineClock.advance(ms),
    /** Another process takes over, and what is left of commands is due. */
    async recover() {
      connected = another();
      for (let round = 0; round < 2; round += 1) {
        first.machineClock.advance(6 * 60_000);
        await sweep();
      }
    },
  };
}

type World = Awaited<ReturnType<typeof aFamilyWorld>>;
type Stored = Readonly<Record<string, unknown>>;

/** The same item each time it is asked for, also when it has changed since. */
const found = new WeakMap<World, Map<string, Stored>>();
function theItem(world: World, name: string, fits: (item: Stored) => boolean): Stored {
  const known = found.get(world) ?? new Map<string, Stored>();
  found.set(world, known);
  const item = known.get(name) ?? world.items().find(fits);
  if (!item) throw new Error(`There is no ${name}`);
  known.set(name, item);
  return item;
}

const theTask = (world: World, key: string): string =>
  `${TASKS}/${theItem(world, key, (item) => item.taskDefinitionKey === key).taskId}`;

const theCase = (world: World): string => {
  const { caseInstanceId } = theItem(world, 'case', (item) => item.taskDefinitionKey === 'Stay');
  return `${CMMN}/cases/${caseInstanceId}`;
};

const theWork = (world: World): string => {
  const { id } = theItem(world, 'work', (item) => item.type === 'external_work');
  return `${CMMN}/external-work/${id}`;
};

const setsDocument = (name: string) => (world: World) =>
  world.send('PUT', `${theCase(world)}/variables`, {
    variables: { [name]: aDocument(name, 160_000) },
  });

const changesCase = (action: string) => (world: World) =>
  world.send('POST', `${theCase(world)}:${action}`);

const leased = { topic: 'post', workerId: 'w', leaseMs: HOUR_MS, max: 1 };
const started = {
  ...{ workflowCode: 'main', businessKey: 'K' },
  variables: { all: [...Array(TASKS_EACH).keys()], document: aDocument('start', 3_000) },
};

/** What happens to the family, one after the other; large documents move its state to the bucket. */
export const STEPS: Readonly<Record<string, (world: World) => Promise<ApiAnswer | undefined>>> = {
  start: ({ send }) => send('POST', `${CMMN}/cases`, started),
  claim: (world) => world.send('POST', `${theTask(world, 'Each')}/claim`),
  complete: (world) => world.send('POST', `${theTask(world, 'Each')}/complete`, {}),
  document: setsDocument('first'),
  documents: setsDocument('second'),
  signal: ({ send }) => send('POST', `${CMMN}/signals/news`, {}),
  fetch: ({ send }) => send('POST', `${CMMN}/external-work:fetch`, leased),
  work: (world) => world.send('POST', `${theWork(world)}:complete`, { workerId: 'w' }),
  suspend: changesCase('suspend'),
  resume: changesCase('resume'),
  async timer(world) {
    world.later(DUE_MS);
    await world.sweep();
    return undefined;
  },
  inner: (world) => world.send('POST', `${theTask(world, 'Inner')}/complete`, {}),
  terminate: changesCase('terminate'),
  delete: (world) => world.send('DELETE', theCase(world)),
};
