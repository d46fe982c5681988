import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type FilePart, filePart } from '../../../../shared/http/form.ts';
import { FORM_LIMITS, readMultipart } from '../../../../shared/http/multipart.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { publicAccess, route } from '../../../../shared/http/route.ts';
import { Problem } from '../../../../shared/problems/problem.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const MAX_FILE = 2_000;

const form = z.strictObject({
  file: filePart({ maxBytes: MAX_FILE, types: ['text/csv', 'application/json'] }),
  picture: filePart({ maxBytes: 100 }).optional(),
  version: z.coerce.number().int().min(1).optional(),
  tags: z.array(z.string()).optional(),
});

const described = {
  access: publicAccess,
  summary: 'Takes a form',
  responses: { 200: { description: 'OK' } },
};

/** Routes that take a form: alone, and beside JSON, for callers that repeat themselves. */
function aModule() {
  let calls = 0;
  const answer = (given: z.output<typeof form> | undefined, body: unknown) => {
    calls += 1;
    const { file, ...rest } = given ?? {};
    const shown = file && { ...file, bytes: file.bytes.toString() };
    return ok({ ...rest, file: shown, body, calls });
  };
  const context = aContext({ svc: { web: { 'max-body': 300_000 } } });
  const module = connect(
    () => ({
      routes: [
        route({
          ...described,
          operationId: 'form',
          method: 'POST',
          path: '/form',
          form,
          idempotent: true,
          handle: async ({ form: given, body }) => answer(given, body),
        }),
        route({
          ...described,
          operationId: 'either',
          method: 'POST',
          path: '/either',
          body: z.strictObject({ name: z.string() }),
          form,
          handle: async ({ form: given, body }) => answer(given, body),
        }),
      ],
    }),
    context,
  );
  return async (parts: FormData | Sent, path = '/form', headers: Record<string, string> = {}) => {
    const sent = parts instanceof FormData ? await encode(parts) : parts;
    const { body, type } = sent;
    return module.call({
      ...{ method: 'POST', path, body },
      headers: { ...(type && { 'content-type': type }), ...headers },
    });
  };
}

interface Sent {
  readonly body: Buffer | string;
  readonly type?: string;
}

async function encode(parts: FormData): Promise<Sent> {
  const request = new Request('http://x', { method: 'POST', body: parts });
  return {
    body: Buffer.from(await request.arrayBuffer()),
    type: request.headers.get('content-type') ?? '',
  };
}

const csv = (text: string, name = 'a.csv') => new File([text], name, { type: 'text/csv' });

function aForm(parts: readonly (readonly [string, string | File])[]): FormData {
  const data = new FormData();
  for (const [name, value] of parts) data.append(name, value);
  return data;
}

describe('a route with a form', () => {
  it('is given typed parts, with names and bytes as they were sent', async () => {
    const call = aModule();

    const { status, body } = await call(
      aForm([
        ['file', csv('tên\r\nAn', 'Hợp đồng 1.csv')],
        ['version', '3'],
        ['tags', 'a'],
        ['tags', 'b'],
      ]),
    );

    expect(status).toBe(200);
    expect(body).toMatchObject({
      file: { fileName: 'Hợp đồng 1.csv', contentType: 'text/csv', bytes: 'tên\r\nAn' },
      version: 3,
      tags: ['a', 'b'],
    });
  });

  it.each([
    ['a file is missing', [['version', '1']], 400, 'VALIDATION_FAILED', '/file', 'CUSTOM'],
    ['a file is a text', [['file', 'text']], 400, 'VALIDATION_FAILED', '/file', 'CUSTOM'],
    [
      'a part is not known',
      [
        ['file', csv('a')],
        ['more', 'x'],
      ],
      400,
      'UNKNOWN_FIELD',
      '/more',
      'UNKNOWN_FIELD',
    ],
    [
      'a text breaks its rule',
      [
        ['file', csv('a')],
        ['version', '0'],
      ],
      400,
      'VALIDATION_FAILED',
      '/version',
      'TOO_SMALL',
    ],
    [
      'a file is sent twice',
      [
        ['file', csv('a')],
        ['file', csv('b')],
      ],
      400,
      'VALIDATION_FAILED',
      '/file',
      'CUSTOM',
    ],
    [
      'a file is too large',
      [['file', csv('x'.repeat(MAX_FILE + 1))]],
      413,
      'PAYLOAD_TOO_LARGE',
      '/file',
      'TOO_LARGE',
    ],
    [
      'a file has another type',
      [['file', new File(['x'], 'a.png', { type: 'image/png' })]],
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      '/file',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a text is too long',
      [
        ['file', csv('a')],
        ['version', '1'.repeat(FORM_LIMITS.textBytes + 1)],
      ],
      413,
      'PAYLOAD_TOO_LARGE',
      '/version',
      'TOO_LARGE',
    ],
    [
      'there are too many texts',
      Array.from({ length: FORM_LIMITS.texts + 1 }, () => ['tags', 'x']),
      413,
      'PAYLOAD_TOO_LARGE',
      '',
      'TOO_LARGE',
    ],
    [
      'there are too many files',
      Array.from({ length: FORM_LIMITS.files + 1 }, () => ['file', csv('x')]),
      413,
      'PAYLOAD_TOO_LARGE',
      '',
      'TOO_LARGE',
    ],
    [
      'a name is too long',
      [['n'.repeat(FORM_LIMITS.nameLength + 1), 'x']],
      413,
      'PAYLOAD_TOO_LARGE',
      '',
      'TOO_LARGE',
    ],
    [
      'a part is called __proto__',
      [
        ['file', csv('a')],
        ['__proto__', 'x'],
      ],
      400,
      'UNKNOWN_FIELD',
      '/__proto__',
      'UNKNOWN_FIELD',
    ],
  ] as [string, [string, string | File][], number, string, string, string][])(
    'refuses when %s',
    async (_, parts, status, code, pointer, rule) => {
      const answer = await aModule()(aForm(parts));

      expect(answer.body, answer.text).toMatchObject({ status, code });
      expect(answer.body.errors).toMatchObject([{ pointer, code: rule }]);
    },
  );

  it('refuses a body above the limit of all bodies', async () => {
    const answer = await aModule()(aForm([['file', csv('x'.repeat(300_001))]]));

    expect(answer.body).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      maxBytes: 300_000,
    });
  });

  it.each([
    ['without a boundary', 'x', 'multipart/form-data', 400, 'INVALID_MULTIPART'],
    [
      'without an end',
      '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx',
      'multipart/form-data; boundary=b',
      400,
      'INVALID_MULTIPART',
    ],
    ['that is empty', '', 'multipart/form-data; boundary=b', 400, 'INVALID_MULTIPART'],
    ['of JSON', '{}', 'application/json', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['of no type', 'x', undefined, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('refuses a body %s', async (_, body, type, status, code) => {
    const answer = await aModule()({ body, ...(type && { type }) });

    expect(answer.body, answer.text).toMatchObject({ status, code });
  });

  it('takes a repetition under the same Idempotency-Key for the same, whatever its boundary', async () => {
    const call = aModule();
    const again = { 'idempotency-key': 'k' };

    const first = await call(aForm([['file', csv('a')]]), '/form', again);
    const second = await call(aForm([['file', csv('a')]]), '/form', again);
    const other = await call(aForm([['file', csv('b')]]), '/form', again);

    expect([first.body.calls, second.body.calls]).toEqual([1, 1]);
    expect(other.body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('may take JSON as well', async () => {
    const call = aModule();

    const json = await call({ body: '{"name":"An"}', type: 'application/json' }, '/either');
    const parts = await call(aForm([['file', csv('a')]]), '/either');

    expect(json.body).toMatchObject({ body: { name: 'An' } });
    expect(parts.body).toMatchObject({ file: { bytes: 'a' } });
  });
});

describe('readMultipart', () => {
  const frame = (content: string): string =>
    `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${content}\r\n--b--\r\n`;

  it('gives any bytes back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (bytes) => {
        const data = new FormData();
        data.append('file', new File([new Uint8Array(bytes)], 'a'));
        const { body, type = '' } = await encode(data);

        const { file } = await readMultipart(Buffer.from(body), type);

        expect((file as FilePart).bytes.equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('answers or refuses any text, and never hangs', async () => {
    const pieces = fc.constantFrom('--b', '\r\n', '--', ': ', ';', '"', 'name=', 'form-data', 'x');
    const noise = fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(noise, fc.nat(80), async (parts, at) => {
        const whole = frame('content');
        const text = whole.slice(0, at) + parts.join('') + whole.slice(at);

        const outcome = await readMultipart(
          Buffer.from(text),
          'multipart/form-data; boundary=b',
        ).catch((error: unknown) => error);

        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Problem);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a part that cannot be read', () => {
  const type = 'multipart/form-data; boundary=XX';
  const named = 'Content-Disposition: form-data; name="a"';
  const aBody = (headers: string, content: string | Buffer = 'x', before = '') =>
    Buffer.concat([
      Buffer.from(`${before}--XX\r\n${headers}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n--XX--\r\n'),
    ]);
  const detailOf = async (body: Buffer, contentType = type) => {
    const error = await readMultipart(body, contentType).catch((cause: unknown) => cause);
    if (!(error instanceof Problem)) return error;
    expect(error).toMatchObject({ code: 'INVALID_MULTIPART', status: 400 });
    return error.detail;
  };

  it.each([
    ['without a disposition', 'X-Other: 1'],
    ['of another disposition', 'Content-Disposition: attachment; name="a"'],
    ['with line breaks in its file name', `${named}; filename*=UTF-8''a%0D%0Ab.csv`],
    ['with a name of two lines', "Content-Disposition: form-data; name*=UTF-8''a%0Ab"],
    ['with too many headers', `${'X-A: 1\r\n'.repeat(30)}${named}`],
    ['with too large headers', `X-A: ${'y'.repeat(40_000)}\r\n${named}`],
  ])('is refused %s, not left out', async (_what, headers) => {
    const second = aBody(
      headers,
      'x',
      '--XX\r\nContent-Disposition: form-data; name="b"\r\n\r\ny\r\n',
    );

    expect(await detailOf(aBody(headers))).toContain('A part has no');
    expect(await detailOf(second)).toContain('A part has no');
    expect(await detailOf(second, 'multipart/form-data; charset=utf-8; Boundary="XX"')).toContain(
      'A part has no',
    );
  });

  it.each([
    ['a text that is not UTF-8', aBody(named, Buffer.from([0x61, 0xff]))],
    [
      'half of a surrogate pair',
      aBody(`${named}\r\nContent-Type: text/plain; charset=utf-16le`, Buffer.from([0, 0xd8])),
    ],
  ])('is refused with %s', async (_what, body) => {
    expect(await detailOf(body)).toContain('is not UTF-8');
  });

  it('is not one with a replacement character that was sent', async () => {
    expect(await readMultipart(aBody(named, 'a\uFFFDb'), type)).toEqual({ a: 'a\uFFFDb' });
  });

  it.each([
    ['before the first part', 'preamble\r\n', ''],
    ['after the last part', '', 'epilogue\r\n--XX\r\nX: 1\r\n\r\n'],
  ])('is not text %s', async (_what, before, after) => {
    const body = Buffer.concat([aBody(named, 'x', before), Buffer.from(after)]);

    expect(await readMultipart(body, type)).toEqual({ a: 'x' });
  });
});
