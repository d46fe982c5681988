import { describe, expect, it } from 'vitest';
import { createIdentityModule } from '../../../functions/identity/module.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import type { EncryptService } from '../../../shared/ports/security.ts';
import { CONNECTION, SOURCES } from '../../helpers/identity/identity-api.ts';
import { aContext, connect } from '../../helpers/world/a-context.ts';

/** Writes texts backwards: enough to see that one was encrypted. */
const encryptService: EncryptService = {
  encrypt: async (plain) => [...plain].toReversed().join(''),
  decrypt: async (sealed) => [...sealed].toReversed().join(''),
  needsReencrypt: async () => false,
};

/** The module as its function makes it. */
function theModule() {
  const context = aContext({
    module: 'identity',
    host: { permissionEvaluator: claimsPermissionEvaluator, encryptService },
    svc: { idp: { enabled: true } },
  });
  const module = connect(createIdentityModule, context);
  const aSource = async (): Promise<string> => {
    const body = { name: 'Head office', provider: 'EXTSRC', basicConfig: CONNECTION };
    const made = await module.call({ method: 'POST', path: `${SOURCES}/create`, body });
    return String(made.body.id);
  };
  const put = (path: string) => module.call({ method: 'PUT', path: `${SOURCES}/${path}` });
  const list = () => module.call({ method: 'GET', path: `${SOURCES}/list` });
  const remove = (id: string, query = '') =>
    module.call({ method: 'DELETE', path: `${SOURCES}/delete/${id}${query}` });
  return { module, context, aSource, put, list, remove };
}

describe('the identity module', () => {
  it('creates, enables and lists a source', async () => {
    const { aSource, put, list } = theModule();
    const id = await aSource();

    const enabled = await put(`enable/${id}`);
    const { body } = await list();

    expect(enabled).toMatchObject({ status: 200, body: { id, enabled: true } });
    expect(body).toMatchObject({ totalElements: 1, content: [{ id, name: 'Head office' }] });
  });

  it('looks after sources and applies events by its tasks', async () => {
    const { module, aSource, put } = theModule();
    await put(`enable/${await aSource()}`);

    expect(await module.runTask('identity.pass', undefined)).toEqual({ sources: 1, failed: 0 });
    expect(await module.runTask('identity.events', undefined)).toEqual({ events: 0 });
  });

  it('knows every step of a run by the name that the state machine calls', async () => {
    const { readFile } = await import('node:fs/promises');
    const text = await readFile('functions/identity/sync.asl.json', 'utf8');
    const named = [...text.matchAll(/"task": "([^"]+)"/g)].map(([, name]) => name);

    const { tasks = {} } = createIdentityModule(theModule().context);

    expect(named.length).toBeGreaterThan(0);
    expect(Object.keys(tasks)).toEqual(expect.arrayContaining(named));
  });
});

describe('deleting a source', () => {
  it('frees its code and name, and keeps what it was without its secrets', async () => {
    const { aSource, list, remove, module, context } = theModule();
    const id = await aSource();

    expect(await remove(id)).toMatchObject({ status: 204 });

    expect((await list()).body).toMatchObject({ totalElements: 0 });
    expect(await remove(id)).toMatchObject({ status: 404 });
    const kept = await context.table.get({ pk: `identity_source#${id}`, sk: 'HEAD' });
    expect(kept).toMatchObject({ deletedBy: expect.any(String), source: { name: 'Head office' } });
    expect(JSON.stringify(kept)).not.toContain([...CONNECTION.adminPassword].toReversed().join(''));
    const path = `${SOURCES}/create`;
    const again = { method: 'POST', path, body: { name: 'head office', provider: 'EXTSRC' } };
    expect(await module.call(again)).toMatchObject({ status: 201 });
  });

  it('is refused while the source is enabled', async () => {
    const { aSource, put, remove } = theModule();
    const id = await aSource();
    await put(`enable/${id}`);

    expect(await remove(id)).toMatchObject({ status: 409, body: { code: 'SOURCE_ENABLED' } });
    await put(`disable/${id}`);
    expect(await remove(id)).toMatchObject({ status: 204 });
  });

  it('is refused while a run holds the source', async () => {
    const { aSource, remove, context } = theModule();
    const id = await aSource();
    const leaseUntil = context.clock.now() + 60_000;
    const lock = { sourceId: id, owner: 'events', batch: 'b1', fence: 1, leaseUntil, version: 1 };
    await context.unitOfWork(async (unit) =>
      unit.put({ pk: `LOCK#identity#${id}`, sk: 'HEAD', type: 'identity_source_lock', lock }),
    );

    expect(await remove(id)).toMatchObject({ status: 409, body: { runningBatch: 'b1' } });
  });

  it('keeps the accounts, and names the field of another wish', async () => {
    const { aSource, remove } = theModule();
    const id = await aSource();

    expect(await remove(id, '?accounts=purge')).toMatchObject({
      status: 400,
      body: { errors: [expect.objectContaining({ parameter: 'accounts' })] },
    });
    expect(await remove(id, '?accounts=keep')).toMatchObject({ status: 204 });
  });
});
