import { join } from 'node:path';

/** Files of the plugin: beside this file, in the sources and in the bundle. */
export const pluginFolder = (): string => join(import.meta.dirname, 'assets', 'merge-field');
