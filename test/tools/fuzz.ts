import { parseArgs } from 'node:util';
import { ensureDevIssuer, signDevToken } from '../../bin/dev/dev-issuer.ts';
import { requireOutputs } from '../../bin/dev/outputs.ts';
import { CommandError, messageOf } from '../../bin/dev/terminal/command-error.ts';
import { runCommand, say } from '../../bin/dev/terminal/output.ts';
import { modulesEntry } from './deployed-modules.ts';
import { documentServerFor } from './document-server/with-platform.ts';
import { runFuzzer } from './fuzz/run-fuzzer.ts';
import { randomPort, startTestPlatform } from './test-platform.ts';

const usage =
  'npm run fuzz -- [--seconds <number>] [--max-examples <number>] [--seed <number>] [--running] [-- <options of schemathesis>]';

interface Options {
  readonly seconds: number;
  readonly maxExamples?: number;
  readonly seed?: number;
  /** Fuzz the platform of `npm start` instead of a fresh one: it fills with junk. */
  readonly isRunning: boolean;
  readonly more: readonly string[];
}

/** Reads the options of `npm run fuzz`. */
export function parseFuzzOptions(args: readonly string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seconds: { type: 'string', default: '300' },
        'max-examples': { type: 'string' },
        seed: { type: 'string' },
        running: { type: 'boolean', default: false },
      },
    });
    return {
      seconds: wholeNumber(values.seconds),
      ...(values['max-examples'] !== undefined && {
        maxExamples: wholeNumber(values['max-examples']),
      }),
      ...(values.seed !== undefined && { seed: wholeNumber(values.seed) }),
      isRunning: values.running,
      more: positionals,
    };
  } catch (cause) {
    throw new CommandError(messageOf(cause), `Usage: ${usage}`, { cause });
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`"${text}" is no whole number.`);
  return Number(text);
}

async function withPlatform(isRunning: boolean, work: (baseUrl: string) => Promise<void>) {
  if (isRunning) return await work(requireOutputs().baseUrl);
  const port = await randomPort();
  const { server, context: ofEditor } = await documentServerFor(port);
  try {
    const context = { ...ofEditor, 'svc.idp.enabled': 'true' };
    const platform = await startTestPlatform({ onProgress: say, modulesEntry, port, context });
    try {
      await work(platform.outputs.baseUrl);
    } finally {
      await platform.stop();
    }
  } finally {
    await server.close();
  }
}

if (import.meta.main) {
  await runCommand(async () => {
    const { isRunning, ...options } = parseFuzzOptions(process.argv.slice(2));
    const token = await signDevToken(await ensureDevIssuer(), { sub: 'fuzz', roles: ['admin'] });
    await withPlatform(isRunning, async (baseUrl) => {
      const { code } = await runFuzzer({ ...options, baseUrl, token, isShown: true });
      if (code !== 0) {
        throw new CommandError(
          'The fuzzer found answers that are not as documented.',
          'Send the request that it shows, then correct the code or the route that it belongs to.',
        );
      }
    });
  });
}
