import { faultPoint } from '../../primitives/fault-point.ts';
import type { Log } from '../../primitives/log.ts';
import { timeLimit } from '../../primitives/time-limit.ts';
import type { SendableRow } from '../outbox/key-order.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxRow } from '../outbox/outbox-row.ts';
import { type MessageSender, SEND_TIMED_OUT, type SendOutcome } from '../outbox/sender.ts';
import type { AnsweringTime } from '../wire/answering-time.ts';
import type { MessagingMetrics } from '../wire/messaging-metrics.ts';

export interface CommitSenderDependencies {
  readonly outbox: Outbox;
  readonly sender: MessageSender;
  readonly sendingTime: AnsweringTime;
  readonly metrics: MessagingMetrics;
  readonly isRelayEnabled: boolean;
  readonly log: Log;
}

/** One round of sends after a commit. */
interface Round {
  /** Ids that the broker has. */
  readonly sent: Set<string>;
  readonly signal: AbortSignal;
}

/**
 * Sends rows right after their commit. It never throws: the request does not fail when the bus is unavailable or a mark
 * cannot be stored, and the relay sends the rest.
 */
export class CommitSender {
  readonly #deps: CommitSenderDependencies;

  constructor(dependencies: CommitSenderDependencies) {
    this.#deps = dependencies;
  }

  /** @returns ids of the rows that the broker has. */
  async send(rows: readonly OutboxRow[]): Promise<ReadonlySet<string>> {
    const sent = new Set<string>();
    if (rows.length === 0) return sent;
    const limit = timeLimit(this.#deps.sendingTime.left());
    const round = { sent, signal: limit.signal };
    await this.#sendAtOnce(
      rows.filter(({ sequence }) => sequence === undefined),
      round,
    );
    for (const row of rows) if (row.sequence !== undefined) await this.#sendInTurn(row, round);
    limit.end();
    return sent;
  }

  async #sendAtOnce(rows: readonly SendableRow[], { sent, signal }: Round): Promise<void> {
    if (rows.length === 0) return;
    const outcomes = await this.#deps.sender.send(rows, signal);
    faultPoint('before-mark');
    const all = [...outcomes.values()];
    if (all.some(isTimedOut)) this.#deps.sendingTime.missed();
    await Promise.all(
      rows.map(async (row) => {
        const outcome = outcomes.get(row.id);
        if (outcome?.kind === 'sent') sent.add(row.id);
        await this.#mark(row, outcome);
      }),
    );
    const count = all.filter(({ kind }) => kind === 'sent').length;
    this.#deps.metrics.sent(count, rows.length - count);
  }

  /** A mark that fails concerns its row only: the relay sends it again under the same messageId. */
  async #mark(row: SendableRow, outcome: SendOutcome | undefined): Promise<void> {
    const { outbox, log } = this.#deps;
    try {
      if (outcome?.kind === 'sent') {
        await outbox.settleSent(row);
        return;
      }
      this.#logFailure(row, outcome?.kind === 'failed' ? outcome.error.code : 'MQ_SEND_LATER');
      if (outcome?.kind === 'failed') await outbox.settleFailed(row, outcome.error);
    } catch (cause) {
      const { topic, messageId } = row;
      log.error('A message could not be marked after its send', { topic, messageId, cause });
    }
  }

  async #sendInTurn(row: OutboxRow, round: Round): Promise<void> {
    if (round.signal.aborted) return;
    const { outbox, log } = this.#deps;
    const { topic, messageId } = row;
    try {
      const reached = await outbox.order.reached(row);
      if (row.sequence === reached.sequence + 1) {
        await this.#sendAtOnce([{ ...row, reached }], round);
      }
    } catch (cause) {
      log.error('The turn of a message cannot be read', { topic, messageId, cause });
    }
  }

  #logFailure({ topic, messageId }: OutboxRow, code: string): void {
    const { log, isRelayEnabled } = this.#deps;
    log.warn('A message could not be sent after its commit', {
      topic,
      messageId,
      code,
      isRelayEnabled,
    });
  }
}

const isTimedOut = (outcome: SendOutcome): boolean =>
  outcome.kind === 'failed' && outcome.error.code === SEND_TIMED_OUT;
