import { buildApiDescription, describedModule } from '../../lib/bundling/openapi.ts';
import { platformModules } from '../../lib/modules.ts';
import type { OpenApiDocument } from '../../shared/openapi/document.ts';

/** Prints the API description of all modules. */
export function wholeApiDescription(): OpenApiDocument {
  return buildApiDescription(platformModules.flatMap(describedModule));
}

if (import.meta.main)
  process.stdout.write(`${JSON.stringify(wholeApiDescription(), undefined, 2)}\n`);
