import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ensurePythonTool } from '../../../bin/dev/local-cloud/install.ts';

const tool = { name: 'a tool', requirements: ['tool==1'] };
const other = { name: 'another tool', requirements: ['other==2'] };

/** A stand-in for Python that writes down how it is called. */
function fakePython(can: { venv: boolean; pip: boolean; network?: boolean }): string {
  const folder = mkdtempSync(join(tmpdir(), 'python-'));
  const python = join(folder, 'python3');
  writeFileSync(
    python,
    `#!/bin/sh
echo "$@" >> "${folder}/calls"
case "$1 $2" in
  "-c "*) echo "${python}" ;;
  "-m venv") ${can.venv ? `mkdir -p "$3/bin" && cp "${python}" "$3/bin/python"` : 'mkdir -p "$3"; exit 1'} ;;
  "-m pip") ${can.pip ? '' : 'exit 1;'} [ "$3" = --version ] || ${can.network === false ? '{ echo no network; exit 1; }' : 'exit 0'} ;;
esac
`,
  );
  chmodSync(python, 0o755);
  vi.stubEnv('PYTHON', python);
  return join(folder, 'calls');
}

const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'install-'));

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('ensurePythonTool', () => {
  it('installs into a virtual environment of its own', async () => {
    const calls = fakePython({ venv: true, pip: true });
    const folder = emptyFolder();

    const python = await ensurePythonTool(tool, { folder });

    expect(python).toEqual({ command: join(folder, 'venv', 'bin', 'python'), environment: {} });
    expect(readFileSync(calls, 'utf8')).toMatch(/-m pip install .*tool==1/);
  });

  it('installs into a folder where there is no venv', async () => {
    const calls = fakePython({ venv: false, pip: true });
    const folder = emptyFolder();

    const python = await ensurePythonTool(tool, { folder });

    const target = join(folder, 'python-packages');
    expect(python.environment.PYTHONPATH).toContain(target);
    expect(readFileSync(calls, 'utf8')).toContain(`--target ${target} --upgrade tool==1`);
    expect(existsSync(join(folder, 'venv'))).toBe(false);
  });

  it('uses what is installed without running anything', async () => {
    const calls = fakePython({ venv: true, pip: true });
    const folder = emptyFolder();
    const first = await ensurePythonTool(tool, { folder });
    const before = readFileSync(calls, 'utf8');

    expect(await ensurePythonTool(tool, { folder })).toEqual(first);

    expect(readFileSync(calls, 'utf8')).toBe(before);
  });

  it('adds a tool to the environment that exists', async () => {
    const calls = fakePython({ venv: true, pip: true });
    const folder = emptyFolder();
    await ensurePythonTool(tool, { folder });

    await ensurePythonTool(other, { folder });

    expect(readFileSync(calls, 'utf8').match(/-m venv/g)).toHaveLength(1);
    const { requirements } = JSON.parse(readFileSync(join(folder, 'python.json'), 'utf8'));
    expect(requirements).toEqual(['tool==1', 'other==2']);
  });

  it('installs once when two commands need it at once', async () => {
    const calls = fakePython({ venv: true, pip: true });
    const folder = emptyFolder();

    await Promise.all([ensurePythonTool(tool, { folder }), ensurePythonTool(tool, { folder })]);

    expect(readFileSync(calls, 'utf8').match(/pip install/g)).toHaveLength(1);
  });

  it.each([
    ['names the missing package', { venv: false, pip: false }, 'apt install python3-venv'],
    ['says what it needs from the network', { venv: true, pip: true, network: false }, 'index'],
  ])('%s', async (_, can, advice) => {
    fakePython(can);

    await expect(ensurePythonTool(tool, { folder: emptyFolder() })).rejects.toMatchObject({
      name: 'CommandError',
      advice: expect.stringContaining(advice),
    });
  });

  it('says which Python it needs when there is none', async () => {
    vi.stubEnv('PYTHON', '/no/such/python3');

    await expect(ensurePythonTool(tool, { folder: emptyFolder() })).rejects.toMatchObject({
      message: 'PYTHON=/no/such/python3 is no Python 3.10 or later.',
      advice: expect.stringContaining('Python 3.10 or later'),
    });
  });
});
