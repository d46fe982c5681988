import { createHash } from 'node:crypto';
import type { Reply } from '../http/reply.ts';
import type { Clock } from '../primitives/clock.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { KeptCall } from '../security/kept-call.ts';
import {
  isUnanswered,
  KEPT_SECONDS,
  type KeptAnswer,
  keptAnswerItem,
  keptAnswerKey,
} from '../store/kept-answer-items.ts';
import type { Table } from '../store/table.ts';
import type { RunUnitOfWork } from '../store/unit-of-work.ts';

/** A call with an `Idempotency-Key`. */
export interface IdempotentCall {
  readonly module: string;
  /** The key, scoped to caller and route. */
  readonly key: string;
  readonly callerId: string;
  /** Issuer of the caller's token: subjects of two issuers are two callers. */
  readonly issuer?: string | undefined;
  /** Tenant of the caller: the same user may act for several. */
  readonly tenant?: string | undefined;
  readonly operationId: string;
  /** Query and body as text: the same key with another text is refused. */
  readonly body: string;
}

/** Largest stored reply: below the 400 KB limit of an item, with room for its other attributes. */
const MAX_REPLY_BYTES = 390_000;

/** Makes the answer of a repeated call. @param kept what the first one has kept instead of its answer */
type Replay = (kept: unknown) => Promise<Reply>;

/**
 * Runs a call once for each key. The response, or what it keeps instead, is stored in the transaction of its effect, so
 * of two calls at the same time one runs and the other gets its response; a failed call stores nothing and may be repeated.
 * @returns the answer and whether it is a replay.
 * @throws Problem `IDEMPOTENCY_KEY_REUSED` (422)
 * @see draft-ietf-httpapi-idempotency-key-header
 */
export function runIdempotent(
  call: IdempotentCall,
  work: () => Promise<Reply>,
  { table, unitOfWork, clock }: { table: Table; unitOfWork: RunUnitOfWork; clock: Clock },
  replay?: Replay,
): Promise<Reply> {
  const { key, requestHash } = keptCall(call);
  return unitOfWork(async (unit) => {
    const now = Math.floor(clock.now() / 1_000);
    const seen = await table.get<KeptAnswer>(key);
    if (seen && seen.ttl > now) {
      if (seen.requestHash !== requestHash) throw httpProblems.idempotencyKeyReused();
      const reply = await answerOf(seen.reply, replay);
      return { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } };
    }
    const reply = await work();
    const answer = { requestHash, reply: replyText(reply), ttl: now + KEPT_SECONDS };
    unit.put(keptAnswerItem(key, answer), { condition: isUnanswered(now), otherwise: 'retry' });
    return reply;
  });
}

/** Where the answer of a call is kept. */
export function keptCall(call: IdempotentCall): KeptCall {
  const { callerId, issuer, operationId, tenant } = call;
  const caller = issuer === undefined ? callerId : [issuer, callerId];
  const id = sha256(JSON.stringify([caller, operationId, call.key, ...(tenant ? [tenant] : [])]));
  return { key: keptAnswerKey(call.module, id), requestHash: sha256(call.body) };
}

/** @throws Problem `PAYLOAD_TOO_LARGE` (413) when the response does not fit an item; nothing is written then */
function replyText(reply: Reply): string {
  const text = JSON.stringify(keptPartOf(reply));
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= MAX_REPLY_BYTES) return text;
  const detail = `The answer would be kept for the Idempotency-Key with ${sizeBytes} bytes, at most ${MAX_REPLY_BYTES} can be. Nothing was done: ask for less at once, or call without the Idempotency-Key.`;
  throw httpProblems.payloadTooLarge({ maxBytes: MAX_REPLY_BYTES, detail });
}

function keptPartOf({ body, kept, ...reply }: Reply): object {
  if (kept !== undefined) return { kept };
  if (!(body instanceof Uint8Array)) return { ...reply, body };
  return { ...reply, bytes: Buffer.from(body).toString('base64') };
}

async function answerOf(text: string, replay: Replay | undefined): Promise<Reply> {
  const { kept } = JSON.parse(text) as Pick<Reply, 'kept'>;
  return kept !== undefined && replay ? replay(kept) : readReply(text);
}

/** JSON has no bytes: they are kept apart from other bodies, as base64. */
function readReply(text: string): Reply {
  const { bytes, ...reply } = JSON.parse(text) as Reply & { readonly bytes?: string };
  return bytes === undefined ? reply : { ...reply, body: Buffer.from(bytes, 'base64') };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
