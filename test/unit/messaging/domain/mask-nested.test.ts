import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  maskRequest,
  maskSecrets,
  maskText,
} from '../../../../functions/messaging/domain/masking/mask-text.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';

const CANARY = 'hunter2';

const secretName = fc.constantFrom(
  ...['password', 'Passwd', 'clientSecret', 'access_token', 'x-api-key', 'private.key'],
  ...['authorization', 'credentials', 'tokens', 'apiKey2', 'Cookie', 'SET-COOKIE', 'aws_secret'],
);
const plainName = fc.constantFrom('note', 'total', 'user', 'at', 'body', 'message', 'event');
const plain = fc.constantFrom('1', 'true', 'Mai', 'a b', '', 'paid', '2026-03-01');
const secret = fc.constantFrom(
  CANARY,
  `Bearer ${CANARY}`,
  `"${CANARY}"`,
  `a=${CANARY}`,
  `x ${CANARY} y`,
);
const line = fc.constantFrom(CANARY, `Bearer ${CANARY}`, `x ${CANARY} y`, `x: ${CANARY}`);

const json = JSON.stringify;
const escaped = (text: string) =>
  [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** A secret under a secret name, in one format. */
const told = fc
  .tuple(secretName, secret, plainName, plain, line)
  .chain(([s, c, n, p, l]) =>
    fc.constantFrom(
      json({ [n]: p, [s]: c }),
      json({ [s]: [p, c] }),
      json({ [s]: { [n]: c } }),
      json([{ [n]: 1 }, { [n]: { [s]: c } }], null, 2),
      `{${json(s)}:${json(c)},${json(s)}:null}`,
      `{${json(n)}:{${json(s)}:${json(c)}},${json(n)}:1}`,
      `{"${escaped(s)}":${json(c)}}`,
      json({ name: s, value: c }),
      json({ fieldName: s, old: { deep: c } }),
      json({ name: { S: s }, value: { S: c } }),
      json([s, c]),
      json({ rawHeaders: [n, p, s, c] }),
      json({ [`${s}=${CANARY}`]: '' }),
      `${n}=1&${s}=${encodeURIComponent(c)}`,
      `${s}[]=${encodeURIComponent(c)}&${n}=1`,
      `user[${s}]=${encodeURIComponent(c)}`,
      `${s}[${n}]=${encodeURIComponent(c)}`,
      `${n}[]=1&${s}[0]=${encodeURIComponent(c)}`,
      `${percent(s)}=${encodeURIComponent(c)}`,
      `${percent(percent(s))}=${encodeURIComponent(c)}`,
      `${n}=${percent(`${s}=${c}`)}`,
      `${n}=${percent(percent(`${s}=${c}`))}`,
      `${n}=${percent('&')}${s}=${CANARY}`,
      `name=${s}&value=${CANARY}`,
      `${n}: ${p}\n${s}: ${c}`,
      `${s}: ${p}\n  ${l}\n${n}: ${p}`,
      `${s}: |\n  ${l}\n  ${l}\n${n}: ${p}`,
      `${n}: ${p}\r\n${s}: >-\r\n  ${l}`,
      `${s}:\n  ${n}: ${CANARY}\n\n  ${n}:\n    ${l}\n${n}: ${p}`,
      `${s}:\n  - ${l}\n`,
      `${s}:\n- ${l}\n`,
      `${n}:\n  ${s}:\n    ${n}: ${CANARY}\n  ${n}: 1`,
      `${s}: "a\n${n}: ${CANARY}"`,
      `${s} = """\n${n} = ${CANARY}\n"""`,
      `${s}=a\\\n${n}=${CANARY}`,
      `${s}: {\n${n}: ${CANARY}\n}`,
      `${s} = <<EOF\n${n}: ${CANARY}\nEOF`,
      `name: ${s}\nvalue: ${CANARY}`,
      `Cookie: sid=1; ${s}=${CANARY}`,
      `sid=1; ${s}=${CANARY}; Path=/`,
      `<a><b>${p}</b><x:${s.replaceAll('.', '_')}>${CANARY}</x:${s.replaceAll('.', '_')}></a>`,
      `<a b="${p}" ${s}="${CANARY}"/>`,
      `<a><entry key="${s}">${CANARY}</entry></a>`,
      `<a><key>${s}</key><string>${CANARY}</string></a>`,
      `<a fieldName="${s}" to="${CANARY}"/>`,
      `<a>&lt;${s}&gt;${CANARY}</a>`,
      `curl --${s} ${CANARY}`,
      `POST /x?${s}=${CANARY} HTTP/1.1`,
      `${n}: ${p}\n\nThe ${s} is ${CANARY}`,
    ),
  );

/** A text that holds another one. */
const around = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(inner, plainName, plain)
    .chain(([text, n, p]) =>
      fc.constantFrom(
        json({ [n]: text }),
        json([p, text]),
        json(text),
        json({ [n]: [{ [n]: text }] }, null, 2),
        json({ [n]: json({ [n]: text }) }),
        `${n}=${encodeURIComponent(text)}`,
        `${n}=1&${n}=${percent(text)}`,
        `${n}: ${text}`,
        `${n}: |\n${text.replace(/^/gm, '  ')}`,
        `${p}\n${text}`,
        `${n}: ${p}\n${text}`,
        `<a><b>${text}</b></a>`,
        `<a>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</a>`,
        `${p} ${text}`,
      ),
    );

const nested = fc.oneof(told, around(told), around(around(told)), around(around(around(told))));

const joint = fc.constantFrom('\n', ' ', '&', ';', ',');

const runs = { numRuns: propertyRuns(3_000) };

describe('a secret under a secret name', () => {
  it('shows in no text, however formats are nested', () => {
    fc.assert(
      fc.property(nested, (text) => {
        expect(json(maskText(text))).not.toContain(CANARY);
      }),
      runs,
    );
  });

  it('shows in no text that is cut or joined anywhere', () => {
    fc.assert(
      fc.property(nested, fc.nat(300), joint, nested, (one, length, between, other) => {
        expect(json(maskText(one.slice(0, length) + between + other))).not.toContain(CANARY);
        expect(json(maskSecrets([other.slice(0, length)]))).not.toContain(CANARY);
      }),
      runs,
    );
  });

  it('shows in no payload that holds such a text', () => {
    fc.assert(
      fc.property(nested, plainName, (text, name) => {
        expect(json(maskSecrets({ [name]: text, list: [text] }))).not.toContain(CANARY);
      }),
      runs,
    );
  });

  it('shows in no request of a broker client', () => {
    fc.assert(
      fc.property(nested, fc.constantFrom('body', 'Detail', 'note'), (text, name) => {
        expect(json(maskRequest(json({ queue: 'q', [name]: text })))).not.toContain(CANARY);
      }),
      runs,
    );
  });
});

describe('what is no secret', () => {
  it.each([
    { total: 42, at: '2026-03-01T09:00:00Z', lines: ['a: 1', 'b=2'], ok: true, none: null },
    { note: 'Please call: +84 123', url: 'https://example.com/?a=1&b=2', html: '<b>bold</b>' },
    { hasPassword: true, token: null, 'password.min-length': 8, tokenTtl: 60 },
    { note: 'Forgot your password?' },
  ])('is shown as it is: %j', (payload) => {
    expect(maskSecrets(payload)).toEqual(payload);
  });

  it.each([
    ['{"note":"Your password: hunter2"}', '{"note":"Your password ******"}'],
    ['{"cookie":"sid=1","x":1}', '{"cookie":"******","x":1}'],
    ['{"a":"b=1&token[]=hunter2"}', '{"a":"b=1&token[]=******"}'],
    [
      '{"a":"{\\"b\\":\\"Authorization: hunter2\\"}"}',
      '{"a":"{\\"b\\":\\"Authorization: ******\\"}"}',
    ],
    [
      'db:\n  password:\n    value: hunter2\n  port: 1',
      'db:\n  password:\n  port: 1'.replace('d:', 'd:******'),
    ],
    ['password[]=hunter2&a[]=1', 'password[]=******&a[]=1'],
  ])('stays beside what is one: %s', (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });
});
