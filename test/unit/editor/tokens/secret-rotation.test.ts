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

const B = 'the-second-secret-of-the-tests-32-bytes';
const C = 'the-third-secret-of-the-tests-of-32-bytes';
const HOUR_MS = 3_600_000;

/** Secrets Manager with one secret; each value that is put is a version. */
function aStore(first: string) {
  const versions = [first];
  const gone = new Set<string>();
  let [current, previous]: (string | undefined)[] = ['0', undefined];
  const read = async (_reference: string, version = current): Promise<string> => {
    if (version === undefined || gone.has(version)) {
      throw Object.assign(new Error('There is none'), { name: 'ResourceNotFoundException' });
    }
    return versions[Number(version)] ?? '';
  };
  const versionOf = async (_reference: string, stage: string) =>
    stage === 'AWSPREVIOUS' ? previous : current;
  return {
    readSecret: Object.assign(read, { versionOf }),
    put(value: string) {
      versions.push(value);
      [current, previous] = [String(versions.length - 1), current];
    },
    /** What has no label is removed some day. */
    remove: (version: string) => gone.add(version),
  };
}

/** A document that is opened with each secret in turn; tells what verifies by then. */
async function aHistory(life = 90_000) {
  const store = aStore(SECRET);
  const docs = { secret: 'secretsmanager:shop/docs', 'presigned-url-expiration': 3_600 };
  const more = { 'callback-context-token-expiration': life };
  const first = anEditorApi({ docs: { ...docs, ...more }, readSecret: store.readSecret });
  const addresses = new Map<string, string>();
  /** A new environment: it knows only what is stored. */
  const environment = () =>
    anEditorApi({
      docs: { ...docs, ...more },
      readSecret: store.readSecret,
      storage: first.storage,
      besides: first.context,
    });
  const world = {
    store,
    async open(name: string) {
      const { editorConfig } = await environment().opened();
      addresses.set(name, pathOf(editorConfig.callbackUrl ?? ''));
    },
    async rotate(value: string, afterMs = HOUR_MS) {
      first.context.machineClock.advance(afterMs);
      store.put(value);
      await world.open(value);
    },
    pass: (ms: number) => first.context.machineClock.advance(ms),
    async reports(name: string, secret: string) {
      const { SignJWT, decodeJwt } = await import('jose');
      const path = addresses.get(name) ?? '';
      const context = decodeJwt(path.slice(path.indexOf('=') + 1));
      const claims = { key: context.key, status: 1, users: ['lan'] };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(Math.floor(first.context.machineClock.now() / 1_000) + 300)
        .sign(Buffer.from(secret));
      const call = { method: 'POST', path, caller: null, body: { token } };
      return (await environment().call(call)).status;
    },
  };
  await world.open(SECRET);
  return world;
}

describe('a secret that is replaced more than once', () => {
  it('is accepted for the life of a context token when the one before it comes back', async () => {
    const world = await aHistory();
    await world.rotate(B);
    world.pass(30 * HOUR_MS);
    await world.open(B);
    await world.rotate(SECRET);
    world.pass(20 * HOUR_MS);

    expect(await world.reports(B, B)).toBe(200);
    world.pass(4 * HOUR_MS);
    expect(await world.reports(SECRET, B)).toBe(200);
    await world.open(SECRET);
    world.pass(2 * HOUR_MS);
    expect([await world.reports(SECRET, B), await world.reports(SECRET, SECRET)]).toEqual([
      403, 200,
    ]);
  });

  it('comes back with a configuration that names the other as the previous one', async () => {
    const a = anEditorApi();
    await a.opened();
    const of = (secret: string, previous: unknown) =>
      anEditorApi({
        docs: { secret, 'previous-secret': previous },
        storage: a.storage,
        besides: a.context,
      });
    const file = async (api: typeof a, url: string) =>
      (await api.get(pathOf(url), { caller: null })).status;
    const first = await of(SECRET, C).opened();
    await file(of(SECRET, C), first.document.url);
    a.context.machineClock.advance(30 * HOUR_MS);
    const { document } = await of(B, SECRET).opened();
    await file(of(B, SECRET), document.url);
    a.context.machineClock.advance(HOUR_MS / 2);

    expect(await file(of(SECRET, B), document.url)).toBe(200);
  });

  it('is accepted for the life of a context token when two others follow', async () => {
    const world = await aHistory();
    await world.rotate(B);
    await world.rotate(C);

    expect([await world.reports(SECRET, SECRET), await world.reports(B, B)]).toEqual([200, 200]);
    world.pass(24 * HOUR_MS);
    expect([await world.reports(C, SECRET), await world.reports(C, B)]).toEqual([403, 200]);
  });

  it('is accepted where a configuration names both that were before it', async () => {
    const a = anEditorApi();
    const { document } = await a.opened();
    const after = anEditorApi({
      docs: { secret: C, 'previous-secret': [B, SECRET] },
      storage: a.storage,
      besides: a.context,
    });

    expect((await after.get(pathOf(document.url), { caller: null })).status).toBe(200);
  });

  it('is one of a few', async () => {
    const world = await aHistory();
    const names = Array.from(
      { length: 8 },
      (_, at) => `secret-${at}-of-the-tests-of-32-bytes-each`,
    );
    for (const name of names) await world.rotate(name, 60_000);

    const statuses = [];
    for (const name of [SECRET, ...names]) statuses.push(await world.reports(name, name));

    expect(statuses).toEqual([403, 403, 403, 200, 200, 200, 200, 200, 200]);
  });

  it('ends where the store of secrets has removed it, and ends nothing else', async () => {
    const world = await aHistory();
    await world.rotate(B);
    await world.rotate(C);
    world.store.remove('0');

    const statuses = [await world.reports(SECRET, SECRET), await world.reports(B, B)];

    expect(statuses).toEqual([403, 200]);
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
