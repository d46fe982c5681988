import * as z from 'zod';
import { ok } from '../../../../shared/http/reply.ts';
import {
  authenticated,
  capability,
  decidedByData,
  permission,
  publicAccess,
  type Route,
  route,
} from '../../../../shared/http/route.ts';
import type { Module, ModuleContext } from '../../../../shared/lambda/module-context.ts';

const responses = { 200: { description: 'OK' } };
const who = { responses, summary: 'Says who is calling' };

/** Routes of every kind of access, to read and to change; each says who is calling. */
function accessRoutes(): Route[] {
  const kinds = {
    publicAccess,
    authenticated,
    capability,
    decidedByData,
    permission: permission('thing'),
  };
  return Object.entries(kinds).flatMap(([name, access]) =>
    (['GET', 'PUT'] as const).map((method) =>
      route({
        ...who,
        operationId: method === 'GET' ? name : `${name}Change`,
        method,
        path: `/access/${name}`,
        access,
        handle: async ({ principal }) => ok({ id: principal.id, roles: principal.roles }),
      }),
    ),
  );
}

/** A module for tests of the pipeline. */
export function aPipelineModule(context: ModuleContext): Module {
  const thing = z.strictObject({ name: z.string(), count: z.int().optional() });
  return {
    routes: [
      ...accessRoutes(),
      route({
        ...who,
        operationId: 'saveThing',
        method: 'POST',
        path: '/things/{id}',
        access: publicAccess,
        params: z.strictObject({ id: z.string().max(20) }),
        query: z.strictObject({ dry: z.enum(['true', 'false']).optional() }),
        body: thing,
        handle: async ({ params, query, body }) => ok({ ...params, ...query, ...body }),
      }),
      route({
        ...who,
        operationId: 'getRun',
        method: 'GET',
        path: '/runs/{id}',
        access: publicAccess,
        params: z.strictObject({ id: z.uuid() }),
        handle: async ({ params }) => ok(params),
      }),
      route({
        ...who,
        operationId: 'cancelRun',
        method: 'POST',
        path: '/runs/{id}:cancel',
        access: publicAccess,
        params: z.strictObject({ id: z.uuid() }),
        handle: async ({ params }) => ok({ cancelled: params.id }),
      }),
      route({
        ...who,
        operationId: 'getThing',
        method: 'GET',
        path: '/things/{id}',
        access: publicAccess,
        handle: async ({ params }) => ok({ got: (params as unknown as { id: string }).id }),
      }),
      route({
        ...who,
        operationId: 'suspendThing',
        method: 'POST',
        path: '/things/{id}:suspend',
        access: permission('thing'),
        params: z.strictObject({ id: z.string() }),
        query: z.strictObject({ note: z.string().optional(), until: z.string().optional() }),
        concerns: ({ query: { until } }) => ({ until }),
        handle: async ({ params }) => ok({ suspended: params.id }),
      }),
      route({
        ...who,
        operationId: 'callback',
        method: 'POST',
        path: '/callback',
        access: capability,
        lenient: true,
        query: z.object({ key: z.string().optional() }),
        body: z.object({ status: z.int() }),
        handle: async ({ query, body }) => ok({ ...query, ...body }),
      }),
      route({
        ...who,
        operationId: 'upload',
        method: 'PUT',
        path: '/upload',
        access: publicAccess,
        consumes: ['application/pdf'],
        maxBodyBytes: 2_000_000,
        body: z.instanceof(Buffer),
        handle: async ({ body }) => ok({ size: (body as Buffer).length }),
      }),
      route({
        ...who,
        operationId: 'download',
        method: 'GET',
        path: '/download',
        access: publicAccess,
        handle: async () =>
          ok(Buffer.from([0, 255]), { 'content-type': 'application/octet-stream' }),
      }),
      route({
        ...who,
        operationId: 'crash',
        method: 'GET',
        path: '/crash',
        access: publicAccess,
        handle: async () => {
          throw new Error('password=hunter2 of 10.0.0.7', { cause: new Error('deep cause') });
        },
      }),
      route({
        ...who,
        operationId: 'readTable',
        method: 'GET',
        path: '/table',
        access: publicAccess,
        handle: async () => ok({ item: (await context.table.get({ pk: 'a', sk: 'b' })) ?? null }),
      }),
    ],
    tasks: { count: async (input) => ({ counted: input }) },
  };
}
