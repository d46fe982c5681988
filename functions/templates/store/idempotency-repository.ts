import { createHash } from 'node:crypto';
import type { KeptCall } from '../../../shared/security/kept-call.ts';
import { notExists } from '../../../shared/store/conditions.ts';
import {
  isUnanswered,
  KEPT_SECONDS,
  type KeptAnswer,
  keptAnswerItem,
} from '../../../shared/store/kept-answer-items.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { orderedJson } from '../domain/values/ordered-json.ts';
import { bodyKey } from './generation-keys.ts';

interface BodyKeyItem extends Item {
  readonly generationId: string;
  readonly requestHash: string;
}

/** The keys of a call that generates once only: that of the body, that of the header, both or none. */
export interface CallKeys {
  readonly templateId: string;
  readonly idempotencyKey?: string | undefined;
  readonly header?: KeptCall | undefined;
  /** Of what is generated. */
  readonly requestHash: string;
}

/** What is stored under the keys of a call. */
export interface KnownCall {
  readonly generationId: string;
  /** Whether the keys were used for the same request. */
  readonly isSame: boolean;
}

/** The header was used for another request. */
export class HeaderReused extends Error {}

/** Which generation a key stands for. */
export class IdempotencyRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  /** @param nowS epoch seconds. @throws HeaderReused */
  async find(keys: CallKeys, nowS: number): Promise<KnownCall | undefined> {
    const { header, idempotencyKey, templateId, requestHash } = keys;
    if (header) {
      const kept = await this.#table.get<KeptAnswer>(header.key);
      if (kept && kept.ttl > nowS) {
        if (kept.requestHash !== header.requestHash) throw new HeaderReused();
        const { generationId } = JSON.parse(kept.reply) as { readonly generationId: string };
        return { generationId, isSame: true };
      }
    }
    if (idempotencyKey === undefined) return undefined;
    const item = await this.#table.get<BodyKeyItem>(bodyKey(templateId, idempotencyKey));
    return item && { generationId: item.generationId, isSame: item.requestHash === requestHash };
  }

  /**
   * Stages that the keys of a call stand for a new generation; whoever has stored one meanwhile wins, and the unit runs again.
   * @param replaced the cancelled generation that the keys stood for
   */
  stage(
    unit: UnitOfWork,
    { header, idempotencyKey, templateId, requestHash }: CallKeys,
    generationId: string,
    { nowS, replaced }: { readonly nowS: number; readonly replaced?: string | undefined },
  ): void {
    if (header) {
      const reply = JSON.stringify({ generationId });
      const answer = { requestHash: header.requestHash, reply, ttl: nowS + KEPT_SECONDS };
      const condition = replaced === undefined ? isUnanswered(nowS) : heldBy(replaced, nowS);
      unit.put(keptAnswerItem(header.key, answer), { condition, otherwise: 'retry' });
    }
    if (idempotencyKey === undefined) return;
    unit.put(
      {
        ...bodyKey(templateId, idempotencyKey),
        ...{ type: 'TEMPLATE_KEY', generationId, requestHash },
      },
      {
        condition:
          replaced === undefined
            ? notExists
            : {
                expression: 'attribute_not_exists(pk) OR #generationId = :replaced',
                names: { '#generationId': 'generationId' },
                values: { ':replaced': replaced },
              },
        otherwise: 'retry',
      },
    );
  }
}

const heldBy = (generationId: string, nowS: number) => ({
  expression: 'attribute_not_exists(pk) OR #ttl <= :now OR #reply = :replaced',
  names: { '#ttl': 'ttl', '#reply': 'reply' },
  values: { ':now': nowS, ':replaced': JSON.stringify({ generationId }) },
});

/** Compares what two requests say. */
export const hashOf = (request: unknown): string =>
  createHash('sha256').update(orderedJson(request)).digest('base64url');
