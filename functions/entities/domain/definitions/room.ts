import { problems } from '../../errors.ts';
import type { EntityDefinition, IncomingReference } from '../entity/entity.ts';
import { pointerTo } from '../entity/pointer.ts';

/** Largest definition without its form and fields, in bytes of its JSON: it is one item of 400 KB, and jobs add to it. */
const MAX_BYTES = 350_000;
/** Share of that which the references of other entities may take. */
const MAX_INCOMING_BYTES = 100_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** @throws Problem `INVALID_SCHEMA` (400) for a definition that no item holds */
export function checkRoom({ schemaText: _text, fields: _fields, ...rest }: EntityDefinition): void {
  const bytes = bytesOf(rest);
  if (bytes <= MAX_BYTES) return;
  const detail = `makes the definition too large, with ${bytes} bytes of at most ${MAX_BYTES} for its indexes and policies, what refers to it, and the changes that its records have still to follow: wait for the jobs of earlier changes, or declare less at once`;
  throw problems.invalidSchema([{ pointer: '/properties', code: 'TOO_BIG', detail }]);
}

/**
 * @param source entity whose references are new
 * @throws Problem `INVALID_SCHEMA` (400) when the definition of their target has no room for them
 */
export function checkIncoming(
  target: string,
  incoming: readonly IncomingReference[],
  source: string,
): void {
  const last = incoming.findLast(({ entity }) => entity === source);
  if (!last || bytesOf(incoming) <= MAX_INCOMING_BYTES) return;
  const pointer = `/properties${pointerTo(last.field)}/x-reference`;
  const detail = `is one reference too many to ${target}: those of all entities take at most ${MAX_INCOMING_BYTES} bytes of its definition`;
  throw problems.invalidSchema([{ pointer, code: 'TOO_MANY', detail }]);
}
