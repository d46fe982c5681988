import { answered } from './send.ts';

/** @see Amazon SQS API Reference, SendMessage: the characters of XML 1.0 */
const NOT_ALLOWED = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** What a queue answers to a body that it does not take; `undefined`: it takes it. */
export const refusalOf = (body: string): Error | undefined =>
  NOT_ALLOWED.test(body) ? answered('InvalidMessageContents', 400) : undefined;
