import { parseArgs } from 'node:util';
import { followLogs } from './logs/follow-logs.ts';
import { requireOutputs } from './outputs.ts';
import { CommandError, messageOf } from './terminal/command-error.ts';
import { runCommand, say } from './terminal/output.ts';

const usage = 'npm run logs -- [<module>] [-f] [--minutes 15]';

await runCommand(async () => {
  const { module, follow, minutes } = parseLogOptions(process.argv.slice(2));
  const { endpoint, functions } = requireOutputs();
  const chosen = module === undefined ? functions : chooseFunction(functions, module);
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  await followLogs({
    endpoint,
    functions: () => chosen,
    since: Date.now() - minutes * 60_000,
    print: say,
    signal: stopped.signal,
    follow,
  });
});

function chooseFunction(
  functions: Readonly<Record<string, string>>,
  module: string,
): Record<string, string> {
  const functionName = functions[module];
  if (functionName) return { [module]: functionName };
  throw new CommandError(
    `There is no function "${module}".`,
    `Name one of: ${Object.keys(functions).join(', ')}. Usage: ${usage}`,
  );
}

function parseLogOptions(args: readonly string[]): {
  module?: string | undefined;
  follow: boolean;
  minutes: number;
} {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        follow: { type: 'boolean', short: 'f', default: false },
        minutes: { type: 'string', default: '15' },
      },
    });
    return { module: positionals[0], follow: values.follow, minutes: Number(values.minutes) || 15 };
  } catch (cause) {
    throw new CommandError(messageOf(cause), `Usage: ${usage}`, { cause });
  }
}
