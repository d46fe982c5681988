import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPackage } from '../../../bin/dev/package.ts';
import { projectRoot } from '../../../bin/dev/paths.ts';
import { runFolder } from '../world/run-folder.ts';

/** What an application installs besides, to check its types and to deploy. */
const TOOLS = ['typescript', '@types/node', 'aws-cdk'];

const LONGEST_PACKING_MS = 300_000;

/**
 * Packs the library and installs the archive into an application, without a network: what it depends on is linked, and
 * nothing else, so that a dependency which is not declared is missing.
 */
export async function installPackage(app: string): Promise<void> {
  const modules = join(app, 'node_modules');
  const installed = join(modules, 'svc-cloud');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', await packed(), '-C', installed, '--strip-components=1']);
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), ...TOOLS]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(projectRoot, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '.bin'));
  const command = (name: string, file: string) => symlinkSync(file, join(modules, '.bin', name));
  command('cdk', join(projectRoot, 'node_modules/.bin/cdk'));
  const token = join(installed, 'bin/dev/token.js');
  chmodSync(token, 0o755);
  command('svc-cloud-token', token);
}

/** The archive, made once in a run: compiling the library takes ten seconds of a processor. */
async function packed(): Promise<string> {
  const folder = join(runFolder(), 'svc-cloud-packed');
  const archive = join(folder, 'svc-cloud.tgz');
  if (mkdirSync(folder, { recursive: true }) !== undefined) {
    const content = buildPackage(join(folder, 'package'));
    execFileSync('npm', ['pack', content, '--silent', '--pack-destination', folder], {
      stdio: 'pipe',
    });
    const [made = ''] = globSync(join(folder, '*.tgz'));
    renameSync(made, archive);
  }
  const deadline = Date.now() + LONGEST_PACKING_MS;
  while (!existsSync(archive)) {
    if (Date.now() > deadline) throw new Error('Another test of this run did not pack the library');
    await sleep(100);
  }
  return archive;
}
