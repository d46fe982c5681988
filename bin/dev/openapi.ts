import { extname } from 'node:path';
import { functionEntries, packageRoot } from '../../lib/bundling/bundle.ts';
import { buildApiDescription } from '../../lib/bundling/openapi.ts';
import { platformModules } from '../../lib/modules.ts';
import type { OpenApiDocument } from '../../shared/openapi/document.ts';

/** The whole API description, of every module there is. */
export function wholeApiDescription(): OpenApiDocument {
  const entries = functionEntries(platformModules).flatMap(({ apiEntry }) => apiEntry ?? []);
  return buildApiDescription({
    entries,
    root: packageRoot,
    extension: extname(import.meta.filename),
  });
}

if (import.meta.main)
  process.stdout.write(`${JSON.stringify(wholeApiDescription(), undefined, 2)}\n`);
