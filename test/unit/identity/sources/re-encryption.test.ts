import { afterEach, describe, expect, it } from 'vitest';
import { createSettingsModule } from '../../../../functions/settings/index.ts';
import { encryptionPort, reEncryptionPort } from '../../../../functions/settings/port.ts';
import type { JobNotice } from '../../../../shared/jobs/job.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import { anIdentityApi, CONNECTION, SOURCES } from '../../../helpers/identity/identity-api.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const svc = { mq: { 'app-code': 'shop', relay: { enabled: true } }, idp: { enabled: true } };
const portUsers = {
  'settings.re-encryption': ['identity'],
  'settings.encryption': ['identity'],
};
const RE_ENCRYPT = '/api/v1/setting/re-encrypt';
const KID = /enc:v1:([0-9a-f]{8}):/g;
const MAX_TURNS = 200;

const faults = globalThis as { SVC_FAULTS?: boolean; svcFault?: (point: string) => void };
afterEach(() => {
  delete faults.SVC_FAULTS;
  delete faults.svcFault;
});

/** Settings and identity of one deployment, with sources whose texts have the first key. */
async function aWorld(sources = 3) {
  const context = aContext({ svc, portUsers });
  const settings = connect(createSettingsModule, context);
  const encryption = bindPort(encryptionPort, aContext({ svc, portUsers, besides: context })).use();
  const api = anIdentityApi({
    ...{ svc, portUsers, encryption, besides: context, module: 'identity' },
    reEncryption: (own) => bindPort(reEncryptionPort, own).use(),
  });
  const saveKey = (digit: number) =>
    settings.call({
      method: 'POST',
      path: '/api/v1/setting/save',
      body: { name: 'security.aes_secret', value: `hex:${String(digit).repeat(64)}` },
    });
  await saveKey(1);
  const ids: string[] = [];
  for (let n = 0; n < sources; n += 1) {
    const id = await api.aSource();
    const saved = await api.put(`${SOURCES}/save/config`, { id, basicConfig: CONNECTION });
    if (saved.status !== 200) throw new Error(saved.text);
    ids.push(id);
  }
  const kids = () =>
    new Set([...JSON.stringify(context.db.items()).matchAll(KID)].map(([, kid = '']) => kid));

  let delivered = 0;
  async function turn(): Promise<void> {
    context.clock.advance(61_000);
    await settings.runTask('settings.sweep');
    for (const work of [api.services.reEncryption.takeRound(), api.services.jobs.sweep()]) {
      await Promise.resolve(work).catch(() => undefined);
    }
    for (; delivered < context.bus.events.length; delivered += 1) {
      const event = context.bus.events[delivered];
      if (event?.type === 'setting-job') await settings.deliver(event.envelope);
      if (event?.type !== 'identity.job') continue;
      const payload = event.envelope.data;
      await api.services.jobs.run(payload as unknown as JobNotice).catch(() => undefined);
    }
  }
  async function finish() {
    const started = await settings.call({ method: 'POST', path: RE_ENCRYPT, body: {} });
    for (let n = 0; n < MAX_TURNS; n += 1) {
      await turn();
      const path = `${RE_ENCRYPT}/jobs/${String(started.body.id)}`;
      const { body } = await settings.call({ method: 'GET', path });
      if (!['WAITING', 'RUNNING', 'CANCELLING'].includes(String(body.state))) return body;
    }
    throw new Error('The round does not end');
  }
  const connections = () =>
    Promise.all(ids.map(async (id) => (await api.get(`${SOURCES}/get/${id}`)).body));
  return { context, api, ids, saveKey, kids, finish, connections };
}

describe('a re-encryption', () => {
  it('gives connection data and secrets of all sources the newest key, and ends', async () => {
    const { saveKey, kids, finish, connections } = await aWorld();
    const before = await connections();
    const [former] = kids();
    await saveKey(2);

    const job = await finish();

    expect(job).toMatchObject({ state: 'DONE', unreadable: 0, keysRemoved: 1 });
    expect(kids().size).toBe(1);
    expect([...kids()]).not.toContain(former);
    expect(await connections()).toEqual(before);
  });

  it('goes on when its process dies after any text', async () => {
    const { saveKey, kids, finish } = await aWorld(4);
    await saveKey(2);
    let deaths = 0;
    let chances = 0;
    faults.SVC_FAULTS = true;
    faults.svcFault = (point) => {
      if (point !== 'identity.after-seal') return;
      chances += 1;
      if (chances % 2 === 1 && deaths < 6) {
        deaths += 1;
        throw new Error('The process died');
      }
    };

    const job = await finish();

    expect(deaths).toBeGreaterThan(2);
    expect(job).toMatchObject({ state: 'DONE', unreadable: 0 });
    expect(kids().size).toBe(1);
  });

  it('refuses no change of a source that was made before it', async () => {
    const { api, ids, saveKey, finish } = await aWorld(1);
    const path = `${SOURCES}/get/${ids[0]}`;
    const { body } = await api.get(path);
    await saveKey(2);
    await finish();

    const change = { id: ids[0], name: 'Renamed', version: body.version };
    const changed = await api.put(`${SOURCES}/update`, change);

    expect(changed.status).toBe(200);
    expect((await api.get(path)).body.name).toBe('Renamed');
  });
});
