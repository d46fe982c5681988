import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { Engine } from '../../../../functions/templates/pdf/libreoffice/engine.ts';
import type { EngineJob } from '../../../../functions/templates/pdf/libreoffice/thread-messages.ts';
import {
  EngineBroken,
  EngineStarting,
  JobRefused,
} from '../../../../functions/templates/pdf/watching/started-engine.ts';
import {
  WatchedEngine,
  type WatchOptions,
} from '../../../../functions/templates/pdf/watching/watched-engine.ts';
import { TimeUpError } from '../../../../shared/primitives/time-limit.ts';

const file = new URL('../../../helpers/templates/unreliable-thread.ts', import.meta.url);
const job = (text: string, format = 'docx'): EngineJob => ({
  bytes: Buffer.from(text),
  format,
  at: 0,
  options: {},
});
const OUTPUT = { pdf: Buffer.from('pdf'), pages: 1 };
const broken = async (given: EngineJob) => {
  if (Buffer.from(given.bytes).toString() === 'trial') return OUTPUT;
  throw new EngineBroken('gone');
};
const running: WatchedEngine<EngineJob>[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

/** Engines whose threads behave one after the other as the plan says, the last one for ever. */
function enginesThat(plan: readonly string[], options: Partial<WatchOptions<EngineJob>> = {}) {
  const warnings: string[] = [];
  let starts = 0;
  const watched = new WatchedEngine({
    start: () => {
      const folder = plan[Math.min(starts, plan.length - 1)] ?? '';
      starts += 1;
      return new Engine({ file, data: { svcEngine: 'libreoffice', folder } });
    },
    trial: job('trial'),
    startMs: 2_500,
    stallMs: 300,
    minAttemptMs: 100,
    maxJobs: 100,
    maxMemoryBytes: Number.MAX_SAFE_INTEGER,
    log: { warn: (message) => void warnings.push(message) },
    ...options,
  });
  running.push(watched);
  const convert = async (each: EngineJob, limitMs = 60_000) => {
    const { pdf, pages } = await watched.convert(each, Date.now() + limitMs);
    return { text: Buffer.from(pdf).toString(), pages };
  };
  return { watched, convert, warnings, starts: () => starts };
}

describe('a watched engine', () => {
  it('is started with the first document and kept', async () => {
    const { convert, starts } = enginesThat(['works']);

    expect(await convert(job('a'))).toEqual({ text: 'works 1: a', pages: 1 });
    expect(await convert(job('b'))).toEqual({ text: 'works 2: b', pages: 2 });
    expect(starts()).toBe(1);
  });

  it('takes one document after the other', async () => {
    const { convert, starts } = enginesThat(['works']);

    const all = await Promise.all(['a', 'b', 'c'].map((text) => convert(job(text))));

    expect(all.map(({ text }) => text)).toEqual(['works 1: a', 'works 2: b', 'works 3: c']);
    expect(starts()).toBe(1);
  });

  it.each(['loops', 'exits', 'throws', 'breaks'])(
    'is started again when its thread %s at the start',
    async (what) => {
      const { convert, starts, warnings } = enginesThat([`start ${what}`, 'works']);

      expect(await convert(job('a'))).toEqual({ text: 'works 1: a', pages: 1 });
      expect(starts()).toBe(2);
      expect(warnings).toEqual(['An engine did not start']);
    },
  );

  it.each(['loops', 'waits', 'exits', 'throws', 'breaks'])(
    'is replaced within the time of the document when its thread %s over it',
    async (what) => {
      const { convert, starts, warnings } = enginesThat([`job ${what}`, 'works']);

      expect(await convert(job('a'))).toEqual({ text: 'works 1: a', pages: 1 });
      expect(starts()).toBe(2);
      expect(warnings).toEqual(['An engine is replaced']);
    },
  );

  it('gives a document up that ends two engines, and prints the next one', async () => {
    const { convert, starts } = enginesThat(['job exits', 'job exits', 'works']);

    await expect(convert(job('a'))).rejects.toThrow(EngineBroken);
    expect(await convert(job('b'))).toEqual({ text: 'works 1: b', pages: 1 });
    expect(starts()).toBe(3);
  });

  it('ends at the time of the document, and prints the next one', async () => {
    const { convert } = enginesThat(['job waits', 'job waits', 'works'], { minAttemptMs: 10_000 });

    await expect(convert(job('a'), 600)).rejects.toThrow(TimeUpError);
    await expect(convert(job('b'), 600)).rejects.toThrow(TimeUpError);
    expect(await convert(job('c'))).toEqual({ text: 'works 1: c', pages: 1 });
  });

  it('goes on starting for the next document when the time of one is up', async () => {
    const { convert, starts, warnings } = enginesThat(['start slowly'], { startMs: 10_000 });

    await expect(convert(job('a'), 50)).rejects.toThrow(EngineStarting);

    expect(await convert(job('b'))).toEqual({ text: 'start slowly 1: b', pages: 1 });
    expect(starts()).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('is kept for the next document when its start leaves no time for one', async () => {
    const options = { startMs: 10_000, minAttemptMs: 5_000 };
    const { convert, starts } = enginesThat(['start slowly'], options);

    await expect(convert(job('a'), 4_000)).rejects.toThrow(EngineStarting);

    expect(await convert(job('b'), 4_000)).toEqual({ text: 'start slowly 1: b', pages: 1 });
    expect(starts()).toBe(1);
  });

  it('is kept when there is no time for a document at all', async () => {
    const { convert, starts, warnings } = enginesThat(['works']);
    await convert(job('a'));

    await expect(convert(job('b'), -1)).rejects.toThrow(TimeUpError);

    expect(await convert(job('c'))).toEqual({ text: 'works 2: c', pages: 2 });
    expect([starts(), warnings]).toEqual([1, []]);
  });

  it('is no excuse for a document that has ended the one before', async () => {
    const { convert } = enginesThat(['job exits', 'start waits'], { startMs: 20_000 });

    await expect(convert(job('a'), 1_500)).rejects.toThrow(EngineBroken);
  });

  it('is ended when several documents have waited for its start as long as one may', async () => {
    const { convert, starts, warnings } = enginesThat(['start waits', 'works'], { startMs: 2_000 });

    await expect(convert(job('a'), 950)).rejects.toThrow(EngineStarting);
    await expect(convert(job('b'), 950)).rejects.toThrow(EngineStarting);

    expect(await convert(job('c'))).toEqual({ text: 'works 1: c', pages: 1 });
    expect(starts()).toBe(2);
    expect(warnings).toEqual(['An engine did not start']);
  });

  it('says that no engine starts instead of starting them for ever', async () => {
    const { convert, starts } = enginesThat(['start exits']);

    await expect(convert(job('a'))).rejects.toThrow('No engine starts');
    expect(starts()).toBe(3);
  });

  it('keeps an engine that refuses a document', async () => {
    const { convert, starts } = enginesThat(['works']);

    await expect(convert(job('a', 'html'))).rejects.toThrow(JobRefused);
    await convert(job('b'));
    expect(starts()).toBe(1);
  });

  it.each([
    ['documents', { maxJobs: 2 }],
    ['memory', { maxMemoryBytes: 1 }],
  ])('is replaced when it is worn out by its %s', async (_by, options) => {
    const { convert, starts } = enginesThat(['works'], options);

    for (const text of ['a', 'b', 'c']) await convert(job(text));

    expect(starts()).toBe('maxJobs' in options ? 2 : 3);
  });

  it.each([
    ['at its start', { ready: () => Promise.reject(new EngineBroken('gone')) }],
    ['over a document', { convert: broken }],
  ])('is replaced when it breaks %s and never ends', async (_when, behaviour) => {
    const engine = { ready: async () => {}, convert: async () => OUTPUT, stop: async () => {} };
    const endless = { ...engine, ...behaviour, stop: () => new Promise<never>(() => {}) };
    const engines = [endless, engine];
    const { watched, warnings } = enginesThat([], {
      start: () => engines.shift() ?? engine,
      stopMs: 50,
    });

    expect(await watched.convert(job('a'), Date.now() + 10_000)).toBe(OUTPUT);
    expect(warnings).toContain('An engine does not end');
  });

  it('is warm before the first document', async () => {
    const { watched, starts } = enginesThat(['start exits', 'works']);

    await watched.warm(Date.now() + 10_000);

    expect(starts()).toBe(2);
  });
});

describe('an engine without work', () => {
  it('lets its process end, and one that is ended over a document does not before it is gone', () => {
    const engine = new URL(
      '../../../../functions/templates/pdf/libreoffice/engine.ts',
      import.meta.url,
    );
    const script = `import('${engine}').then(async ({ Engine }) => {
      const start = (folder) => new Engine({ file: new URL('${file}'), data: { folder } });
      const first = start('job waits');
      await first.ready();
      first.convert({ bytes: Buffer.from('a'), format: 'docx' }).catch(() => undefined);
      await first.stop();
      console.log('stopped');
      await start('nothing').ready();
      console.log('ready');
    });`;

    const said = execFileSync(process.execPath, ['-e', script], {
      timeout: 120_000,
      encoding: 'utf8',
    });

    expect(said).toBe('stopped\nready\n');
  });
});
