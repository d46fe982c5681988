import { styleText } from 'node:util';
import { CommandError } from './command-error.ts';

type Style = Parameters<typeof styleText>[0];

const isTerminal = process.stderr.isTTY === true;
const labelWidth = 12;

/** Colours text when the terminal shows colours. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** A step of a longer command. `update` shows progress, `done` and `failed` end it. */
export interface Step {
  update(text: string): void;
  done(text: string): void;
  failed(text: string): void;
}

/** Starts a step: shown at once, replaced by its result and duration. */
export function startStep(label: string, text: string): Step {
  const startedAt = performance.now();
  let shown = '';
  const show = (line: string, isFinal: boolean): void => {
    if (isTerminal) process.stdout.write(`\r\x1b[2K${line}${isFinal ? '\n' : ''}`);
    else if (line !== shown) process.stdout.write(`${line}\n`);
    shown = line;
  };
  const line = (mark: string, rest: string): string =>
    `${mark} ${label.padEnd(labelWidth)} ${rest}`;
  const duration = (): string =>
    paint('dim', `${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  show(line(paint('cyan', '…'), text), false);
  return {
    update: (next) => show(line(paint('cyan', '…'), next), false),
    done: (next) => show(`${line(paint('green', '✔'), next)} ${duration()}`, true),
    failed: (next) => show(line(paint('red', '✖'), next), true),
  };
}

/** One line of information. */
export function say(text: string): void {
  console.log(text);
}

/** One line that needs attention. */
export function warn(text: string): void {
  console.log(`${paint('yellow', '!')} ${text}`);
}

/** Prints why a command failed and what to do; an unexpected error with its stack. */
export function printFailure(error: unknown): void {
  if (error instanceof CommandError) {
    console.error(`${paint('red', '✖')} ${error.message}`);
    console.error(`  ${paint('bold', 'What to do:')} ${error.advice}`);
    return;
  }
  console.error(`${paint('red', '✖')} Unexpected failure.`);
  console.error(error);
}

/** Runs a command: the exit code is 0, or 1 after a printed failure. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    printFailure(error);
    process.exitCode = 1;
  }
}
