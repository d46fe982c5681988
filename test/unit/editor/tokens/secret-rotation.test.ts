import { describe, expect, it } from 'vitest';
import type { SecretReader } from '../../../../shared/lambda/module-context.ts';
import { downloadServer } from '../../../helpers/editor/download-server.ts';
import { anEditorApi, pathOf, SECRET } from '../editor-api.ts';

const NEXT = 'the-next-secret-of-the-tests-of-32-bytes';

async function aRotation(more: object = {}, readSecret?: SecretReader) {
  const server = await downloadServer('document');
  const docs = { 'document-server-url': server.url };
  const before = anEditorApi({ docs });
  const opened = await before.opened();
  const after = anEditorApi({
    docs: { ...docs, secret: NEXT, ...more },
    storage: before.storage,
    besides: before.context,
    ...(readSecret && { readSecret }),
  });
  const { SignJWT } = await import('jose');
  const report = async (secret: string) => {
    const claims = { key: opened.document.key, status: 1, users: ['lan'] };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(before.context.machineClock.now() / 1_000) + 300)
      .sign(Buffer.from(secret));
    const path = pathOf(opened.editorConfig.callbackUrl ?? '');
    return (await after.call({ method: 'POST', path, caller: null, body: { token } })).status;
  };
  return { before, after, opened, report, close: server.close };
}

describe('a secret that is replaced', () => {
  it('leaves open sessions their saves and files, signed by the one before', async () => {
    const world = await aRotation({ 'previous-secret': SECRET });

    const saved = [await world.report(SECRET), await world.report(NEXT)];
    const file = await world.after.get(pathOf(world.opened.document.url), { caller: null });

    expect([...saved, file.status]).toEqual([200, 200, 200]);
    await world.close();
  });

  it('ends them at once where the one before is not known', async () => {
    const world = await aRotation();

    expect([await world.report(SECRET), await world.report(NEXT)]).toEqual([403, 403]);
    await world.close();
  });

  it('is accepted for the life of a context token, and no longer', async () => {
    const world = await aRotation({ 'previous-secret': SECRET });
    await world.report(NEXT);
    const late = anEditorApi({
      docs: { secret: NEXT, 'previous-secret': SECRET },
      storage: world.before.storage,
      besides: world.before.context,
    });
    world.before.context.clock.advance(90_000_000);
    const { document } = await world.before.opened();

    const { status } = await late.get(pathOf(document.url), { caller: null });

    expect(status).toBe(403);
    await world.close();
  });

  it('is found in Secrets Manager with the version before', async () => {
    const versions: Record<string, string> = { new: NEXT, old: SECRET };
    const reads: unknown[] = [];
    const readSecret = Object.assign(
      async (reference: string, version = 'new') => {
        reads.push([reference, version]);
        return versions[version] ?? '';
      },
      { versionOf: async () => 'old' },
    );
    const before = anEditorApi();
    const { document } = await before.opened();
    const after = anEditorApi({
      docs: { secret: 'secretsmanager:svc-cloud/docs' },
      ...{ readSecret, storage: before.storage, besides: before.context },
    });

    const { status } = await after.get(pathOf(document.url), { caller: null });

    expect(status).toBe(200);
    expect(reads).toEqual([
      ['svc-cloud/docs', 'new'],
      ['svc-cloud/docs', 'old'],
    ]);
  });

  it.each(['secret', ''])('works with no secret that anybody knows: "%s"', async (secret) => {
    const readSecret = Object.assign(async () => secret, { versionOf: async () => undefined });
    const { open } = anEditorApi({ docs: { secret: 'secretsmanager:svc-cloud/docs' }, readSecret });

    expect((await open()).status).toBe(500);
  });
});

describe('a secret before that anybody knows', () => {
  it('is not accepted where it is kept in Secrets Manager', async () => {
    const versions: Record<string, string> = { new: SECRET, old: 'secret' };
    const readSecret = Object.assign(
      async (_reference: string, version = 'new') => versions[version] ?? '',
      { versionOf: async () => 'old' },
    );
    const world = await aRotation({ secret: 'secretsmanager:shop/docs' }, readSecret);

    expect([await world.report('secret'), await world.report(SECRET)]).toEqual([403, 200]);
    await world.close();
  });

  it('is an error of the configuration where it is written there', () => {
    const wrong = () => anEditorApi({ docs: { 'previous-secret': 'secret' } });

    expect(wrong).toThrow(/DOCS_SECRET_KNOWN|svc\.docs\.previous-secret/);
  });
});

describe('a store of secrets that is down', () => {
  it('leaves the known secret in use, and bad tokens refused', async () => {
    let isDown = false;
    const read = async () => {
      if (isDown) throw new Error('The store is down');
      return SECRET;
    };
    const readSecret = Object.assign(read, { versionOf: async () => undefined });
    const api = anEditorApi({ docs: { secret: 'secretsmanager:shop/docs' }, readSecret });
    await api.opened();
    isDown = true;

    api.context.machineClock.advance(310_000);
    const bad = await api.get('/api/v1/docs/file/documents/letter.docx?accessToken=a.b.c', {
      caller: null,
    });

    expect([bad.status, (await api.open()).status]).toEqual([403, 200]);
  });
});
