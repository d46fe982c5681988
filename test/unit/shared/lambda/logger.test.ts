import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../../shared/lambda/logger.ts';
import { runInContext } from '../../../../shared/primitives/request-context.ts';

const written: string[] = [];
const streams = [process.stdout, process.stderr];
const originals = streams.map((stream) => stream.write.bind(stream));

beforeEach(() => {
  written.length = 0;
  for (const stream of streams) {
    stream.write = ((chunk: string | Uint8Array) =>
      written.push(String(chunk)) > 0) as typeof stream.write;
  }
});
afterEach(() => {
  for (const [index, stream] of streams.entries()) {
    const original = originals[index];
    if (original) stream.write = original as typeof stream.write;
  }
});

const lines = () =>
  written
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a log line', () => {
  it('is one JSON object with module, trace and facts', () => {
    const log = createLog('settings');

    runInContext({ traceId: 'call-1' }, () =>
      log.info('A setting was revealed', { setting: 'a', by: 'mai' }),
    );

    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'INFO',
        message: 'A setting was revealed',
        module: 'settings',
        traceId: 'call-1',
        setting: 'a',
        by: 'mai',
      }),
    ]);
  });

  it('tells name, message, stack and causes of an error, and nothing else that it carries', () => {
    const log = createLog('settings');
    const inner = Object.assign(new Error('inner'), { config: { token: 'secret-token' } });
    const cause = Object.assign(new Error('outer', { cause: inner }), {
      payload: { password: 'hunter2' },
    });

    log.error('It failed', { cause });

    const [line] = lines();
    expect(line).toMatchObject({
      level: 'ERROR',
      cause: { name: 'Error', message: 'outer', cause: { name: 'Error', message: 'inner' } },
    });
    expect(written.join('')).not.toMatch(/secret-token|hunter2/);
  });

  it.each([
    new Error('login as bot with password: hunter2\nand retry, password=hunter2'),
    new Error('The listener failed', { cause: new Error('GET https://bot:hunter2@shop.test/') }),
    'authorization: Bearer hunter2',
  ])('tells no secret that the message of an error names', (cause) => {
    createLog('settings').error('It failed', { cause });

    expect(lines()).toHaveLength(1);
    expect(written.join('')).toMatch(/login as bot|shop\.test|authorization/);
    expect(written.join('')).not.toContain('hunter2');
  });

  it('cuts a cause that is no error, and an endless chain', () => {
    const log = createLog('settings');
    const loop = new Error('again');
    loop.cause = loop;

    log.error('It failed', { cause: 'x'.repeat(5_000) });
    log.error('It failed', { cause: loop });

    expect(String(lines()[0]?.cause)).toHaveLength(500);
    expect(lines()).toHaveLength(2);
  });

  it('keeps traces of calls at the same time apart', async () => {
    const log = createLog('settings');

    await Promise.all(
      ['a', 'b'].map((traceId) =>
        runInContext({ traceId }, async () => {
          await Promise.resolve();
          log.info('step', { expected: traceId });
        }),
      ),
    );

    expect(lines().map(({ traceId, expected }) => traceId === expected)).toEqual([true, true]);
  });
});
