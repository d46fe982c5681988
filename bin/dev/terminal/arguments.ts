import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

/** Options of `npm start`. */
export interface StartOptions {
  /** `-c key=value` overrides of this run. */
  readonly context: Readonly<Record<string, string>>;
  /** Whether a directory of people and an OpenID provider run beside the platform. */
  readonly hasDemo: boolean;
}

/** Reads `--no-demo` besides the `-c key=value` options. */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const others = args.filter((each) => each !== '--no-demo');
  return { context: parseContextOptions(others), hasDemo: others.length === args.length };
}

/** Reads the `-c key=value` options of a command, in the form in which the CDK CLI hands them to an app. */
export function parseContextOptions(args: readonly string[]): Record<string, string> {
  const { context = [] } = readOptions(args);
  const values: Record<string, string> = {};
  for (const option of context) {
    const [key, ...rest] = option.split('=');
    if (!key || rest.length === 0) {
      throw new CommandError(
        `"-c ${option}" is not a context option.`,
        'Write -c <property>=<value>, for example: npm start -- -c svc.mq.transport=spring',
      );
    }
    values[key] = rest.join('=');
  }
  return values;
}

function readOptions(args: readonly string[]): { context?: string[] } {
  try {
    return parseArgs({
      args: [...args],
      options: { context: { type: 'string', short: 'c', multiple: true } },
    }).values;
  } catch (cause) {
    throw new CommandError(
      `Unknown option: ${args.join(' ')}`,
      'This command knows -c <property>=<value> only, npm start also --no-demo (after "--").',
      { cause },
    );
  }
}
