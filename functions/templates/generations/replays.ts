import type { Principal } from '../../../shared/security/principal.ts';
import { codesOf, type Generation } from '../domain/documents/generation.ts';
import type { KnownCall } from '../store/idempotency-repository.ts';

/**
 * Whether a call with the keys of an earlier one gets its generation. A cancelled one is generated anew, as is what has
 * failed of another request; that of another tenant does not exist.
 */
export const isAnswer = (
  { status, tenant }: Generation,
  { isSame }: KnownCall,
  principal: Principal,
): boolean =>
  status !== 'CANCELLED' && (isSame || status !== 'FAILED') && tenant === (principal.tenant ?? '');

const MISMATCH = 'IDEMPOTENT_PAYLOAD_MISMATCH';

/** The earlier result is the answer to another request with its key, too; a warning says so. */
export const marked = (generation: Generation, isSame: boolean): Generation =>
  isSame
    ? generation
    : {
        ...generation,
        warningCodes: codesOf([...generation.warningCodes, MISMATCH].map((code) => ({ code }))),
        warnings: [
          ...generation.warnings,
          { code: MISMATCH, message: 'The key was used for another request.' },
        ],
      };
