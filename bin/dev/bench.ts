import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './paths.ts';
import { CommandError } from './terminal/command-error.ts';
import { paint, runCommand, say } from './terminal/output.ts';

/** A benchmark: runs, and prints its figures as ratios against a named floor. */
type Bench = () => Promise<void>;

await runCommand(async () => {
  const wanted = process.argv.slice(2);
  const files = globSync('test/bench/*.bench.ts', { cwd: projectRoot }).sort();
  const chosen = files.filter((file) => isWanted(file, wanted));
  if (chosen.length === 0) {
    throw new CommandError(
      `No benchmark is named ${wanted.join(', ')}.`,
      `Name one of: ${files.map(benchName).join(', ')}`,
    );
  }
  for (const file of chosen) {
    say(`\n${paint('bold', benchName(file))}`);
    const module = (await import(pathToFileURL(join(projectRoot, file)).href)) as {
      default: Bench;
    };
    await module.default();
  }
});

function isWanted(file: string, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((name) => benchName(file).includes(name));
}

function benchName(file: string): string {
  return file.replace(/^.*[\\/]/, '').replace(/\.bench\.ts$/, '');
}

// A benchmark may leave a socket open.
process.exit();
