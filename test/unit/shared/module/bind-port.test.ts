import { describe, expect, it } from 'vitest';
import type { PlatformConfig } from '../../../../shared/config/index.ts';
import type { ServiceContext } from '../../../../shared/lambda/module-context.ts';
import { bindPort, readPort, writePort } from '../../../../shared/module/bind-port.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

const spec = {
  name: 'orders.open',
  create: (context: ServiceContext<PlatformConfig>) => context,
};
const bound = (ports?: Readonly<Record<string, boolean>>): ServiceContext<PlatformConfig> => {
  const context = aContext({ module: 'shop' });
  return { ...context, environment: { ...context.environment, ...(ports && { ports }) } };
};

describe('a port', () => {
  it('that is read-only has nothing to write with', async () => {
    const given = bindPort(readPort(spec), bound()).use();
    const says = 'The port orders.open is read-only and does not write';

    await expect(given.unitOfWork(async (unit) => unit.put({ pk: 'a', sk: 'b' }))).rejects.toThrow(
      says,
    );
    await expect(given.batchWrite({ deletes: [{ pk: 'a', sk: 'b' }] })).rejects.toThrow(says);
    await expect(given.events.publish('orders', null, {})).rejects.toThrow(says);
    await expect(given.events.asyncPublish('orders', {})).rejects.toThrow(says);
  });

  it('that is read-only has no other way to write than those that refuse', () => {
    const given = bindPort(readPort(spec), bound()).use();

    expect(Object.keys(given).sort()).toEqual([
      'batchWrite',
      'clock',
      'config',
      'environment',
      'events',
      'host',
      'ids',
      'log',
      'readSecret',
      'refreshScope',
      'table',
      'tenantClock',
      'unitOfWork',
    ]);
  });

  it('that is transactional writes in the unit of work around it', async () => {
    const context = bound();
    const given = bindPort(writePort(spec), context).use();

    const units = await context.unitOfWork(async (around) => [
      around,
      await given.unitOfWork(async (unit) => unit),
    ]);

    expect(units[1]).toBe(units[0]);
  });

  it('of a module that is off says so', () => {
    const port = bindPort(readPort(spec), bound({ 'orders.open': false }));

    expect(port.isOn).toBe(false);
    expect(() => port.use()).toThrow(
      expect.objectContaining({
        code: 'MODULE_OFF',
        status: 422,
        extensions: { port: 'orders.open' },
      }),
    );
  });

  it('is refused to a function whose declaration does not name it', () => {
    expect(() => bindPort(readPort(spec), bound({ 'orders.closed': true }))).toThrow(
      'The function shop binds orders.open, which its declaration has not in uses',
    );
  });

  it('is built once, when it is used first', () => {
    let built = 0;
    const counting = readPort({
      ...spec,
      create: () => {
        built += 1;
        return {};
      },
    });

    const port = bindPort(counting, bound({ 'orders.open': true }));
    const before = built;

    expect(port.use()).toBe(port.use());
    expect([before, built]).toEqual([0, 1]);
  });

  it('tells routes its problems, that of a switched-off module included', () => {
    const { problems } = readPort({ ...spec, problems: [httpProblems.versionConflict] });

    expect(problems.map(({ type }) => type.code)).toEqual(['MODULE_OFF', 'VERSION_CONFLICT']);
  });
});
