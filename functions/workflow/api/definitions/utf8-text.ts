import { lazy } from '../../../../shared/primitives/lazy.ts';

const decoder = lazy(() => new TextDecoder('utf-8', { fatal: true }));

/** The text of a document that was sent as bytes; `undefined` when it is not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return decoder().decode(bytes);
  } catch {
    return undefined;
  }
}
