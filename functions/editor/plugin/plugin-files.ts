import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from '../../../shared/primitives/once.ts';

/** A file of the plugin. */
export interface PluginFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Quoted. */
  readonly etag: string;
  /** What the editing server asks for anew each time. */
  readonly isEntry: boolean;
}

/** Values that the page takes from the configuration. */
export interface PageValues {
  /** Address of the editor's script for plugins. */
  readonly pluginScript: string;
  /** API that is asked where the options of the plugin name none; empty: none. */
  readonly apiBaseUrl: string;
}

/** Files that are served; whatever else is asked for does not exist. */
const FILES: Readonly<Record<string, { readonly type: string; readonly isEntry?: boolean }>> = {
  'config.json': { type: 'application/json', isEntry: true },
  'index.html': { type: 'text/html; charset=utf-8', isEntry: true },
  'style.css': { type: 'text/css; charset=utf-8' },
  'texts.js': { type: 'text/javascript; charset=utf-8' },
  'reading.js': { type: 'text/javascript; charset=utf-8' },
  'code.js': { type: 'text/javascript; charset=utf-8' },
  'icon-light.png': { type: 'image/png' },
  'icon-light-2x.png': { type: 'image/png' },
  'icon-dark.png': { type: 'image/png' },
  'icon-dark-2x.png': { type: 'image/png' },
};

/** Names of the files. */
export const PLUGIN_FILES: readonly string[] = Object.keys(FILES);

/**
 * The files of the plugin, each read once.
 * @param folder their folder.
 * @returns a function that finds a file by its name; `undefined` when there is none.
 */
export function pluginFiles(
  folder: string,
  values: PageValues,
): (name: string) => Promise<PluginFile | undefined> {
  const readers = new Map(
    Object.entries(FILES).map(([name, { type, isEntry = false }]) => [
      name,
      once(async (): Promise<PluginFile> => {
        const stored = await readFile(join(folder, name));
        const bytes = name === 'index.html' ? filled(stored, values) : stored;
        const sum = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
        return { contentType: type, bytes, etag: `"${sum}"`, isEntry };
      }),
    ]),
  );
  return async (name) => readers.get(name)?.();
}

function filled(page: Buffer, { pluginScript, apiBaseUrl }: PageValues): Buffer {
  const text = page
    .toString('utf8')
    .replace('%PLUGIN_SCRIPT%', () => escapeAttribute(pluginScript))
    .replace('%API_BASE_URL%', () => escapeAttribute(apiBaseUrl));
  return Buffer.from(text);
}

const escapeAttribute = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
