import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { localFolder } from '../paths.ts';
import { CommandError } from '../terminal/command-error.ts';
import { holdLock } from './lock.ts';
import { run } from './run.ts';

/** A set of Python packages with a name for messages. */
export interface PythonTool {
  readonly name: string;
  readonly requirements: readonly string[];
}

/** The local cloud. `cryptography` is what it verifies signatures with. */
export const localCloudTool: PythonTool = {
  name: 'the local cloud (MiniStack 1.5.33)',
  requirements: ['ministack==1.5.33', 'cryptography'],
};

/** The fuzzer of the HTTP API; needed by `npm test` and `npm run fuzz` only. */
export const fuzzTool: PythonTool = {
  name: 'the API fuzzer (schemathesis 4.32.5)',
  requirements: ['schemathesis==4.32.5'],
};

/** How to run Python with the installed packages: append `-m <module>` to `command`. */
export interface PythonCommand {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Folder of an environment; a parameter so that a test can install elsewhere. */
export interface InstallOptions {
  readonly folder?: string;
  /** Called before a download, which takes a while. */
  readonly onInstall?: (tool: PythonTool) => void;
}

const advice = {
  noPython:
    'Install Python 3.10 or later (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python), or name one: PYTHON=/path/to/python3 npm start.',
  noPip:
    'Install one of them (Debian, Ubuntu: apt install python3-venv), then run the command again.',
  noNetwork:
    'The first run needs a connection to a Python package index. Check the network (or pip\'s settings: "pip config list"), then run the command again. Or start a local cloud yourself and set AWS_ENDPOINT_URL.',
};

/**
 * Makes sure that the Python packages of a tool are installed privately under `.local/`; returns how to run them.
 * Without the `venv` module (Debian ships it apart) `pip install --target` does the same.
 * An existing installation is used without network access.
 */
export async function ensurePythonTool(
  tool: PythonTool,
  options: InstallOptions = {},
): Promise<PythonCommand> {
  const folder = options.folder ?? localFolder;
  const installed = findInstalled(folder, tool);
  if (installed) return installed;
  return await holdLock(join(folder, 'install.lock'), async () => {
    const meanwhile = findInstalled(folder, tool);
    if (meanwhile) return meanwhile;
    options.onInstall?.(tool);
    return await install(folder, tool);
  });
}

interface Environment {
  readonly kind: 'venv' | 'target';
  /** Interpreter that the packages were installed for. */
  readonly python: string;
  readonly requirements: readonly string[];
}

function findInstalled(folder: string, tool: PythonTool): PythonCommand | undefined {
  const environment = readEnvironment(folder);
  if (!environment || !existsSync(environment.python)) return undefined;
  const has = new Set(environment.requirements);
  return tool.requirements.every((requirement) => has.has(requirement))
    ? pythonCommand(folder, environment)
    : undefined;
}

async function install(folder: string, tool: PythonTool): Promise<PythonCommand> {
  mkdirSync(folder, { recursive: true });
  const environment = existingEnvironment(folder) ?? (await createEnvironment(folder));
  const target =
    environment.kind === 'target' ? ['--target', targetFolder(folder), '--upgrade'] : [];
  const args = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet'];
  const result = await run(environment.python, [...args, ...target, ...tool.requirements]);
  if (result.code !== 0) {
    throw new CommandError(
      `${tool.name} could not be installed: ${lastLines(result.output)}`,
      advice.noNetwork,
    );
  }
  const requirements = [...new Set([...environment.requirements, ...tool.requirements])];
  const complete = { ...environment, requirements };
  writeFileSync(environmentFile(folder), `${JSON.stringify(complete, undefined, 2)}\n`);
  return pythonCommand(folder, complete);
}

/** The environment of an earlier run, unless its interpreter no longer exists. */
function existingEnvironment(folder: string): Environment | undefined {
  const environment = readEnvironment(folder);
  return environment && existsSync(environment.python) ? environment : undefined;
}

async function createEnvironment(folder: string): Promise<Environment> {
  const python = await findPython();
  rmSync(venvFolder(folder), { recursive: true, force: true });
  rmSync(targetFolder(folder), { recursive: true, force: true });
  const venv = await run(python, ['-m', 'venv', venvFolder(folder)]);
  if (venv.code === 0) {
    return { kind: 'venv', python: join(venvFolder(folder), 'bin', 'python'), requirements: [] };
  }
  rmSync(venvFolder(folder), { recursive: true, force: true });
  const pip = await run(python, ['-m', 'pip', '--version']);
  if (pip.code === 0) return { kind: 'target', python, requirements: [] };
  throw new CommandError(`${python} has neither "venv" nor "pip".`, advice.noPip);
}

/** Path of a Python of version 3.10 or later; `PYTHON` names one, else the usual names are tried. */
async function findPython(): Promise<string> {
  const named = process.env.PYTHON;
  const candidates = named
    ? [named]
    : ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
  const script = 'import sys; print(sys.executable if sys.version_info >= (3, 10) else "")';
  for (const candidate of candidates) {
    const { code, output } = await run(candidate, ['-c', script]);
    if (code === 0 && output.trim() !== '') return output.trim();
  }
  throw new CommandError(
    named ? `PYTHON=${named} is no Python 3.10 or later.` : 'No Python 3.10 or later was found.',
    advice.noPython,
  );
}

function pythonCommand(folder: string, environment: Environment): PythonCommand {
  if (environment.kind === 'venv') return { command: environment.python, environment: {} };
  const path = [targetFolder(folder), process.env.PYTHONPATH].filter(Boolean).join(delimiter);
  return { command: environment.python, environment: { PYTHONPATH: path } };
}

function readEnvironment(folder: string): Environment | undefined {
  try {
    return JSON.parse(readFileSync(environmentFile(folder), 'utf8')) as Environment;
  } catch {
    return undefined;
  }
}

const venvFolder = (folder: string): string => join(folder, 'venv');
const targetFolder = (folder: string): string => join(folder, 'python-packages');
const environmentFile = (folder: string): string => join(folder, 'python.json');

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' / ');
}
