import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './paths.ts';
import { runCommand, say } from './terminal/output.ts';

/** Node that applications need: the repository's own commands bring theirs along, so they run on older ones too. */
const NODE_OF_APPLICATIONS = '>=22.18';

/** Members of package.json that only the repository needs. */
const REPOSITORY_ONLY = ['scripts', 'devDependencies', 'allowScripts'];

/**
 * Compiles the library into a folder that npm can publish: constructs, host and modules as JavaScript with
 * their types. The functions are bundled from it, with the host of the application that uses it.
 */
export function buildPackage(folder = join(projectRoot, 'dist', 'package')): string {
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(projectRoot, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', 'tsconfig.build.json', '--singleThreaded', '--outDir', folder], {
    cwd: projectRoot,
    stdio: 'inherit',
  });
  const assets = globSync('functions/*/assets', { cwd: projectRoot });
  for (const path of [...assets, 'README.md', 'CHANGELOG.md', 'LICENSE', 'cdk.json']) {
    if (existsSync(join(projectRoot, path))) {
      cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
    }
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
  return folder;
}

function publishedManifest(): Record<string, unknown> {
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  for (const name of REPOSITORY_ONLY) delete manifest[name];
  return {
    ...manifest,
    engines: { node: NODE_OF_APPLICATIONS },
    bin: { 'svc-cloud-token': './bin/dev/token.js' },
    imports: { '#host': './shared/host/default-host.js' },
  };
}

if (import.meta.main) {
  await runCommand(async () => {
    const folder = buildPackage();
    execFileSync('npm', ['pack', folder, '--pack-destination', join(projectRoot, 'dist')], {
      stdio: 'inherit',
    });
    say('The package is in dist/.');
  });
}
