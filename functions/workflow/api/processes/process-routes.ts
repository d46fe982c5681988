import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { created, noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { recordsPort } from '../../../entities/port.ts';
import { problems } from '../../errors.ts';
import { PROCESS_PATH } from '../../paths.ts';
import { PROCESS_PROBLEMS } from '../../processes/process-problems.ts';
import type { ProcessServiceCalls } from '../../processes/services.ts';
import * as caseAnswers from '../cases/case-answers.ts';
import * as caseExamples from '../cases/case-examples.ts';
import { toHistory } from '../cases/case-views.ts';
import { previewRoutes } from './preview-routes.ts';
import * as answers from './process-answers.ts';
import { processCommandRoutes } from './process-command-routes.ts';
import { processDefinitionRoutes } from './process-definition-routes.ts';
import * as examples from './process-examples.ts';
import * as schemas from './process-schemas.ts';
import { toProcess, toProcessHead, toProcessTask } from './process-views.ts';

const tag = 'Processes';
const access = permission('workflow:process');
const ONE = `${PROCESS_PATH}/{processInstanceId}`;

/** Routes of processes (BPMN 2.0). */
export function processRoutes(
  services: ProcessServiceCalls,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    ...processDefinitionRoutes(services, config),
    startRoute(services),
    ...listRoutes(services, config),
    ...partRoutes(services, config),
    ...processCommandRoutes(services),
    ...previewRoutes(services),
  ];
}

function startRoute({ starter, reader }: ProcessServiceCalls): Route {
  return route({
    operationId: 'startProcess',
    method: 'POST',
    path: `${PROCESS_PATH}/start`,
    summary: 'Starts a process',
    description:
      'By its code or the id of the process in its document. The answer is the process at its first waits, or already ended.',
    ...{ tag, access },
    body: schemas.newProcess,
    bodyExample: examples.newProcess,
    idempotent: true,
    responses: {
      201: {
        description: 'The process instance',
        schema: answers.processView,
        headers: { location: 'The new instance.' },
        example: examples.process,
        links: { getProcess: { processInstanceId: '$response.body#/processInstanceId' } },
      },
    },
    problems: [
      ...PROCESS_PROBLEMS,
      problems.processDefinitionNotFound,
      httpProblems.concurrentUpdate,
      httpProblems.forbidden,
      ...recordsPort.problems,
    ],
    handle: async ({ body, principal }) => {
      const done = await starter.start(body, principal);
      const { processInstanceId } = done.head;
      return created(`${PROCESS_PATH}/${processInstanceId}`, toProcess(await reader.details(done)));
    },
  });
}

function listRoutes(
  { reader, deletion }: ProcessServiceCalls,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    route({
      operationId: 'listProcesses',
      method: 'GET',
      path: PROCESS_PATH,
      summary: 'Lists the process instances of a state, newest first',
      ...{ tag, access },
      query: () => schemas.processesQuery(config),
      responses: {
        200: {
          description: 'A page of process instances',
          schema: answers.processPage,
          example: examples.processPage,
        },
      },
      problems: [httpProblems.forbidden],
      handle: async ({ query: { page, size, cursor, ...filter }, principal }) => {
        const found = await reader.list(filter, principal, { page, size, cursor });
        return ok(toPage({ ...found, content: found.content.map(toProcessHead) }));
      },
    }),
    route({
      operationId: 'getProcess',
      method: 'GET',
      path: ONE,
      summary: 'Reads a process instance with what waits in it',
      ...{ tag, access },
      params: schemas.processParams,
      responses: {
        200: {
          description: 'The process instance',
          schema: answers.processView,
          example: examples.process,
        },
      },
      problems: [problems.processNotFound, httpProblems.concurrentUpdate],
      handle: async ({ params, principal }) =>
        ok(toProcess(await reader.get(params.processInstanceId, principal))),
    }),
    route({
      operationId: 'deleteProcess',
      method: 'DELETE',
      path: ONE,
      summary: 'Deletes a process instance that has ended, with its history and tasks',
      ...{ tag, access },
      params: schemas.processParams,
      responses: { 204: { description: 'It is gone' } },
      problems: [
        ...[problems.processNotFound, problems.processNotEnded, problems.processResultAwaited],
        httpProblems.concurrentUpdate,
      ],
      handle: async ({ params, principal }) => {
        await deletion.delete(params.processInstanceId, principal);
        return noContent();
      },
    }),
  ];
}

function partRoutes({ reader }: ProcessServiceCalls, config: Pick<PlatformConfig, 'web'>): Route[] {
  return [
    route({
      operationId: 'listProcessTasks',
      method: 'GET',
      path: `${ONE}/tasks`,
      summary: 'Lists the open tasks of a process instance',
      ...{ tag, access },
      params: schemas.processParams,
      responses: {
        200: { description: 'Its tasks', schema: answers.processTasks, example: examples.tasks },
      },
      problems: [problems.processNotFound, httpProblems.concurrentUpdate],
      handle: async ({ params, principal }) => {
        const tasks = await reader.tasks(params.processInstanceId, principal);
        return ok({ tasks: tasks.map((task) => toProcessTask(task, principal)) });
      },
    }),
    route({
      operationId: 'getProcessHistory',
      method: 'GET',
      path: `${ONE}/history`,
      summary: 'Lists what commands have changed, newest first',
      ...{ tag, access },
      params: schemas.processParams,
      query: () => schemas.pageOnly(config),
      responses: {
        200: {
          description: 'A page of commands with their changes',
          schema: caseAnswers.historyPage,
          example: caseExamples.historyPage,
        },
      },
      problems: [problems.processNotFound, httpProblems.concurrentUpdate],
      handle: async ({ params, query, principal }) => {
        const found = await reader.history(params.processInstanceId, principal, query);
        return ok(toPage({ ...found, content: found.content.map(toHistory) }));
      },
    }),
  ];
}
