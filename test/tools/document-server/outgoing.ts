import { setTimeout as sleep } from 'node:timers/promises';
import { sign } from './jwt.ts';

/** How the stand-in calls others. */
export interface OutgoingOptions {
  readonly secret: string;
  /** Pauses before the next tries of a save; the document server waits 1, 2 and 4 s. */
  readonly retryDelaysMs: readonly number[];
  /** Pause between the tries of a download. */
  readonly downloadPauseMs: number;
}

/** What came of a callback. */
export interface CallbackResult {
  readonly isAccepted: boolean;
  readonly tries: number;
  /** Status of the last answer; 0: none. */
  readonly status: number;
}

/** A callback that was sent. */
export interface SentCallback extends CallbackResult {
  readonly key: string;
  readonly callbackStatus: number;
}

const DOWNLOAD_TRIES = 3;
const DOWNLOAD_TIMEOUT_MS = 120_000;
const MAX_DOWNLOAD_BYTES = 104_857_600;
const CALLBACK_TIMEOUT_MS = 600_000;
const MAX_HEADER_TOKEN = 7_168;
const RETRIED = new Set([2, 3]);

/** Downloads a document: a plain GET that follows redirects. Every failure is tried again. */
export async function download(
  url: string,
  { secret, downloadPauseMs }: OutgoingOptions,
): Promise<Uint8Array> {
  let failure: unknown;
  for (let tries = 0; tries < DOWNLOAD_TRIES; tries += 1) {
    if (tries > 0) await sleep(downloadPauseMs);
    try {
      const answer = await fetch(url, {
        headers: { authorization: `Bearer ${sign({ payload: { url } }, secret)}` },
        signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS),
      });
      if (!answer.ok) throw new Error(`the download is answered with ${answer.status}`);
      return await readLimited(answer);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function readLimited({ body }: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_DOWNLOAD_BYTES) throw new Error('the document is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/**
 * Sends a callback, a save again while it may pass. Every try is made anew: another token, another checksum in the
 * address of the file.
 */
export async function sendCallback(
  url: string,
  makeBody: () => Readonly<Record<string, unknown>>,
  options: OutgoingOptions,
): Promise<CallbackResult> {
  for (let tries = 1; ; tries += 1) {
    const body = makeBody();
    const { status, isAccepted } = await post(url, body, options.secret);
    const pause = options.retryDelaysMs[tries - 1];
    const mayPass = status === 0 || status === 429 || (status >= 500 && status <= 599);
    if (isAccepted || !mayPass || pause === undefined || !RETRIED.has(Number(body.status))) {
      return { isAccepted, tries, status };
    }
    await sleep(pause);
  }
}

async function post(url: string, body: Readonly<Record<string, unknown>>, secret: string) {
  try {
    const sent = signedCallback(body, secret);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: sent.authorization },
      body: JSON.stringify(sent.body),
      signal: AbortSignal.timeout(CALLBACK_TIMEOUT_MS),
    });
    const text = await answer.text();
    return { status: answer.status, isAccepted: answer.ok && isAcceptance(text) };
  } catch {
    return { status: 0, isAccepted: false };
  }
}

/** A body and its header. What would make the header too long is left out of both; the token of the body has all. */
function signedCallback(whole: Readonly<Record<string, unknown>>, secret: string) {
  const token = sign(whole, secret);
  const header = (body: object) => `Bearer ${sign({ payload: body }, secret)}`;
  if (header(whole).length <= MAX_HEADER_TOKEN) {
    return { body: { ...whole, token }, authorization: header(whole) };
  }
  const { changesurl, ...short } = whole;
  const body = { ...short, history: {} };
  return { body: { ...body, token }, authorization: header(body) };
}

function isAcceptance(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text);
    if (answer === 0 || answer === '0') return true;
    return Number((answer as { readonly error?: unknown }).error) === 0;
  } catch {
    return false;
  }
}
