import { describe, expect, it } from 'vitest';
import type { EntityJob } from '../../../../functions/entities/jobs/job-service.ts';
import { ExportJob } from '../../../../functions/entities/transfers/exports/export-job.ts';
import type {
  ReadFrom,
  StepText,
} from '../../../../functions/entities/transfers/exports/export-reader.ts';
import { createFiles } from '../../../../shared/files/create-files.ts';
import type { Files } from '../../../../shared/files/files.ts';
import { JobFailure } from '../../../../shared/jobs/job.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

const STAGED = 'entities/exports/call.text';
const RECORDS = 12;
const expected = Array.from({ length: RECORDS }, (_, at) => `${at}\n`).join('');
const PART = 6 * 1_024 * 1_024;

/** Reads two records a step; every other text counts as large enough for a part. */
const aReader = () => ({
  async read({ text, count, after }: ReadFrom): Promise<StepText> {
    const from = Number(after ?? -1) + 1;
    const to = Math.min(from + 2, RECORDS);
    const lines = Array.from({ length: to - from }, (_, at) => `${from + at}\n`);
    const chunks = [Buffer.from(text ?? ''), Buffer.from(lines.join(''))];
    const isEnd = to === RECORDS;
    return {
      chunks,
      bytes: from % 4 === 2 ? PART : 4,
      count: count + to - from,
      after: String(to - 1),
      isEnd,
      leftOut: [],
      grantedBy: [],
    };
  },
});

class Killed extends Error {}

/** Files whose n-th call ends the process, before or after what it does. */
function killing(files: Files, at: number) {
  let call = 0;
  let isDead = false;
  const isKilled = (): boolean => {
    call += 1;
    isDead ||= call === at;
    return isDead && call === at;
  };
  const names = ['read', 'write', 'delete', 'beginParts', 'writePart', 'finishParts', 'dropParts'];
  const proxy = new Proxy(files, {
    get(target, name: keyof Files) {
      const value = target[name];
      if (typeof value !== 'function' || !names.includes(name)) return value;
      return async (...given: readonly unknown[]) => {
        if (isKilled()) throw new Killed();
        const answer = await Reflect.apply(value, target, given);
        if (isKilled()) throw new Killed();
        return answer;
      };
    },
  });
  return { files: proxy, wasKilled: () => isDead };
}

async function aWorld(leftOut: readonly string[] = []) {
  const storage = memoryStorage();
  const { files } = createFiles(aContext({ host: { storage } }), {
    path: '/files',
    keyPrefix: 'THING',
    baseUrl: () => '',
  });
  await files.write(STAGED, Buffer.from('0\n1\n'), '');
  const job = {
    id: 'job',
    subject: 'c',
    processed: 0,
    progress: {},
    result: {},
    input: { format: 'ndjson', leftOut, begun: { staged: STAGED, count: 2, after: '1' } },
  } as unknown as EntityJob;
  return { storage, files, job };
}

const jobOf = (files: Files) => new ExportJob({ files, exportReader: aReader() as never });

/** Runs a job as the runner does: a step that was killed begins again from what was saved. */
async function run(job: EntityJob, files: Files, steps: (job: EntityJob) => void = () => {}) {
  let state = job;
  for (let turn = 0; turn < 40; turn += 1) {
    steps(state);
    try {
      const outcome = await jobOf(files).step(state);
      state = {
        ...state,
        processed: state.processed + (outcome.processed ?? 0),
        progress: JSON.parse(JSON.stringify(outcome.progress ?? state.progress)),
        result: { ...state.result, ...outcome.result },
      };
      if (outcome.isDone) return state;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
  throw new Error('The job does not end');
}

describe('the job of an export', () => {
  it('writes every record once wherever it is killed, and leaves the file only', async () => {
    let kills = 0;
    for (let at = 1; ; at += 1) {
      const { storage, files, job } = await aWorld();
      const mortal = killing(files, at);

      const done = await run(job, mortal.files);

      const [[path, file] = ['', Buffer.of()], ...others] = storage.files;
      expect(Buffer.from(file).toString(), `killed at ${at}`).toBe(expected);
      expect(others, `killed at ${at}`).toEqual([]);
      expect(done).toMatchObject({
        processed: RECORDS,
        result: { object: path, bytes: expected.length },
      });
      if (!mortal.wasKilled()) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(20);
  });

  it('leaves nothing behind wherever it is cancelled', async () => {
    for (let steps = 0; steps < 8; steps += 1) {
      const { storage, files, job } = await aWorld();
      let state = job;
      for (let step = 0; step < steps; step += 1) {
        const { progress = {} } = await jobOf(files).step(state);
        state = { ...state, progress };
      }
      await jobOf(files).step(state);

      await jobOf(files).clear(state);
      await jobOf(files).clear(state);

      expect([...storage.files.keys()], `after ${steps} steps`).toEqual([]);
    }
  });

  it('begins again when another run has replaced a part', async () => {
    const { storage, files, job } = await aWorld();
    let isReplaced = false;

    const done = await run(job, files, ({ progress }) => {
      const { file } = progress as { file?: { etags: readonly string[]; path: string } };
      if (isReplaced || file?.etags.length !== 2) return;
      isReplaced = true;
      storage.files.set(`${file.path}.part-2`, Buffer.from('another moment'));
    });

    const [file] = storage.files.values();
    expect(Buffer.from(file ?? []).toString()).toBe(expected);
    expect(done).toMatchObject({ processed: RECORDS, result: { restarts: 1 } });
  });

  it('begins again when another run of a step has staged other records', async () => {
    const { storage, files, job } = await aWorld();
    let isReplaced = false;

    const done = await run(job, files, ({ progress: { staged, after } }) => {
      if (isReplaced || typeof staged !== 'string' || staged === STAGED) return;
      isReplaced = true;
      storage.files.set(staged, Buffer.from(`0\n1\n${Number(after) + 1}\n`));
    });

    expect(isReplaced).toBe(true);
    const [file] = storage.files.values();
    expect(Buffer.from(file ?? []).toString()).toBe(expected);
    expect(done).toMatchObject({ processed: RECORDS, result: { restarts: 1 } });
    expect(storage.files.size).toBe(1);
  });

  it('gives up when its text is gone, and names the fields that are left out when it ends', async () => {
    const { storage, files, job } = await aWorld(['pin']);
    const done = await run(job, files);
    const other = await aWorld();
    other.storage.files.clear();

    expect(done.result).toMatchObject({ leftOut: ['pin'] });
    await expect(run(other.job, other.files)).rejects.toThrow(JobFailure);
    expect(storage.files.size).toBe(1);
  });
});
