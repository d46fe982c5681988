import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildPackage } from '../../../bin/dev/package.ts';
import { projectRoot } from '../../../bin/dev/paths.ts';

/** What an application installs besides, to check its types and to deploy. */
const TOOLS = ['typescript', '@types/node', 'aws-cdk'];

/**
 * Packs the library and installs the archive into an application, without a network: what it depends on is linked, and
 * nothing else, so that a dependency which is not declared is missing.
 */
export function installPackage(app: string): void {
  const modules = join(app, 'node_modules');
  const installed = join(modules, 'svc-cloud');
  mkdirSync(installed, { recursive: true });
  const folder = buildPackage(join(app, 'packed', 'package'));
  execFileSync('npm', ['pack', folder, '--silent', '--pack-destination', join(app, 'packed')], {
    stdio: 'pipe',
  });
  const [archive = ''] = globSync(join(app, 'packed', '*.tgz'));
  execFileSync('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
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
