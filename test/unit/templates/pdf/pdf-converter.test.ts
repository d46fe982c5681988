import { describe, expect, it } from 'vitest';
import { createPdfConverter } from '../../../../functions/templates/pdf/create-pdf-converter.ts';
import type { EngineCall } from '../../../../functions/templates/pdf/engine-call.ts';
import type { PdfEngine } from '../../../../functions/templates/pdf/engines.ts';
import { LambdaEngine } from '../../../../functions/templates/pdf/lambda-engine.ts';
import {
  EngineBusy,
  EngineLate,
  EnginePdfConverter,
} from '../../../../functions/templates/pdf/pdf-converter.ts';
import type { PdfRequest } from '../../../../shared/ports/pdf.ts';
import { systemClock } from '../../../../shared/primitives/clock.ts';
import { aLambda } from '../../../helpers/templates/a-lambda.ts';

const request: PdfRequest = {
  source: { path: 'documents/a.docx', format: 'docx' },
  target: 'documents/a.pdf',
  at: new Date('2026-01-02T03:04:05Z'),
  limitMs: 25_000,
};
const printed = { outcome: 'printed', pages: 2, sizeBytes: 10, sha256: 'ab', places: [] };

/** A converter over an engine that answers one after the other; pauses pass at once. */
function aConverter(
  answers: readonly (object | (() => Error))[],
  { engine = 'libreoffice' }: { engine?: PdfEngine } = {},
) {
  let time = 0;
  const calls: EngineCall[] = [];
  const converter = new EnginePdfConverter({
    engine,
    engineFunction: {
      invoke: async (call) => {
        const answer = answers[Math.min(calls.length, answers.length - 1)];
        calls.push(call);
        time += 10;
        if (typeof answer === 'function') throw answer();
        return answer;
      },
    },
    clock: { now: () => time },
    pause: async (ms) => {
      time += ms;
    },
  });
  return { converter, calls, time: () => time };
}

const problem = (code: string, status: number, more: object = {}) =>
  expect.objectContaining({ code, status, ...more });
const busy = () => new EngineBusy('Rate exceeded');

describe('printing by the function of an engine', () => {
  it('passes the paths on and answers what was printed', async () => {
    const { converter, calls } = aConverter([printed]);

    const { outcome: _, ...expected } = printed;
    expect(await converter.convert({ ...request, pdfA: true })).toEqual(expected);
    expect(calls).toEqual([
      {
        source: request.source,
        target: 'documents/a.pdf',
        at: '2026-01-02T03:04:05.000Z',
        pdfA: true,
        tagged: false,
        maxPages: 500,
        limitMs: 25_000,
      },
    ]);
  });

  it('hands small documents over as they are', async () => {
    const { converter, calls } = aConverter([printed]);

    await converter.convert({ ...request, source: { format: 'docx', bytes: Buffer.from('PK') } });

    expect(calls[0]?.source).toEqual({ format: 'docx', base64: 'UEs=' });
  });

  it('waits while all environments are at work, and tells the engine what is left of the time', async () => {
    const { converter, calls } = aConverter([busy, busy, busy, printed]);

    await converter.convert(request);

    expect(calls.map(({ limitMs }) => limitMs)).toEqual([25_000, 24_890, 24_680, 24_270]);
  });

  it.each([
    ['says so', { outcome: 'late' }],
    ['is ended', () => new EngineLate('timed out')],
  ])(
    'says when to come again where the time went to waiting and the engine %s',
    async (_, late) => {
      await expect(aConverter([busy, late]).converter.convert(request)).rejects.toEqual(
        problem('RENDER_BUSY', 503, { headers: { 'retry-after': '5' } }),
      );
    },
  );

  it('asks no engine when there is too little time: one that is at a document then would be replaced', async () => {
    const { converter, calls } = aConverter([printed]);

    await expect(converter.convert({ ...request, limitMs: 1_500 })).rejects.toEqual(
      problem('RENDER_BUSY', 503, { headers: { 'retry-after': '5' } }),
    );
    expect(calls).toEqual([]);
  });

  it('gives up within the time and says when to come again', async () => {
    const { converter, time } = aConverter([busy]);

    await expect(converter.convert(request)).rejects.toEqual(
      problem('RENDER_BUSY', 503, { headers: { 'retry-after': '5' } }),
    );
    expect(time()).toBeLessThanOrEqual(25_000);
    expect(time()).toBeGreaterThan(22_000);
  });

  it.each([
    [{ outcome: 'late' }, problem('RENDER_TIMEOUT', 504)],
    [{ outcome: 'starting' }, problem('RENDER_BUSY', 503, { headers: { 'retry-after': '5' } })],
    [{ outcome: 'refused' }, problem('RENDER_FAILED', 502)],
    [
      { outcome: 'too-long', pages: 501 },
      problem('PDF_TOO_LONG', 422, { detail: 'The document has 501 pages, a PDF at most 500.' }),
    ],
    [() => new EngineLate('no answer'), problem('RENDER_TIMEOUT', 504)],
    [() => new Error('Runtime.ExitError'), problem('RENDER_FAILED', 502)],
    [{ outcome: 'anything' }, problem('RENDER_FAILED', 502)],
  ])('says what became of it: %j', async (answer, expected) => {
    await expect(aConverter([answer]).converter.convert(request)).rejects.toEqual(expected);
  });

  it.each([
    ['libreoffice', { source: { path: 'a', format: 'html' } }, problem('PDF_NOT_AVAILABLE', 422)],
    ['chromium', {}, problem('PDF_NOT_AVAILABLE', 422)],
    [
      'chromium',
      { source: { path: 'a', format: 'html' }, pdfA: true },
      problem('PDF_OPTION_NOT_SUPPORTED', 422, { detail: 'The engine chromium has no PDF/A.' }),
    ],
    ['none', {}, problem('PDF_NOT_AVAILABLE', 422)],
  ] as const)('refuses what %s does not do: %j', async (engine, change, expected) => {
    const { converter, calls } = aConverter([printed], { engine });

    const wanted = { ...request, ...change };
    await expect(converter.convert(wanted)).rejects.toEqual(expected);
    const wish = { ...wanted, format: wanted.source.format };
    await expect((async () => converter.check(wish))()).rejects.toEqual(expected);
    expect(calls).toEqual([]);
  });

  it('refuses everything where no engine is deployed', async () => {
    const converter = createPdfConverter({
      config: { template: { pdfConverter: 'libreoffice' } },
      environment: { services: {} },
      tenantClock: { machine: systemClock },
    });

    await expect(converter.convert(request)).rejects.toEqual(problem('PDF_NOT_AVAILABLE', 422));
  });

  it.each<[string, Record<string, string>]>([
    ['its own module', { 'pdf-libreoffice': 'the-engine' }],
    [
      'another module, with a job of the same name',
      { 'pdf-libreoffice': 'its-own', 'templates-pdf-libreoffice': 'the-engine' },
    ],
  ])('calls the engine in the function of %s', async (_, functions) => {
    await using lambda = await aLambda(printed);
    const converter = createPdfConverter({
      config: { template: { pdfConverter: 'libreoffice' } },
      environment: { services: { functions } },
      tenantClock: { machine: systemClock },
    });

    await converter.convert(request);

    expect(lambda.called).toEqual(['the-engine']);
  });

  it('keeps its connection to the engine, and opens another one when that was closed', async () => {
    await using lambda = await aLambda(printed);
    const engine = new LambdaEngine('the-engine');
    const source = { format: 'docx', path: 'a' } as const;
    const call = { ...request, source, at: '2026-01-02T03:04:05Z' };
    const print = () => engine.invoke({ ...call, pdfA: false, tagged: false, maxPages: 1 });

    await print();
    await print();
    const kept = lambda.connections();
    lambda.hangUp();

    expect(await print()).toEqual(printed);
    expect([kept, lambda.connections(), lambda.called.length]).toEqual([1, 2, 3]);
  });
});
