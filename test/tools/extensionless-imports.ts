/**
 * Lets Node load packages whose modules import each other without a file extension, and JSON without
 * import attributes, as bundlers allow it (`cmmn-moddle`, `moddle`, `moddle-xml`, `min-dash`).
 * The functions are bundled and the tests inline these packages, so only commands need it:
 * `node --import ./test/tools/extensionless-imports.ts <command>.ts`.
 */
import { existsSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const PACKAGES = /\/node_modules\/(?:cmmn-moddle|moddle|moddle-xml|min-dash)\//;

const isFile = (url: URL): boolean => {
  const path = fileURLToPath(url);
  return existsSync(path) && statSync(path).isFile();
};

registerHooks({
  resolve(specifier, context, nextResolve) {
    const parent = context.parentURL;
    if (parent && PACKAGES.test(parent) && /^\.{1,2}\//.test(specifier)) {
      for (const ending of ['', '.js', '/index.js']) {
        const url = new URL(specifier + ending, parent);
        if (isFile(url)) return nextResolve(url.href, context);
      }
    }
    if (parent && PACKAGES.test(parent) && specifier.startsWith('moddle/lib/')) {
      return nextResolve(`${specifier}.js`, context);
    }
    return nextResolve(specifier, context);
  },
  load(url, context, nextLoad) {
    if (url.endsWith('.json') && PACKAGES.test(url)) {
      return nextLoad(url, { ...context, importAttributes: { type: 'json' } });
    }
    return nextLoad(url, context);
  },
});
