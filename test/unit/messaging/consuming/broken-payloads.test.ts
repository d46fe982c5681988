import { describe, expect, it } from 'vitest';
import { createEntitiesModule } from '../../../../functions/entities/module.ts';
import { createIdentityModule } from '../../../../functions/identity/module.ts';
import { createSettingsModule } from '../../../../functions/settings/module.ts';
import { createTemplatesModule } from '../../../../functions/templates/module.ts';
import {
  DISPATCH_TASK,
  type DispatchResult,
} from '../../../../shared/messaging/consuming/dispatcher.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const MODULES = {
  entities: createEntitiesModule,
  identity: createIdentityModule,
  settings: createSettingsModule,
  templates: createTemplatesModule,
};

describe('listeners of modules', () => {
  it.each(Object.entries(MODULES))(
    'of %s answer for dispatched messages without a payload',
    async (module, create) => {
      const context = aContext({ module });
      const { runTask } = connect(create, context);
      const topics = new Set(context.messaging.listeners.map(({ topic }) => topic));
      expect(topics.size).toBeGreaterThan(0);

      for (const topic of topics) {
        for (const payload of [null, 'text', {}, []]) {
          const message = { topic, payload, key: null, headers: {}, source: 'svc.shop' };
          const results = (await runTask(DISPATCH_TASK, {
            ...{ ...message, messageId: crypto.randomUUID(), traceId: 't' },
          })) as readonly DispatchResult[];
          expect(results.filter(({ status }) => status === 'FAILED')).toEqual([]);
        }
      }
    },
  );
});
