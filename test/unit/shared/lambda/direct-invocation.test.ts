import { describe, expect, it } from 'vitest';
import { connectModule } from '../../../../shared/lambda/handlers/create-handler.ts';
import type { Module } from '../../../../shared/lambda/module-context.ts';
import { lambdaContext } from '../../../helpers/api/api-event.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

type Event = Parameters<ReturnType<typeof connectModule>>[0];

const invoke = (payload: unknown, module: Partial<Module> = {}) => {
  const context = aContext();
  const handler = connectModule(() => ({ routes: [], ...module }), context);
  return { context, answer: async () => handler(payload as Event, lambdaContext) };
};

describe('a direct invocation', () => {
  it.each([null, undefined, 'text', 7, true, [], {}])(
    'with the payload %j runs the default task',
    async (payload) => {
      const { answer } = invoke(payload, {
        defaultTask: 'count',
        tasks: { count: async () => 'counted' },
      });

      expect(await answer()).toBe('counted');
    },
  );

  it.each([null, 'text', {}])(
    'with the payload %j fails with a log line where there is no default task',
    async (payload) => {
      const { answer, context } = invoke(payload);

      await expect(answer()).rejects.toThrow('The function has no task undefined');
      expect(context.log.named('The function has no such task')).toHaveLength(1);
    },
  );
});
