import { describe, expect, it } from 'vitest';
import { aSettingsApi, contentOf, type SettingsApi } from './settings-api.ts';

async function withNames(...names: readonly string[]): Promise<SettingsApi> {
  const api = aSettingsApi();
  for (const name of names) await api.save({ name });
  return api;
}

const namesOf = (answer: Parameters<typeof contentOf>[0]) =>
  contentOf(answer).map(({ name }) => name);

describe('GET /api/v1/setting', () => {
  it('answers an empty page', async () => {
    const { get } = aSettingsApi();

    const answer = await get('');

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      content: [],
      number: 0,
      size: 20,
      numberOfElements: 0,
      totalElements: null,
      totalPages: null,
      first: true,
      last: true,
      empty: true,
      nextCursor: null,
      totalRelation: 'unknown',
    });
  });

  it('lists names in their order', async () => {
    const { get } = await withNames('b', 'a.2', 'a.10', 'C');

    const answer = await get('');

    expect(namesOf(answer)).toEqual(['C', 'a.10', 'a.2', 'b']);
  });

  it('lists by prefix', async () => {
    const { get } = await withNames('mail.from', 'mail.host', 'mailbox', 'web.url');

    const answer = await get('?prefix=mail.');

    expect(namesOf(answer)).toEqual(['mail.from', 'mail.host']);
  });

  it.each([
    ['HOST', ['mail.host']],
    ['sender', ['mail.from', 'mail.host']],
    ['none', []],
  ])('finds %s in names and descriptions', async (q, names) => {
    const { get } = await withNames('mail.from', 'mail.host');

    const answer = await get(`?q=${q}`);

    expect(namesOf(answer)).toEqual(names);
  });

  it('walks over pages by number and by cursor alike', async () => {
    const { get } = await withNames('a', 'b', 'c', 'd', 'e');

    const first = await get('?size=2');
    const second = await get(`?size=2&cursor=${String(first.body.nextCursor)}`);
    const third = await get(`?size=2&cursor=${String(second.body.nextCursor)}`);
    const byNumber = await get('?size=2&page=2');

    expect([first, second, third, byNumber].map(namesOf)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e'],
      ['e'],
    ]);
    expect(first.body).toMatchObject({ number: 0, first: true, last: false });
    expect(second.body).toMatchObject({ number: 1, first: false, last: false });
    expect(third.body).toMatchObject({ number: 2, last: true, nextCursor: null });
    expect(byNumber.body).toMatchObject({ number: 2, last: true });
  });

  it('has no next page when the last one is full', async () => {
    const { get } = await withNames('a', 'b');

    const answer = await get('?size=2');

    expect(answer.body).toMatchObject({ last: true, nextCursor: null, numberOfElements: 2 });
  });

  it('shows the first 150 characters of a value', async () => {
    const { save, get } = aSettingsApi();
    await save({ value: 'x'.repeat(151) });

    const [entry] = contentOf(await get(''));

    expect(entry).toMatchObject({ value: 'x'.repeat(150), truncated: true });
  });

  it('shows no half of a character where it cuts a text', async () => {
    const { save, get, context } = aSettingsApi();
    const text = `${'x'.repeat(149)}\u{1F600}x`;
    await save({ value: text, desc: text });

    const [entry] = contentOf(await get(''));

    expect(entry).toMatchObject({ truncated: true, value: expect.stringMatching(/^x{149}/) });
    expect(JSON.stringify([entry, context.db.items()])).not.toMatch(/\\ud[89a-f]/);
  });

  it('keeps index entries small whatever is saved', async () => {
    const { save, get } = aSettingsApi();
    const wide = '\u{1F600}';
    await save({ name: 'n'.repeat(255), value: wide.repeat(16_384), desc: wide.repeat(512) });

    const answer = await get('');

    expect(answer.status).toBe(200);
    expect(contentOf(answer)).toHaveLength(1);
  });

  it('shows no deleted setting', async () => {
    const { get, remove } = await withNames('a', 'b');
    await remove('a');

    const answer = await get('');

    expect(namesOf(answer)).toEqual(['b']);
  });

  it.each([
    ['size=0', 'size'],
    ['size=201', 'size'],
    ['size=abc', 'size'],
    ['size=1.5', 'size'],
    ['page=-1', 'page'],
    ['page=10001', 'page'],
    ['page=501&size=20', 'page'],
    ['prefix=a%2Fb', 'prefix'],
    ['q=', 'q'],
    ['cursor=nonsense', 'cursor'],
    ['sort=name', 'sort'],
    ['limit=5', 'limit'],
    ['size=1&size=2', 'size'],
  ])('refuses ?%s', async (query, parameter) => {
    const { get } = aSettingsApi();

    const answer = await get(`?${query}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_PARAMETER', errors: [{ parameter }] });
  });

  it('refuses the cursor of another query', async () => {
    const { get } = await withNames('a', 'b', 'c');
    const { body } = await get('?size=1');

    const answer = await get(`?size=1&prefix=a&cursor=${String(body.nextCursor)}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      errors: [{ parameter: 'cursor', code: 'INVALID_CURSOR' }],
    });
  });

  it.each([
    ['another partition', { gsi1pk: 'DYN_RECORD#x' }],
    ['a missing key', { gsi1sk: undefined }],
    ['a number as key', { sk: 1 }],
    ['an empty key', { gsi1sk: '' }],
    ['a further attribute', { gsi2pk: 'x' }],
  ])('refuses a cursor that was forged with %s', async (_how, forged) => {
    const { get } = await withNames('a', 'b', 'c');
    const { body } = await get('?size=1');
    const cursor = JSON.parse(Buffer.from(String(body.nextCursor), 'base64url').toString());
    const text = JSON.stringify({ ...cursor, k: { ...cursor.k, ...forged } });

    const answer = await get(`?size=1&cursor=${Buffer.from(text).toString('base64url')}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      errors: [{ parameter: 'cursor', code: 'INVALID_CURSOR' }],
    });
  });

  it('refuses a cursor whose key lies outside the prefix', async () => {
    const { get } = await withNames('a.1', 'a.2', 'b');
    const { body } = await get('?size=1&prefix=a.');
    const cursor = JSON.parse(Buffer.from(String(body.nextCursor), 'base64url').toString());
    const text = JSON.stringify({ ...cursor, k: { ...cursor.k, gsi1sk: 'b' } });

    const answer = await get(`?size=1&prefix=a.&cursor=${Buffer.from(text).toString('base64url')}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ parameter: 'cursor' }] });
  });
});
