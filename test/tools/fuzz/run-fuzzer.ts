import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePythonTool, fuzzTool } from '../../../bin/dev/local-cloud/install.ts';
import { moduleArguments } from '../../../bin/dev/local-cloud/lives-with.ts';
import { localFolder } from '../../../bin/dev/paths.ts';
import type { OpenApiDocument } from '../../../shared/openapi/document.ts';
import { deployedModules } from '../deployed-modules.ts';
import { fuzzConfig, TOKEN_VARIABLE } from './fuzz-config.ts';
import { describedModules, fuzzExceptions, makeFuzzTargets } from './module-hints.ts';

const hooksFile = fileURLToPath(new URL('./hooks.py', import.meta.url));

/** What to fuzz, and how thoroughly. */
export interface FuzzOptions {
  /** Address of the platform, without a slash at the end. */
  readonly baseUrl: string;
  /** Token of somebody who may do everything. */
  readonly token: string;
  /**
   * Time for all operations together, which is used up: what is left of it is shared by those that are still to come.
   * Left out: the examples end the run.
   */
  readonly seconds?: number;
  /** Most requests for each operation and phase, where no time is given; as the fuzzer sees fit when left out. */
  readonly maxExamples?: number;
  /** The same seed makes the same requests. */
  readonly seed?: number;
  /** Whether to show the progress here; otherwise it is collected. */
  readonly isShown?: boolean;
  /** Further options of schemathesis. */
  readonly more?: readonly string[];
}

/** How a run ended: 0 without findings, and what the fuzzer said. */
export interface FuzzResult {
  readonly code: number;
  readonly output: string;
}

/** Runs schemathesis with all its checks against a platform, by the document that the platform serves. */
export async function runFuzzer(options: FuzzOptions): Promise<FuzzResult> {
  const { baseUrl, token } = options;
  const address = `${baseUrl}/api/v1/openapi.json`;
  const document = (await (await fetch(address)).json()) as OpenApiDocument;
  const python = await ensurePythonTool(fuzzTool);
  mkdirSync(localFolder, { recursive: true });
  const folder = mkdtempSync(join(localFolder, 'fuzz-'));
  try {
    const config = join(folder, 'schemathesis.toml');
    const modules = describedModules(deployedModules, document);
    const targets = await makeFuzzTargets(modules, baseUrl, token);
    writeFileSync(config, fuzzConfig(document, fuzzExceptions(modules), targets));
    // All checks are on unless the settings say otherwise; naming them here would override the exceptions.
    const run = ['run', address, '--continue-on-failure', ...settings(options)];
    return await execute(
      python.command,
      [...moduleArguments('schemathesis.cli'), '--config-file', config, ...run],
      {
        cwd: folder,
        env: {
          ...process.env,
          ...python.environment,
          [TOKEN_VARIABLE]: token,
          SCHEMATHESIS_HOOKS: hooksFile,
        },
        isShown: options.isShown ?? false,
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function settings({ seconds, maxExamples, seed, more = [] }: FuzzOptions): string[] {
  return [
    ...(seconds === undefined ? [] : ['--max-time', String(seconds)]),
    ...(maxExamples === undefined ? [] : ['--max-examples', String(maxExamples)]),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    // More than one trips over itself now and then: its threads share what they have generated.
    '--workers',
    '1',
    ...more,
  ];
}

interface Execution {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly isShown: boolean;
}

function execute(command: string, args: readonly string[], to: Execution): Promise<FuzzResult> {
  return new Promise((resolve, reject) => {
    const env = to.isShown ? to.env : { ...to.env, NO_COLOR: '1' };
    const child = spawn(command, args, {
      cwd: to.cwd,
      env,
      stdio: ['ignore', to.isShown ? 'inherit' : 'pipe', to.isShown ? 'inherit' : 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
