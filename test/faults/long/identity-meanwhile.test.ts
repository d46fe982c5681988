import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { secretBytes } from '../../../functions/identity/sources/event-secret.ts';
import { createSettingsModule } from '../../../functions/settings/index.ts';
import { encryptionPort } from '../../../functions/settings/port.ts';
import { bindPort } from '../../../shared/module/bind-port.ts';
import { type HttpSync, httpSync } from '../../helpers/identity/http-sync.ts';
import { SOURCES } from '../../helpers/identity/identity-api.ts';
import { accountsOf, wrongAccounts } from '../../helpers/identity/stored-people.ts';
import { aSource, syncWorld } from '../../helpers/identity/sync-world.ts';
import type { Asked, Told } from '../../helpers/scim/scripted-source.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { aContext, connect } from '../../helpers/world/a-context.ts';
import { report } from '../harness/run.ts';

const STATES = [
  ...['Begin', 'Read the source', 'Plan', 'Apply departments', 'Apply users', 'Apply a chunk'],
  ...['Remove the missing', 'Finish'],
];
const PEOPLE = 600;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const closing: HttpSync[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});
const opened = async (options?: Parameters<typeof httpSync>[0]): Promise<HttpSync> => {
  const world = await httpSync(options);
  closing.push(world);
  return world;
};
/** Some are gone, some are new, some have other names. */
function change({ directory: { users } }: HttpSync): void {
  for (const [at, [id, user]] of [...users].entries()) {
    if (at % 20 === 7) {
      users.delete(id);
      users.set(`n-${at}`, { id: `n-${at}`, userName: `new-${at}` });
    } else if (at % 10 === 3) users.set(id, { ...user, displayName: `Changed ${at}` });
  }
}
function atState({ machine }: HttpSync, state: string, work: () => unknown): void {
  machine.beforeState = async (name) => {
    if (name !== state) return;
    machine.beforeState = () => undefined;
    await work();
  };
}

describe('a password or a key that is replaced', () => {
  it.each(STATES)(
    'at the source and here, at %s: the run goes on with the new one',
    async (state) => {
      const world = await opened();
      world.fill(PEOPLE);
      await world.run();
      change(world);
      atState(world, state, async () => {
        world.directory.password = 'another';
        const saved = await world.save({
          basicConfig: { ...world.basicConfig, adminPassword: 'another' },
        });
        expect(saved.status).toBe(200);
      });
      expect((await world.run()).status).toBe('SUCCESS');
      expect(wrongAccounts(world)).toEqual([]);
    },
  );

  it('at the source alone, at any request: a run ends, removes nobody, and the next one does everything', async () => {
    const world = await opened();
    world.fill(PEOPLE);
    await world.run();
    change(world);
    const known = accountsOf(world).length;
    for (let at = 1; at <= 8; at += 1) {
      let asked = 0;
      const password = `p-${at}`;
      world.directory.lie = () => {
        asked += 1;
        if (asked === at) world.directory.password = password;
        return undefined;
      };
      const { status } = await world.run();
      expect(['FAIL', 'PARTIAL', 'SUCCESS']).toContain(status);
      world.directory.lie = undefined;
      await world.save({ basicConfig: { ...world.basicConfig, adminPassword: password } });
      world.directory.password = password;
      const { users } = world.directory;
      const lost = wrongAccounts(world).filter((name) => !name.startsWith('new-'));
      expect([lost, users.size >= known]).toEqual([[], true]);
    }
    expect((await world.run()).status).toBe('SUCCESS');
    expect(wrongAccounts(world)).toEqual([]);
  });

  it.each(STATES)('of the encryption, at %s: the run does not notice', async (state) => {
    const svc = { mq: { 'app-code': 'shop', relay: { enabled: true } }, idp: { enabled: true } };
    const portUsers = {
      'settings.re-encryption': ['identity'],
      'settings.encryption': ['identity'],
    };
    const context = aContext({ svc, portUsers });
    const settings = connect(createSettingsModule, context);
    const encryption = bindPort(
      encryptionPort,
      aContext({ svc, portUsers, besides: context }),
    ).use();
    const saveKey = async (digit: number) => {
      const body = { name: 'security.aes_secret', value: `hex:${String(digit).repeat(64)}` };
      const saved = await settings.call({ method: 'POST', path: '/api/v1/setting/save', body });
      expect(saved.status).toBeLessThan(300);
    };
    await saveKey(1);
    const world = await opened({ encryption, besides: { context, svc } });
    world.fill(PEOPLE);
    expect((await world.run()).status).toBe('SUCCESS');
    change(world);
    atState(world, state, () => saveKey(2));
    expect((await world.run()).status).toBe('SUCCESS');
    expect(wrongAccounts(world)).toEqual([]);
  });
});

describe('clocks that differ, and changes at any time', () => {
  it.each([-23 * HOUR_MS, -HOUR_MS, -1_000, 0, 1_000, HOUR_MS, 23 * HOUR_MS])(
    'by %i ms: incremental runs lose none',
    async (skew) => {
      const random = seededRandom(Math.abs(skew) + 7);
      const world = await opened({ basicConfig: { incrementalEnabled: true } });
      world.fill(60);
      const { directory, context, machine } = world;
      directory.now = () => context.clock.now() + skew;
      directory.pageSize = 10;
      let changes = 0;
      const touch = () => {
        const id = [...directory.users.keys()][Math.floor(random() * 60)] ?? '';
        changes += 1;
        const meta = { lastModified: new Date(context.clock.now() + skew).toISOString() };
        directory.users.set(id, {
          ...directory.users.get(id),
          displayName: `Change ${changes}`,
          meta,
        });
      };
      for (let at = 0; at < 60; at += 1) touch();
      expect((await world.run()).status).toBe('SUCCESS');
      machine.beforeState = () => {
        context.clock.advance(Math.floor(random() * 20_000));
        if (random() < 0.4) touch();
      };
      directory.lie = ({ path }) => {
        context.clock.advance(Math.floor(random() * 2_000));
        if (path.endsWith('/Users') && random() < 0.3) touch();
        return undefined;
      };
      for (let round = 0; round < 40; round += 1) {
        context.clock.advance(Math.floor(random() * 3 * MINUTE_MS));
        if (random() < 0.5) touch();
        expect((await world.run({ mode: 'INCREMENTAL' })).status).toBe('SUCCESS');
      }
      machine.beforeState = () => undefined;
      directory.lie = undefined;
      context.clock.advance(1_000);
      expect(await world.run({ mode: 'INCREMENTAL' })).toMatchObject({ status: 'SUCCESS' });
      const seen = new Map(
        accountsOf(world).map((each) => [each.links[0]?.externalId, each.fullName]),
      );
      for (const [id, user] of directory.users) expect(seen.get(id)).toBe(user.displayName);
      report(`skew ${skew}`, { changes });
    },
  );
});

/** Events that are signed as the directory signs them, or as somebody else does. */
const eventsOf = (world: HttpSync) => ({
  post: async (key: string, text: string, isForged: boolean) => {
    const { api, context } = world;
    const at = Math.floor(context.clock.now() / 1_000);
    const secret = isForged ? Buffer.alloc(32, 9) : secretBytes(world.eventSecret);
    const mac = createHmac('sha256', secret).update(`${key}.${at}.${text}`).digest('base64');
    const headers = {
      ...{ 'content-type': 'application/json', 'webhook-id': key },
      ...{ 'webhook-timestamp': `${at}`, 'webhook-signature': `v1,${mac}` },
    };
    const path = '/api/v1/synchronizer/event_receive/crew';
    return (await api.call({ method: 'POST', path, body: text, headers, caller: null })).status;
  },
});

/** Changes of a directory, and events that tell of them or of what is not so. */
class RandomEvents {
  readonly #world: HttpSync;
  readonly #random: () => number;
  readonly #sent: { readonly key: string; readonly text: string }[] = [];
  #steps = 0;

  constructor(world: HttpSync, seed: number) {
    this.#world = world;
    this.#random = seededRandom(seed);
  }

  async step(): Promise<void> {
    const { api, context, id, machine } = this.#world;
    this.#steps += 1;
    this.#change();
    context.clock.advance(2_000);
    await this.#send();
    if (this.#random() < 0.3) await api.services.eventWorker.sweep();
    const again = this.#pick(this.#sent);
    if (again && this.#random() < 0.3) await api.services.eventWorker.apply(id, again.key);
    if (this.#random() < 0.05) await machine.work();
  }

  #change(): void {
    const { users } = this.#world.directory;
    const user = this.#pick([...users.values()]) ?? {};
    const id = String(user.id);
    const dice = this.#random();
    if (dice < 0.15) users.set(id, { ...user, displayName: `S ${this.#steps}` });
    else if (dice < 0.2) users.set(id, { ...user, active: user.active === false });
    else if (dice < 0.22) {
      const made = `m-${this.#steps}`;
      users.set(made, { id: made, userName: `made-${this.#steps}` });
    }
  }

  async #send(): Promise<void> {
    const repeated = this.#random() < 0.3 ? this.#pick(this.#sent) : undefined;
    const event = repeated ?? { key: `e-${this.#steps}`, text: JSON.stringify(this.#false()) };
    const isForged = this.#random() < 0.2;
    const status = await eventsOf(this.#world).post(event.key, event.text, isForged);
    expect(status).toBe(isForged ? 401 : 202);
    if (!isForged) this.#sent.push(event);
  }

  /** What it says of its subject is false, and what it says has happened mostly too. */
  #false(): object {
    const ids = [...this.#world.directory.users.keys(), 'nobody'];
    const isGroup = this.#random() < 0.15;
    const kind = this.#pick(['updated', 'created', 'deleted', 'activated', 'deactivated']);
    return {
      type: `${isGroup ? 'organization' : 'user'}.${kind}`,
      objectId: this.#pick(isGroup ? ['g-a', 'g-b', 'g-x'] : ids),
      ...{ occurredAt: '2001-01-01T00:00:00Z', data: { userName: 'forged', active: false } },
    };
  }

  #pick<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)];
  }
}

/** Who may not log in though the source has never said so. */
const wronged = ({ directory, ...world }: HttpSync): readonly string[] =>
  accountsOf(world).flatMap(({ userName, status, links: [link] }) => {
    const user = directory.users.get(link?.externalId ?? '');
    return user && (status === 'ENABLED' || 'active' in user) ? [] : [userName];
  });

describe('events in any order, repeated, forged and false', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('leave what the source says (seed %i)', async (seed) => {
    const world = await opened();
    world.fill(60);
    await world.run();
    const { api, directory } = world;
    const events = new RandomEvents(world, seed);
    for (let step = 0; step < 120; step += 1) {
      await events.step();
      expect(wronged(world)).toEqual([]);
    }
    for (let round = 0; round < 6; round += 1) {
      await api.services.eventWorker.sweep();
      await world.machine.work();
    }
    expect((await world.run()).status).toBe('SUCCESS');
    const state = accountsOf(world).map(({ userName, status, fullName }) => [
      userName,
      status,
      fullName,
    ]);
    const wanted = [...directory.users.values()].map(({ userName, active, displayName }) => [
      ...[userName, active === false ? 'DISABLED' : 'ENABLED', displayName],
    ]);
    expect(state.map(String).sort()).toEqual(wanted.map(String).sort());
  });
});

describe('one of twenty schedules that cannot be registered', () => {
  it.each(Array.from({ length: 20 }, (_, at) => at))(
    'number %i: nineteen are, and run',
    async (bad) => {
      const jobConfig = { mode: 'period', value: '6' } as const;
      const all = Array.from({ length: 20 }, (_, at) =>
        aSource({ id: `source-${at}`, code: `code-${at}`, name: `Source ${at}`, jobConfig }),
      );
      const [first, ...others] = all;
      const world = await syncWorld(first, { others });
      world.fill(100);
      const set = world.schedules.set.bind(world.schedules);
      world.schedules.set = (name, schedule) => {
        if (name.startsWith(`source-${bad}-`)) throw new Error('The scheduler refuses');
        return set(name, schedule);
      };
      expect(await world.pass.run()).toEqual({ sources: 20, failed: 0 });
      expect(world.schedules.size).toBe(19);
      for (const { input } of [...world.schedules.values()]) {
        await world.machine.run(crypto.randomUUID(), input);
      }
      const ended = await Promise.all(
        all.map(
          async ({ id }) =>
            (await world.history.page(id, { objectType: 'USER' }, { size: 2 })).content.length,
        ),
      );
      expect(ended).toEqual(all.map((_, at) => (at === bad ? 0 : 1)));
      world.schedules.set = set;
      await world.pass.run();
      expect(world.schedules.size).toBe(20);
      expect((await world.sources.state(`source-${bad}`)).registration.status).toBe('REGISTERED');
    },
  );
});

const CANARY = 'canary-p4ssw0rd:ü';

/** Answers of one address with all that it was sent, in a form of their own each time. */
function telling({ source }: HttpSync, path: string, status: number) {
  let asked = 0;
  const others: Readonly<Record<string, object>> = {
    '/token': { access_token: 'abc' },
    '/.well-known/oauth-authorization-server': { token_endpoint: `${source.origin}/token` },
  };
  return (one: Asked): Told | undefined => {
    asked += 1;
    if (!one.path.includes(path)) return others[one.path] && { body: others[one.path] };
    const told = `${one.authorization} ${one.body} ${CANARY}`;
    const text = encodeURIComponent(told);
    return {
      status,
      headers: {
        location: `https://x.example/${text}`,
        'www-authenticate': text,
        'retry-after': '0',
      },
      body: asked % 2 === 1 ? { detail: told, error: told, scimType: told } : told,
    };
  };
}

describe('a source that tells all that it was sent, wherever it can', () => {
  const forms = [CANARY, `sync:${CANARY}`, `:${CANARY}`].flatMap((text) => [
    ...[text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)],
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
  ]);
  it.each(['basic', 'token', 'client_credentials', 'bearer', 'auto'])(
    'by a login of the kind %s',
    async (authMode) => {
      const world = await opened({
        basicConfig: { authMode, adminPassword: CANARY, clientSecret: CANARY, clientId: 'c' },
      });
      world.fill(20);
      world.directory.password = CANARY;
      const seen: string[] = [];
      const { tasks } = world.machine;
      world.machine.tasks = Object.fromEntries(
        Object.entries(tasks).map(([name, task]) => [
          name,
          async (input: unknown) => {
            const value = await task(input);
            seen.push(JSON.stringify([input, value]));
            return value;
          },
        ]),
      );
      const call = async (method: string, path: string, body?: unknown) => {
        const answer = await world.api.call({ method, path, body });
        seen.push(answer.text, JSON.stringify(answer.headers), ...answer.cookies);
      };
      const paths = ['.well-known', 'token', 'ServiceProviderConfig', 'Groups', 'Users', 'u-00001'];
      for (const path of paths) {
        for (const status of [200, 302, 400, 401, 403, 404, 409, 413, 429, 500, 501]) {
          world.directory.lie = telling(world, path, status);
          world.context.clock.advance(61_000);
          await world.save({ jobConfig: {} });
          const { body } = await world.api.post(`${SOURCES}/sync/execute/${world.id}`, {
            mode: 'FULL',
          });
          await world.machine.work();
          await call('GET', `${SOURCES}/sync/run/${body.batch}`);
          await call('GET', `${SOURCES}/sync/record_list?syncHistoryId=${body.userHistoryId}`);
          const config = { basicConfig: world.basicConfig };
          await call('POST', `${SOURCES}/config_validator`, { provider: 'EXTSRC', config });
          await call('POST', `${SOURCES}/mapping_preview`, {
            ...{ provider: 'EXTSRC', config, externalId: 'u-00001' },
          });
        }
      }
      world.directory.lie = undefined;
      for (const path of [`get/${world.id}`, `get/config/${world.id}`, 'list']) {
        await call('GET', `${SOURCES}/${path}`);
      }
      const { context } = world;
      const places = {
        seen: seen.join('\n'),
        log: context.log.text(),
        table: JSON.stringify(context.db.items()),
        bus: JSON.stringify(context.bus.events),
        files: world.written.join('\n'),
      };
      const found = Object.entries(places).flatMap(([place, text]) =>
        forms.filter((form) => text.includes(form)).map((form) => `${place}: ${form}`),
      );
      expect(found).toEqual([]);
      report(`secrets by ${authMode}`, { bytes: Object.values(places).join('').length });
    },
  );
});
