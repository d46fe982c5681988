import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  hasDocumentServer,
  type StandIn,
  standInContext,
  startStandIn,
} from '../../../../bin/dev/start/document-server.ts';

const cdkJson = (svc: object): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-cloud-cdk-')), 'cdk.json');
  writeFileSync(file, JSON.stringify({ context: { svc } }));
  return file;
};

let standIn: StandIn | undefined;
afterEach(() => standIn?.stop());

describe('the document server of npm start', () => {
  it('is the configured one', () => {
    const url = 'https://docs.example.com';

    expect(hasDocumentServer({ 'svc.docs.document-server-url': url }, cdkJson({}))).toBe(true);
    expect(hasDocumentServer({}, cdkJson({ docs: { 'document-server-url': url } }))).toBe(true);
    expect(hasDocumentServer({ 'svc.docs.enabled': 'false' }, cdkJson({}))).toBe(true);
    expect(hasDocumentServer({}, cdkJson({ docs: { 'token-expiration': 60 } }))).toBe(false);
    expect(hasDocumentServer({}, cdkJson({}))).toBe(false);
  });

  it('is else a stand-in, a process of its own with a secret that stays', async () => {
    standIn = await startStandIn();
    const answer = await fetch(`${standIn.url}/healthcheck`);
    const again = await startStandIn();
    await again.stop();

    expect(await answer.text()).toBe('true');
    expect(again.secret).toBe(standIn.secret);
    expect(again.url).not.toBe(standIn.url);
    expect(standInContext(standIn, 3_000)).toMatchObject({
      'svc.docs.document-server-url': standIn.url,
      'svc.docs.internal-base-url': 'http://127.0.0.1:3000',
    });
  });
});
