import { parentPort, workerData } from 'node:worker_threads';
import type {
  EngineJob,
  ThreadData,
  ThreadMessage,
} from '../../../functions/templates/pdf/libreoffice/thread-messages.ts';

// A thread in place of an engine's: what it does is in its data. Jobs whose bytes are `trial` always succeed.
const { folder: behaviour }: ThreadData = workerData;
const say = (message: ThreadMessage): void => parentPort?.postMessage(message);

const ends: Readonly<Record<string, () => void>> = {
  loops: () => {
    for (;;);
  },
  slowly: () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  },
  waits: () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  exits: () => process.exit(3),
  throws: () => {
    throw new Error('out of memory');
  },
  breaks: () => say({ kind: 'broken', reason: 'memory access out of bounds' }),
};

const [when, what = ''] = behaviour.split(' ');
if (when === 'start') ends[what]?.();

let jobs = 0;
parentPort?.on('message', ({ bytes, format }: EngineJob) => {
  const text = Buffer.from(bytes).toString();
  if (text !== 'trial') {
    jobs += 1;
    if (when === 'job') return ends[what]?.();
    if (format === 'html') return say({ kind: 'refused', reason: 'no HTML' });
  }
  say({ kind: 'done', pdf: Buffer.from(`${behaviour} ${jobs}: ${text}`), pages: jobs });
});
say({ kind: 'ready' });
