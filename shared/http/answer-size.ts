import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { httpProblems } from '../problems/http-problems.ts';
import { Problem } from '../problems/problem.ts';
import { CURSOR_AFTER, type CutPage, cutPage, type Page } from './paging.ts';
import type { Reply } from './reply.ts';
import { type ResponseFacts, toResponse } from './respond.ts';
import type { Route } from './route.ts';

type Response = APIGatewayProxyStructuredResultV2;

/** Lambda's response limit (6 MB for the response as JSON, body as a string in it), less a reserve. */
export const MAX_RESPONSE_BYTES = 6 * 1_048_576 - 16_384;
/** Largest number of bytes of one character in JSON: `\u0000`. */
const MAX_BYTES_PER_CHARACTER = 6;
/** Characters of a problem's detail when the whole problem was too large. */
const MAX_DETAIL_LENGTH = 2_000;
/** Placeholder for the cursor of a page that is cut, used while measuring. */
const LONGEST_CURSOR = 'x'.repeat(2_048);

/**
 * Turns a reply into a response within Lambda's limit. A page that is too large is cut to its first entries,
 * and `nextCursor` fetches the rest.
 * @throws Problem `ANSWER_TOO_LARGE` (422) for any other oversized response, and for a page whose first entry is too large
 */
export function toFittingResponse(reply: Reply, facts: ResponseFacts, route: Route): Response {
  const response = toResponse(reply, facts);
  if (fits(response)) return response;
  if (!isCuttable(reply.body)) throw tooLarge(bytesOf(response), reply.body, reply, route);
  return toResponse({ ...reply, body: cut(reply.body, reply, facts, route) }, facts);
}

/**
 * Turns a problem into a response within Lambda's limit: one that is too large loses its list of violations and its
 * extension members.
 * @param respond renders a problem in the format of the route.
 */
export function toFittingProblem(
  problem: Problem,
  respond: (problem: Problem) => Response,
): Response {
  const response = respond(problem);
  if (fits(response)) return response;
  const detail = problem.detail.slice(0, MAX_DETAIL_LENGTH).toWellFormed();
  return respond(new Problem(problem, { detail, headers: problem.headers }));
}

function cut(
  page: CutPage<unknown>,
  reply: Reply,
  facts: ResponseFacts,
  route: Route,
): Page<unknown> {
  const frame = { ...page, content: [], nextCursor: LONGEST_CURSOR };
  let room = MAX_RESPONSE_BYTES - bytesOf(toResponse({ ...reply, body: frame }, facts));
  const fitting = page.content.findIndex((entry) => {
    room -= bytesInText(JSON.stringify(entry)) + 1;
    return room < 0;
  });
  if (fitting === 0) {
    const nextCursor = page.content.length > 1 ? page[CURSOR_AFTER](0) : page.nextCursor;
    const [entry] = page.content;
    throw tooLarge(bytesInText(JSON.stringify(entry)), entry, reply, route, { nextCursor });
  }
  return cutPage(page, page.content.slice(0, fitting));
}

function isCuttable(body: unknown): body is CutPage<unknown> {
  return typeof body === 'object' && body !== null && CURSOR_AFTER in body;
}

function tooLarge(
  sizeBytes: number,
  resource: unknown,
  { headers = {}, fileOf }: Reply,
  { method, query, whenTooLarge }: Route,
  extensions: Readonly<Record<string, unknown>> = {},
): Error {
  const done = method === 'GET' ? '' : ' The call has been carried out.';
  const advice = whenTooLarge ?? (takes(query, 'fields') ? NAME_FIELDS : '');
  const link = fileOf?.(resource);
  const remedy = `${done} ${advice}${link ? ' The link is to a file with it.' : ''}`.trim();
  const { etag, location } = headers;
  return httpProblems.answerTooLarge(
    { sizeBytes, maxBytes: MAX_RESPONSE_BYTES, remedy },
    {
      headers: { ...(etag && { etag }), ...(location && { location }) },
      extensions: { sizeBytes, maxBytes: MAX_RESPONSE_BYTES, ...extensions, ...(link && { link }) },
    },
  );
}

const NAME_FIELDS = 'Name the fields that are needed in the query parameter fields.';

/** Whether a route can return less, or documents what to do about an oversized response. */
export const mayBeTooLarge = ({ query, whenTooLarge }: Route): boolean =>
  whenTooLarge !== undefined || takes(query, 'fields') || takes(query, 'cursor');

const takes = (query: Route['query'], name: string): boolean =>
  query !== undefined && 'shape' in query && Object.hasOwn(query.shape as object, name);

/** Only measure bodies that may exceed the limit. */
function fits(response: Response): boolean {
  const characters = response.body?.length ?? 0;
  if (response.isBase64Encoded ? characters < MAX_RESPONSE_BYTES / 2 : isSmall(characters)) {
    return true;
  }
  return bytesOf(response) <= MAX_RESPONSE_BYTES;
}

const isSmall = (characters: number): boolean =>
  characters * MAX_BYTES_PER_CHARACTER < MAX_RESPONSE_BYTES / 2;

const bytesOf = (response: Response): number => Buffer.byteLength(JSON.stringify(response));

/** Bytes of a JSON text embedded as a JSON string: quotes and line ends are escaped again. */
const bytesInText = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;
