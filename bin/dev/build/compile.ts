import type { Message } from 'esbuild';
import { CommandError } from '../terminal/command-error.ts';

/** Waits for esbuild. @throws CommandError naming file, line and column of each compile error. */
export async function compile<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { errors = [] } = (error ?? {}) as { errors?: Message[] };
    const lines = errors.map(({ text, location }) =>
      location ? `  ${location.file}:${location.line}:${location.column}: ${text}` : `  ${text}`,
    );
    throw new CommandError(
      `The functions do not compile:\n${lines.join('\n') || String(error)}`,
      'Correct the line that is named; until then everything runs as before.',
      { cause: error },
    );
  }
}
