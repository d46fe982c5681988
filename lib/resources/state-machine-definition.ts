import { existsSync, readFileSync } from 'node:fs';
import { ConfigError, error } from '../../shared/config/index.ts';

interface State {
  readonly Next?: string;
  readonly Default?: string;
  readonly Choices?: readonly { readonly Next?: string }[];
  readonly Catch?: readonly { readonly Next?: string }[];
}

/** The definition of a state machine, and the functions that its placeholders name. */
export interface Definition {
  readonly text: string;
  readonly functions: readonly string[];
}

const PLACEHOLDER = /\$\{([^}]*)\}/g;

/**
 * Reads a definition in Amazon States Language; `${<function>}` stands for the address of a function.
 * @param functions names that may be used.
 * @throws ConfigError `STATE_MACHINE_INVALID` naming what is missing: no local cloud would refuse it.
 */
export function readDefinition(file: string, functions: readonly string[]): Definition {
  const fail = (reason: string): never => {
    throw new ConfigError([error('STATE_MACHINE_INVALID', file, reason)]);
  };
  if (!existsSync(file)) fail('is not there');
  const text = readFileSync(file, 'utf8');
  const named = [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
  const unknown = named.find((name) => !functions.includes(name));
  if (unknown !== undefined) {
    fail(`names the function ${unknown}; the module has ${functions.join(', ')}`);
  }
  const { StartAt, States = {} } = parse(text, fail);
  for (const next of [StartAt, ...Object.values(States).flatMap(followers)]) {
    if (next === undefined || !Object.hasOwn(States, next)) {
      fail(
        next === undefined ? 'has no StartAt' : `leads to the state ${next}, which is not there`,
      );
    }
  }
  return { text, functions: named };
}

function parse(
  text: string,
  fail: (reason: string) => never,
): { readonly StartAt?: string; readonly States?: Readonly<Record<string, State>> } {
  try {
    return JSON.parse(text);
  } catch {
    return fail('is not JSON');
  }
}

function followers({ Next, Default, Choices = [], Catch = [] }: State): string[] {
  return [Next, Default, ...[...Choices, ...Catch].map((each) => each.Next)].filter(
    (next) => next !== undefined,
  );
}
