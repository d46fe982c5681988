import { createChromiumFunction } from './pdf/chromium/chromium-function.ts';

export const handler = createChromiumFunction();
