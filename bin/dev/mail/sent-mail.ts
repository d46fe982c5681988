import * as z from 'zod';
import { paint } from '../terminal/output.ts';

const answer = z.object({
  messages: z.record(
    z.string(),
    z.array(
      z.object({
        Source: z.string(),
        To: z.array(z.string()),
        Subject: z.string(),
        BodyText: z.string().nullish(),
        /** Seconds since 1970. */
        Timestamp: z.number(),
      }),
    ),
  ),
});

/** A mail that the local cloud has kept instead of sending it. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly sentAt: Date;
}

/** Where the local cloud shows what was sent; other clouds have no such address. */
export const mailAddress = (endpoint: string): URL => new URL('/_ministack/ses/messages', endpoint);

/** The mails of an answer, the newest last. */
export const mailsOf = (body: unknown): readonly SentMail[] =>
  Object.values(answer.parse(body).messages)
    .flat()
    .sort((a, b) => a.Timestamp - b.Timestamp)
    .map(({ Source, To, Subject, BodyText, Timestamp }) => ({
      ...{ from: Source, to: To, subject: Subject, text: BodyText ?? '' },
      sentAt: new Date(Timestamp * 1_000),
    }));

/** A mail as it is printed. Control characters are left out: a text may come from anybody. */
export function formatMail({ from, to, subject, text, sentAt }: SentMail): string {
  const head = `${paint('dim', sentAt.toTimeString().slice(0, 8))} ${paint('cyan', to.join(', '))}`;
  const lines = plain(text).trimEnd().split('\n');
  return [
    `${head}  ${paint('bold', plain(subject))}`,
    paint('dim', `from ${from}`),
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

const plain = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, '');
