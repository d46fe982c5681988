import { describe, expect, it, onTestFinished } from 'vitest';
import { downloadAddress } from '../../../../functions/editor/domain/download-address.ts';
import { downloadServer } from '../../../helpers/editor/download-server.ts';
import { anOpenDocument, letter } from './saves.ts';

const SERVER = 'https://docs.example.com/ds';
const INTERNAL = 'http://10.0.0.7:8080/inside';
const CACHE = '/cache/files/data/k/output.docx?md5=1';

const from = (url: string, more: object = {}) =>
  downloadAddress(url, { documentServerUrl: SERVER, others: [], ...more });

describe('the address that a save is fetched from', () => {
  it.each([
    ['its own', `https://docs.example.com/ds${CACHE}`, `https://docs.example.com/ds${CACHE}`],
    ['a forged host', `https://evil.example${CACHE}`, `https://docs.example.com/ds${CACHE}`],
    [
      'another port',
      `https://docs.example.com:8443${CACHE}`,
      `https://docs.example.com/ds${CACHE}`,
    ],
    ['another scheme', `http://docs.example.com${CACHE}`, `https://docs.example.com/ds${CACHE}`],
    [
      'a host that begins alike',
      `https://docs.example.com.evil.example${CACHE}`,
      `${SERVER}${CACHE}`,
    ],
    ['IPv6', `http://[::1]:6666${CACHE}`, `${SERVER}${CACHE}`],
    ['IPv4 within IPv6', `http://[::ffff:169.254.169.254]${CACHE}`, `${SERVER}${CACHE}`],
    ['a decimal address', `http://2852039166${CACHE}`, `${SERVER}${CACHE}`],
    ['an octal address', `http://0251.0376.0251.0376${CACHE}`, `${SERVER}${CACHE}`],
    ['a hexadecimal address', `http://0xa9fea9fe${CACHE}`, `${SERVER}${CACHE}`],
    ['the loopback', `http://127.0.0.1:4566${CACHE}`, `${SERVER}${CACHE}`],
    ['steps up', `https://evil.example/x/../..${CACHE}`, `${SERVER}${CACHE}`],
  ])('is the document server: %s', (_, url, expected) => {
    expect(from(url)).toBe(expected);
  });

  it.each([
    ...['https://evil.example/x', 'http://169.254.169.254/latest/meta-data/'],
    ...['http://2852039166/', 'http://[::1]/', 'http://[fd00:ec2::254]/'],
    `https://user:pass@docs.example.com${CACHE}`,
    `https://user@docs.example.com${CACHE}`,
    `https://docs.example.com@evil.example${CACHE}`,
    `ftp://docs.example.com${CACHE}`,
    ...['file:///etc/passwd', 'file:///cache/files/x', 'javascript:alert(1)', 'data:text/plain,x'],
    ...['', '/cache/files/x', '//docs.example.com/cache/files/x', 'http://'],
  ])('is none for %j', (url) => {
    expect(from(url)).toBeUndefined();
  });

  it.each([
    ['the public one', `https://docs.example.com/ds${CACHE}`],
    ['the internal one', `http://10.0.0.7:8080/inside${CACHE}`],
    ['another one', `https://evil.example${CACHE}`],
  ])('is the internal one where there is one, for %s', (_, url) => {
    expect(from(url, { internalUrl: INTERNAL })).toBe(`http://10.0.0.7:8080/inside${CACHE}`);
  });

  it.each([
    ['https://files.example.com/out.docx', 'https://files.example.com/out.docx'],
    ['https://files.example.com:444/out.docx', undefined],
    ['http://files.example.com/out.docx', undefined],
    ['https://files.example.com.evil.example/out.docx', undefined],
    ['https://user:pass@files.example.com/out.docx', undefined],
  ])('may be one that the configuration names: %s', (url, expected) => {
    expect(from(url, { others: ['https://files.example.com/'] })).toBe(expected);
  });
});

describe('a save', () => {
  it('is fetched from another origin that the configuration names, and from no third one', async () => {
    const named = await downloadServer(letter('of the other'));
    const third = await downloadServer(letter('of nobody'));
    onTestFinished(async () => void (await Promise.all([named.close(), third.close()])));
    const world = await anOpenDocument({ docs: { 'allowed-download-origins': named.url } });
    onTestFinished(() => world.server.close());

    const refused = await world.save(6, { url: `${third.url}/out.docx` });
    const stored = await world.save(6, { url: `${named.url}/out.docx` });

    expect([refused.status, stored.status]).toEqual([400, 200]);
    expect([named.asked, third.asked, world.server.asked]).toEqual([['/out.docx'], [], []]);
  });

  it.each([301, 302, 303, 307, 308])(
    'follows no redirect: %d is a failure that may pass, and nobody is asked',
    async (status) => {
      const other = await downloadServer(letter('of somebody else'));
      onTestFinished(() => other.close());
      const world = await anOpenDocument();
      onTestFinished(() => world.server.close());
      world.server.answer = (_, response) =>
        response.writeHead(status, { location: `${other.url}/cache/files/x` }).end();

      const answer = await world.save(2);

      expect([answer.status, other.asked, world.writes()]).toEqual([503, [], 0]);
    },
  );
});

describe('an answer with a part of a document', () => {
  it('takes the place of no document, and is asked for again', async () => {
    const world = await anOpenDocument();
    onTestFinished(() => world.server.close());
    world.server.answer = (_, response) => response.writeHead(206).end(letter('a part'));

    const { status } = await world.save();

    expect([status, world.writes()]).toEqual([503, 0]);
  });
});
