import { parseArgs } from 'node:util';
import { CommandError, messageOf } from '../../bin/dev/terminal/command-error.ts';

const usage =
  'npm run conformance -- [--http [--concurrency <number>]] <folder with scenarios.json>';

/** What to play, and against what. */
export interface ConformanceOptions {
  readonly folder: string;
  /** Plays against the platform of `npm start` instead of the engine in this process. */
  readonly isOverHttp: boolean;
  /** Scenarios at the same time. */
  readonly concurrency: number;
}

/** Reads the options of `npm run conformance`. */
export function parseConformanceOptions(args: readonly string[]): ConformanceOptions {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        http: { type: 'boolean', default: false },
        concurrency: { type: 'string', default: '4' },
      },
    });
    const [folder, ...others] = positionals;
    if (folder === undefined || others.length > 0) throw new Error('One folder is needed.');
    if (!/^[1-9]\d{0,2}$/.test(values.concurrency)) {
      throw new Error(`"${values.concurrency}" is no number from 1 to 999.`);
    }
    const concurrency = values.http ? Number(values.concurrency) : 1;
    return { folder, isOverHttp: values.http, concurrency };
  } catch (cause) {
    throw new CommandError(messageOf(cause), `Usage: ${usage}`, { cause });
  }
}
