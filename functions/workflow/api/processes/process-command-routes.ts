import type * as z from 'zod';
import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import { problems } from '../../errors.ts';
import { PROCESS_PATH } from '../../paths.ts';
import { PROCESS_PROBLEMS } from '../../processes/process-problems.ts';
import type { DoneProcessCommand } from '../../processes/process-staging.ts';
import type { ProcessServiceCalls } from '../../processes/services.ts';
import * as answers from './process-answers.ts';
import * as examples from './process-examples.ts';
import * as schemas from './process-schemas.ts';
import { toProcess } from './process-views.ts';

const ONE = `${PROCESS_PATH}/{processInstanceId}`;

interface Action<Body extends z.ZodType> {
  readonly name: string;
  readonly path: string;
  readonly method?: 'POST' | 'PUT';
  readonly summary: string;
  readonly description?: string;
  readonly body: () => Body;
  readonly example: object;
  readonly act: (
    id: string,
    body: z.output<Body>,
    principal: Principal,
  ) => Promise<DoneProcessCommand>;
}

/** Routes that do something with a process instance; each answers with the instance as it is then. */
export function processCommandRoutes({ actions, commands, reader }: ProcessServiceCalls): Route[] {
  const action = <Body extends z.ZodType>(given: Action<Body>): Route =>
    route({
      operationId: given.name,
      method: given.method ?? 'POST',
      path: `${ONE}/${given.path}`,
      ...{ summary: given.summary, description: given.description, tag: 'Processes' },
      access: permission('workflow:process'),
      params: schemas.processParams,
      body: given.body,
      bodyExample: given.example as never,
      ...(given.method === 'PUT' ? {} : { idempotent: true }),
      responses: {
        200: {
          description: 'The process instance after the change',
          schema: answers.processView,
          example: examples.process,
        },
      },
      problems: [
        ...PROCESS_PROBLEMS,
        ...[problems.ambiguousActivity, problems.useTaskApi, httpProblems.concurrentUpdate],
      ],
      handle: async ({ params, body, principal }) => {
        const { processInstanceId: id } = params;
        const done = await given.act(id, body as z.output<Body>, principal);
        return ok(toProcess(await reader.details(done)));
      },
    });
  return [
    action({
      ...{ name: 'signalProcess', path: 'signal', body: schemas.signal, example: examples.signal },
      summary: 'Continues an activity that waits for a message or signal',
      description: 'Tasks of users are completed by the routes of tasks.',
      act: (id, body, principal) => actions.signal(id, body, principal),
    }),
    action({
      ...{ name: 'messageProcess', path: 'message', body: schemas.message },
      example: examples.message,
      summary: 'Delivers a message that a process instance waits for',
      act: (id, body, principal) => actions.message(id, body, principal),
    }),
    action({
      ...{ name: 'putProcessVariables', path: 'variables', method: 'PUT' },
      body: schemas.changedVariables,
      example: { amount: 300 },
      summary: 'Sets variables of a process instance; the others stay',
      act: (id, body, principal) => actions.setVariables(id, body, principal),
    }),
    action({
      ...{ name: 'suspendProcess', path: 'suspend', body: schemas.nothing, example: {} },
      summary: 'Suspends a process instance',
      description: 'Timers that become due meanwhile fire when it resumes.',
      act: (id, _, principal) => commands.suspend(id, principal),
    }),
    action({
      ...{ name: 'resumeProcess', path: 'resume', body: schemas.nothing, example: {} },
      summary: 'Resumes a suspended process instance',
      act: (id, _, principal) => commands.resume(id, principal),
    }),
    action({
      ...{ name: 'terminateProcess', path: 'terminate', body: schemas.termination },
      example: { reason: 'The order was withdrawn.' },
      summary: 'Ends a process instance with everything that is open in it',
      act: (id, { reason }, principal) => commands.terminate(id, reason, principal),
    }),
  ];
}
