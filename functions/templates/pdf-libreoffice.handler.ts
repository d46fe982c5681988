import { createLibreOfficeFunction } from './pdf/libreoffice/libreoffice-function.ts';
import { isEngineThread } from './pdf/libreoffice/thread.ts';

// The thread of the engine loads the same file; it answers no calls.
export const handler = isEngineThread ? undefined : createLibreOfficeFunction();
