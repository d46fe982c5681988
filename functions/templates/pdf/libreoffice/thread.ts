import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { DocumentRefused, OfficeKit, type OfficeModule } from './office-kit.ts';
import type { EngineJob, ThreadData, ThreadMessage } from './thread-messages.ts';

/** The file to start an engine's thread with: this one, or the bundle that holds it. */
export const threadFile = new URL(import.meta.url);

/** Whether this is the thread of an engine. */
export const isEngineThread = !isMainThread && workerData?.svcEngine === 'libreoffice';

/** The engine's own loader of its WebAssembly module. */
interface Loader {
  createModule(options: {
    readonly noInitialRun: boolean;
    readonly print: () => void;
    readonly printErr: () => void;
  }): Promise<OfficeModule>;
}

if (isEngineThread && parentPort) void serve(parentPort, workerData);

/** Starts the engine, says that it is ready and converts what arrives, until it breaks. */
async function serve(port: MessagePort, data: ThreadData): Promise<void> {
  const say = (message: ThreadMessage): void => port.postMessage(message);
  try {
    const office = await start(data);
    port.on('message', (job: EngineJob) => say(convert(office, job)));
    say({ kind: 'ready' });
  } catch (cause) {
    say({ kind: 'broken', reason: String(cause) });
  }
}

async function start({ folder, fonts = [] }: ThreadData): Promise<OfficeKit> {
  const load = createRequire(join(folder, 'loader.cjs'));
  const loader: Loader = load('./loader.cjs');
  const silent = (): void => undefined;
  const module = await loader.createModule({
    // Its own program would start LibreOffice in another thread, at the same time as `OfficeKit`: each may wait for the other.
    noInitialRun: true,
    print: silent,
    printErr: silent,
  });
  return new OfficeKit(
    module,
    fonts.map((file) => readFileSync(file)),
  );
}

function convert(office: OfficeKit, job: EngineJob): ThreadMessage {
  const { now } = Date;
  const ahead = job.at - now();
  // The engine reads the time here.
  Date.now = () => now() + ahead;
  try {
    return { kind: 'done', ...office.convert(job) };
  } catch (cause) {
    if (cause instanceof DocumentRefused) return { kind: 'refused', reason: cause.message };
    return { kind: 'broken', reason: String(cause) };
  } finally {
    Date.now = now;
  }
}
