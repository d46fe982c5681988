import { Worker } from 'node:worker_threads';
import { localAccount, localRegion } from '../local-cloud/aws-client.ts';
import { CommandError } from '../terminal/command-error.ts';

export interface SynthesisInput {
  /** `-c key=value` overrides of this run. */
  readonly context: Readonly<Record<string, string>>;
  /** Folder of the cloud assembly. */
  readonly assemblyFolder: string;
  /** Folder of the built functions. */
  readonly bundleFolder: string;
  /** Host file instead of `bin/host.ts`. */
  readonly hostEntry?: string;
  /** File whose default export lists modules besides those of the platform. */
  readonly modulesEntry?: string;
}

interface SynthesisAnswer {
  readonly error?: string;
}

/**
 * Synthesises the CDK app in a thread of this process. A thread and not a plain import, so that each synthesis reads
 * `lib/` and `bin/` as they are now.
 * @throws CommandError with the reason when the app cannot be synthesised.
 */
export function synthesise(input: SynthesisInput): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./synthesis-worker.ts', import.meta.url), {
      workerData: input,
      stdout: true,
      stderr: true,
      env: {
        ...process.env,
        CDK_DEFAULT_ACCOUNT: localAccount,
        CDK_DEFAULT_REGION: localRegion,
        JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION: '1',
      },
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    worker.stdout.on('data', collect);
    worker.stderr.on('data', collect);
    let answer: SynthesisAnswer = { error: 'The synthesis ended without an answer.' };
    worker.on('message', (message: SynthesisAnswer) => {
      answer = message;
    });
    worker.once('error', (error) => {
      answer = { error: error.message };
    });
    worker.once('exit', () => {
      if (answer.error === undefined) resolve();
      else reject(synthesisFailure(answer.error, output));
    });
  });
}

function synthesisFailure(error: string, output: string): CommandError {
  return new CommandError(
    `The stack could not be synthesised:\n${indent([error, output.trim()].filter(Boolean).join('\n'))}`,
    'Correct cdk.json, lib/ or the -c option that the message names.',
  );
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
