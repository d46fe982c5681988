import { config } from 'zod';
import '../tools/extensionless-imports.ts';

// As in bundles (lib/bundling/bundle.ts): tests make the routes of a module a thousand times, and a parser that is compiled
// for each schema pays from hundreds of calls on.
config({ jitless: true });
