import { describe, expect, it } from 'vitest';
import { toVariables } from '../../../../functions/workflow/api/cases/answer-room.ts';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { aCasesApi, CASES } from './cases-api.ts';

/** Lambda takes no larger response, with its body as a text in it. */
const MAX_BYTES = 6 * 1_048_576;
const bytesInResponse = (text: string) => Buffer.byteLength(JSON.stringify(text));
const many = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('the variables of an answer', () => {
  it.each([
    ['letters of three bytes', 'ệ', 250_000],
    ['characters that are escaped twice', '"', 120_000],
    ['characters that have six letters in JSON', '\u0001', 40_000],
    ['small ones', 'x', 250_000],
  ])('are those that fit, in their order: %s', (_, letter, length) => {
    const value = letter.repeat(length);
    const all = Object.fromEntries(many(30).map((at) => [`v${at}`, value]));

    const shown = toVariables({ ...all, last: 1 });
    const few = toVariables({ v0: value, last: 1 });

    const names = Object.keys(shown.variables);
    expect(bytesInResponse(JSON.stringify(shown))).toBeLessThan(MAX_BYTES);
    expect(shown).toHaveProperty('truncated', true);
    expect(names.length).toBeGreaterThan(3);
    expect(names.slice(0, -1)).toEqual(Object.keys(all).slice(0, names.length - 1));
    expect(few).toEqual({ variables: { v0: value, last: 1 } });
  });
});

describe('a case whose variables have more bytes than an answer', () => {
  it('is answered with those that fit', async () => {
    const api = await aCasesApi([aModel(aTask('One'))]);
    const path = `${CASES}/${await api.start({ variables: { v0: 'ệ'.repeat(240_000) } })}`;
    for (const at of many(8)) {
      await api.put(`${path}/variables`, { variables: { [`w${at}`]: 'ệ'.repeat(240_000) } });
    }

    const answers = [await api.get(path), await api.get(`${path}/variables`)];

    for (const { status, text, body } of answers) {
      expect(status).toBe(200);
      expect(bytesInResponse(text)).toBeLessThan(MAX_BYTES);
      expect(body).toMatchObject({ truncated: true, variables: { v0: expect.any(String) } });
      expect(body.variables).not.toHaveProperty('w7');
    }
  });
});
