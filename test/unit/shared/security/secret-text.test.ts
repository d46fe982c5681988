import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSentence } from '../../../../shared/security/secret-text.ts';

const SECRET = 'hunter2';

describe('maskSentence', () => {
  it.each([
    ['connect failed: password=hunter2 host=db', 'connect failed: password= ******'],
    ['{"clientSecret":"hunter2","a":1}', '{"clientSecret": ******'],
    ['the password is swordfish', 'the password is ******'],
    ['password "hunter2" was refused', 'password ******'],
    ['api key hunter2 is unknown', 'api key ******'],
    ['Authorization: Bearer hunter2', 'Authorization: ******'],
    ['sent Bearer abcdef to the bus', 'sent Bearer ****** to the bus'],
    [
      'GET https://mai:hunter2@db.example.com/x failed',
      'GET https://******@db.example.com/x failed',
    ],
    ['postgres://mai:hun/ter2@db', 'postgres://******@db'],
    ['got eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln', 'got ******'],
    ['key AKIAIOSFODNN7EXAMPLE has no access', 'key ****** has no access'],
    ['bad key -----BEGIN PRIVATE KEY-----\nMIIE\nabc', 'bad key ******'],
    ['tokens: a, b', 'tokens: ******'],
    [`Unexpected token 'h', "hunter2" is not valid JSON`, 'Unexpected token ******'],
  ])('%s becomes %s', (text, shown) => {
    expect(maskSentence(text)).toBe(shown);
    expect(maskSentence(shown)).toBe(shown);
  });

  it.each([
    'The bus did not confirm the event',
    'The token is expired',
    'The password was not given',
    'A token is missing: sign in again',
    'The tokenizer: 3 words',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'order A-1 of mai@example.com has no lines',
    '',
  ])('keeps %s', (text) => {
    expect(maskSentence(text)).toBe(text);
  });

  it('tells no value that a name, a separator and a secret introduce, whatever stands around', () => {
    const names = fc.constantFrom('password', 'client_secret', 'apiKey', 'x.token', 'Private-Key');
    const links = fc.constantFrom(':', '=', ' = ', '":"', ' => ', ' is ', ': "', '\\":\\"', ' ');
    fc.assert(
      fc.property(fc.string(), names, links, fc.string(), (before, name, link, after) => {
        expect(maskSentence(`${before} ${name}${link}${SECRET}${after}`)).not.toContain(SECRET);
      }),
    );
  });
});
