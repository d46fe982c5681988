import { describe, expect, it } from 'vitest';
import { createSyncParts } from '../../../../functions/identity/sync/sync-parts.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

describe('what the synchronisation is made of', () => {
  const context = aContext({ module: 'identity', svc: { idp: { enabled: true } } });

  it('has no schedules and starts nothing where the function is told of none', async () => {
    const { schedules, executions } = createSyncParts(context);
    expect(schedules).toBeUndefined();
    await expect(executions.start('a', {})).rejects.toThrow('told no state machine');
    await expect(executions.isRunning('arn:a')).rejects.toThrow('told no state machine');
  });

  it('has them where the function of the module is told', () => {
    const place = { group: 'g', roleArn: 'r', deadLetterArn: 'd', targetArn: 't' };
    const environment = {
      ...context.environment,
      services: { stateMachines: {}, schedules: place },
    };
    expect(createSyncParts({ ...context, environment }).schedules).toBeDefined();
  });

  it('calls sources of the kind that there is', () => {
    const { providers } = createSyncParts(context);
    expect(providers.of('EXTSRC')).toBe(providers.of('EXTSRC'));
  });
});
