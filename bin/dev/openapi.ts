import { buildApiDescription, describedModule } from '../../lib/bundling/openapi.ts';
import { platformModules } from '../../lib/modules.ts';
import type { OpenApiDocument } from '../../shared/openapi/document.ts';

/** The whole API description, of every module there is. */
export function wholeApiDescription(): OpenApiDocument {
  return buildApiDescription(platformModules.flatMap(describedModule));
}

if (import.meta.main)
  process.stdout.write(`${JSON.stringify(wholeApiDescription(), undefined, 2)}\n`);
