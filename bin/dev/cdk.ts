import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { projectRoot } from './paths.ts';
import { CommandError } from './terminal/command-error.ts';
import { runCommand } from './terminal/output.ts';

const commands: Readonly<Record<string, readonly string[]>> = {
  synth: ['synth', '--quiet'],
  diff: ['diff'],
  deploy: ['deploy', '--all', '--require-approval', 'broadening'],
  destroy: ['destroy', '--all'],
};

/**
 * Arguments of the CDK CLI for one of our commands: `--stage <name>` becomes the context `stage`, everything else is
 * passed on as it is.
 */
export function cdkArguments(args: readonly string[]): string[] {
  const [command = '', ...rest] = args;
  const known = commands[command];
  if (!known) throw usage(`Unknown command "${command}".`);
  const { tokens } = parseArgs({
    args: rest,
    options: { stage: { type: 'string' } },
    strict: false,
    tokens: true,
  });
  const stage = tokens.find((token) => token.kind === 'option' && token.name === 'stage');
  if (stage?.kind !== 'option') {
    if (command !== 'synth' && !process.env.AWS_ENDPOINT_URL) throw usage('No stage was named.');
    return [...known, ...rest];
  }
  if (!stage.value) throw usage('"--stage" needs a name.');
  const passedOn = rest.filter((_, index) => index !== stage.index && !isValueOf(stage, index));
  return [...known, '-c', `stage=${stage.value}`, ...passedOn];
}

function isValueOf(
  token: { index: number; inlineValue: boolean | undefined },
  index: number,
): boolean {
  return !token.inlineValue && index === token.index + 1;
}

function usage(problem: string): CommandError {
  return new CommandError(
    problem,
    'Write: npm run deploy -- --stage <name> (as well: diff, destroy, synth). Credentials and region come from the usual AWS settings.',
  );
}

if (import.meta.main) {
  await runCommand(async () => {
    const args = cdkArguments(process.argv.slice(2));
    const child = spawn('cdk', args, { cwd: projectRoot, stdio: 'inherit' });
    process.exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
    });
  });
}
