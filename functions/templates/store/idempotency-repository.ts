import { createHash } from 'node:crypto';
import type { KeptCall } from '../../../shared/security/kept-call.ts';
import { notExists } from '../../../shared/store/conditions.ts';
import {
  isUnanswered,
  KEPT_SECONDS,
  type KeptAnswer,
  keptAnswerItem,
} from '../../../shared/store/kept-answer-items.ts';
import type { Condition, Item, Table } from '../../../shared/store/table.ts';
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

  /**
   * @param nowS epoch seconds
   * @param gone generations that the keys no longer stand for
   * @throws HeaderReused
   */
  async find(
    keys: CallKeys,
    nowS: number,
    gone: readonly string[] = [],
  ): Promise<KnownCall | undefined> {
    const { header, idempotencyKey, templateId, requestHash } = keys;
    if (header) {
      const kept = await this.#table.get<KeptAnswer>(header.key);
      if (kept && kept.ttl > nowS) {
        if (kept.requestHash !== header.requestHash) throw new HeaderReused();
        const { generationId } = JSON.parse(kept.reply) as { readonly generationId: string };
        if (!gone.includes(generationId)) return { generationId, isSame: true };
      }
    }
    if (idempotencyKey === undefined) return undefined;
    const item = await this.#table.get<BodyKeyItem>(bodyKey(templateId, idempotencyKey));
    if (!item || gone.includes(item.generationId)) return undefined;
    return { generationId: item.generationId, isSame: item.requestHash === requestHash };
  }

  /**
   * Stages that the keys of a call stand for a new generation; whoever has stored one meanwhile wins, and the unit runs again.
   * @param gone generations that the keys stood for, and no longer do
   */
  stage(
    unit: UnitOfWork,
    { header, idempotencyKey, templateId, requestHash }: CallKeys,
    generationId: string,
    { nowS, gone }: { readonly nowS: number; readonly gone: readonly string[] },
  ): void {
    if (header) {
      const reply = JSON.stringify({ generationId });
      const answer = { requestHash: header.requestHash, reply, ttl: nowS + KEPT_SECONDS };
      const condition = gone.length === 0 ? isUnanswered(nowS) : heldBy(gone, nowS);
      unit.put(keptAnswerItem(header.key, answer), { condition, otherwise: 'retry' });
    }
    if (idempotencyKey === undefined) return;
    unit.put(
      {
        ...bodyKey(templateId, idempotencyKey),
        ...{ type: 'TEMPLATE_KEY', generationId, requestHash },
      },
      { condition: gone.length === 0 ? notExists : standsFor(gone), otherwise: 'retry' },
    );
  }
}

const standsFor = (generationIds: readonly string[]): Condition => {
  const { list, values } = oneOf(generationIds);
  return {
    ...{ expression: `attribute_not_exists(pk) OR #generationId IN (${list})`, values },
    names: { '#generationId': 'generationId' },
  };
};

const heldBy = (generationIds: readonly string[], nowS: number): Condition => {
  const replies = generationIds.map((generationId) => JSON.stringify({ generationId }));
  const { list, values } = oneOf(replies);
  return {
    expression: `attribute_not_exists(pk) OR #ttl <= :now OR #reply IN (${list})`,
    names: { '#ttl': 'ttl', '#reply': 'reply' },
    values: { ...values, ':now': nowS },
  };
};

function oneOf(texts: readonly string[]) {
  const named = texts.map((text, at) => [`:gone${at}`, text] as const);
  return { list: named.map(([name]) => name).join(), values: Object.fromEntries(named) };
}

/** Compares what two requests say. */
export const hashOf = (request: unknown): string =>
  createHash('sha256').update(orderedJson(request)).digest('base64url');
