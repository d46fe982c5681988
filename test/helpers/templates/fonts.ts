import { fileURLToPath } from 'node:url';

/** A folder with a font that has a few Chinese letters. */
export const HAN_FONTS = fileURLToPath(new URL('./fonts', import.meta.url));
