import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MAX_RESPONSE_BYTES } from '../../../../shared/http/answer-size.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { created, ok } from '../../../../shared/http/reply.ts';
import { capability, route } from '../../../../shared/http/route.ts';
import { connectModule } from '../../../../shared/lambda/handlers/create-handler.ts';
import type { Module } from '../../../../shared/lambda/module-context.ts';
import { apiEvent, lambdaContext } from '../../../helpers/api/api-event.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const LAMBDA_LIMIT = 6 * 1_048_576;
const shared = { access: capability, responses: { 200: { description: 'OK' } }, summary: 'Reads' };

/** A list of texts, as a service with cursors shows it, and single resources of any size. */
function aLibrary(texts: readonly string[] = []): Module {
  const pages = { cursor: z.string().optional(), size: z.coerce.number().default(200) };
  return {
    routes: [
      route({
        ...shared,
        operationId: 'list',
        method: 'GET',
        path: '/texts',
        query: z.strictObject(pages),
        handle: async ({ query: { cursor, size } }) => {
          const [number = 0, from = 0] = (cursor ?? '0.0').split('.').map(Number);
          const content = texts
            .slice(from, from + size)
            .map((text, at) => ({ id: from + at, text }));
          const isLast = from + size >= texts.length;
          const cursorAfter = (index: number) => `${number + 1}.${from + index + 1}`;
          const nextCursor = isLast ? undefined : cursorAfter(content.length - 1);
          const total = { value: texts.length, relation: 'eq' } as const;
          const page = toPage({ content, number, size, nextCursor, total, cursorAfter });
          return ok({ ...page, complete: true });
        },
      }),
      route({
        ...shared,
        operationId: 'get',
        method: 'GET',
        path: '/texts/{id}',
        params: z.strictObject({ id: z.string() }),
        query: z.strictObject({ fields: z.string().optional() }),
        handle: async ({ params: { id } }) => ok({ text: 'x'.repeat(Number(id)) }),
      }),
      route({
        ...shared,
        operationId: 'save',
        method: 'POST',
        path: '/texts',
        whenTooLarge: 'Read it in parts.',
        handle: async () => created('/texts/7', { text: 'x'.repeat(7_000_000) }, { etag: '"1"' }),
      }),
      route({
        ...shared,
        operationId: 'file',
        method: 'GET',
        path: '/file/{id}',
        params: z.strictObject({ id: z.string() }),
        whenTooLarge: 'Follow the link.',
        handle: async ({ params: { id } }) =>
          ok(Buffer.alloc(Number(id)), { 'content-type': 'image/png' }),
      }),
    ],
  };
}

interface TextPage {
  readonly content: readonly { readonly id: number }[];
  readonly number: number;
  readonly numberOfElements: number;
  readonly last: boolean;
  readonly nextCursor: string | null;
}

function aReader(texts: readonly string[] = []) {
  const context = aContext();
  const handler = connectModule(() => aLibrary(texts), context);
  const { call } = connect(() => aLibrary(texts), context);
  /** Bytes of the response as Lambda takes it, and its body. */
  const read = async (path: string) => {
    const event = apiEvent({ method: 'GET', path });
    const response = (await handler(event, lambdaContext)) as APIGatewayProxyStructuredResultV2;
    const bytes = Buffer.byteLength(JSON.stringify(response));
    return {
      bytes,
      status: response.statusCode,
      page: JSON.parse(response.body ?? '') as TextPage,
    };
  };
  return { call, read };
}

describe('a list whose page is larger than a function can answer', () => {
  it.each([
    ['plain text', 'x'.repeat(200_000)],
    ['text of quotes and line ends', '"\n'.repeat(50_000)],
    ['text outside of ASCII', 'Việt Nam ắ'.repeat(15_000)],
    ['control characters', '\u0001'.repeat(40_000)],
  ])('is cut and leads on to every entry once: %s', async (_what, text) => {
    const { read } = aReader(Array.from({ length: 100 }, () => text));
    const seen: number[] = [];
    const pages: { bytes: number; page: TextPage }[] = [];

    for (let cursor: string | null = '0.0'; cursor !== null; ) {
      const { bytes, page } = await read(`/texts?size=60&cursor=${cursor}`);
      pages.push({ bytes, page });
      seen.push(...page.content.map(({ id }) => id));
      cursor = page.nextCursor;
    }

    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(pages.map(({ page }) => page.number)).toEqual(pages.map((_, index) => index));
    for (const { bytes, page } of pages) {
      expect(bytes).toBeLessThan(LAMBDA_LIMIT);
      expect(page.numberOfElements).toBe(page.content.length);
      expect(page.last).toBe(page.nextCursor === null);
    }
  });

  it('is cut no sooner than it must', async () => {
    const { read } = aReader(Array.from({ length: 100 }, () => '"'.repeat(10_000)));

    const { bytes } = await read('/texts?size=100');
    const { bytes: cut } = await aReader(
      Array.from({ length: 400 }, () => '"'.repeat(10_000)),
    ).read('/texts?size=400');

    expect(bytes).toBeLessThan(LAMBDA_LIMIT);
    expect(cut).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    expect(cut).toBeGreaterThan(MAX_RESPONSE_BYTES - 45_000);
  });

  it('keeps its total and its other members', async () => {
    const { read } = aReader(Array.from({ length: 50 }, () => 'x'.repeat(200_000)));

    const { page } = await read('/texts?size=50');

    expect(page).toMatchObject({ totalElements: 50, complete: true, empty: false, first: true });
  });

  it('says how to pass an entry that is too large alone', async () => {
    const { call } = aReader(['x'.repeat(7_000_000), 'next']);

    const refused = await call({ method: 'GET', path: '/texts' });
    const { nextCursor } = refused.body;
    const next = await call({ method: 'GET', path: `/texts?cursor=${String(nextCursor)}` });

    expect(refused).toMatchObject({ status: 422, body: { code: 'ANSWER_TOO_LARGE' } });
    expect(next.body).toMatchObject({ content: [{ id: 1, text: 'next' }] });
  });
});

describe('a resource that is larger than a function can answer', () => {
  it('is refused with what to do instead', async () => {
    const { call } = aReader();

    const answer = await call({ method: 'GET', path: '/texts/6500000' });

    expect(answer).toMatchObject({
      status: 422,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        code: 'ANSWER_TOO_LARGE',
        detail: expect.stringContaining('query parameter fields'),
        maxBytes: MAX_RESPONSE_BYTES,
      },
    });
    expect(Number(answer.body.sizeBytes)).toBeGreaterThan(6_500_000);
  });

  it('says that a call which changes something has been carried out, and where the result is', async () => {
    const { call } = aReader();

    const answer = await call({ method: 'POST', path: '/texts' });

    expect(answer).toMatchObject({
      status: 422,
      headers: { location: '/texts/7', etag: '"1"' },
      body: {
        code: 'ANSWER_TOO_LARGE',
        detail: expect.stringMatching(/has been carried out\. Read it in parts\.$/),
      },
    });
  });

  it.each([
    [4_700_000, 200],
    [4_710_000, 422],
  ])('is measured as base64 when it is bytes: %i are %i', async (size, status) => {
    const { call } = aReader();

    expect(await call({ method: 'GET', path: `/file/${size}` })).toMatchObject({ status });
  });

  it.each([
    [MAX_RESPONSE_BYTES - 1_000, 200],
    [MAX_RESPONSE_BYTES, 422],
  ])('is measured with all that goes with it: a text of %i is %i', async (size, status) => {
    const { call } = aReader();

    expect(await call({ method: 'GET', path: `/texts/${size}` })).toMatchObject({ status });
  });
});
