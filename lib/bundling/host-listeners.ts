import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { buildSync } from 'esbuild';
import type { Host } from '../../shared/host/host.ts';
import {
  flattenListeners,
  type ListenerDeclaration,
} from '../../shared/messaging/consuming/listener.ts';
import { packageRoot } from './package-files.ts';

const require = createRequire(import.meta.url);

/**
 * The listeners that a host file exports: the very list that its functions run, so that queues and code cannot
 * differ. The file is bundled and run here, in whatever form its application writes it.
 * @throws MessagingError `MQ_LISTENER_MESSAGE_ID_REQUIRED`, `MQ_LISTENER_TWICE`, and whatever the file throws.
 */
export function readHostListeners(hostEntry: string): readonly ListenerDeclaration[] {
  const { outputFiles } = buildSync({
    entryPoints: [resolve(hostEntry)],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    mainFields: ['module', 'main'],
    absWorkingDir: packageRoot,
    logLevel: 'silent',
  });
  const module: { exports: { default?: Host } } = { exports: {} };
  const code = outputFiles[0]?.text ?? '';
  compileFunction(code, ['module', 'exports', 'require'])(module, module.exports, require);
  return flattenListeners(module.exports.default?.listeners);
}
