import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { createSettingsModule } from '../../../functions/settings/index.ts';
import {
  aContext,
  type ConnectedModule,
  type ContextOptions,
  connect,
  type TestContext,
} from '../world/a-context.ts';

const svc = {
  mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } },
  dynamic: { enabled: true },
};
const portUsers = { 'settings.re-encryption': ['entities'] };
const KEY = 'security.aes_secret';
const CIPHER_TEXT = /enc:v1:([0-9a-f]{8}):[A-Za-z0-9_-]+/g;
/** Most rounds of messages and sweeps that a job may take. */
const MAX_TURNS = 400;

/** Settings and entities of one deployment, in two environments of each function. */
export function aReEncryptionWorld(
  secrets: Pick<ContextOptions, 'readSecret' | 'host' | 'pauseMs'> = {},
) {
  const context = aContext({ svc, portUsers, ...secrets });
  const anEnvironment = (
    module: string,
    besides: TestContext,
    factory: Parameters<typeof connect>[0],
  ): ConnectedModule => connect(factory, aContext({ module, svc, portUsers, besides, ...secrets }));
  const settings = connect(createSettingsModule, context);
  const entities = anEnvironment('entities', context, createEntitiesModule);
  let delivered = 0;
  const world = {
    context,
    settings,
    entities,
    /** Another warm environment of each function; it follows refreshes only when it is called. */
    besides: () => ({
      settings: anEnvironment('settings', context, createSettingsModule),
      entities: anEnvironment('entities', context, createEntitiesModule),
    }),
    saveKey: (digit: number) => save(settings, KEY, `hex:${String(digit % 10).repeat(64)}`),
    save,
    /** Delivers what was sent, and sweeps. */
    async turn(of = { settings, entities }): Promise<void> {
      context.clock.advance(61_000);
      for (const [module, task] of [
        [of.settings, 'settings.sweep'],
        [of.entities, 'entities.sweep'],
      ] as const) {
        await module.runTask(task).catch(() => undefined);
      }
      while (delivered < context.bus.events.length) {
        const event = context.bus.events[delivered];
        delivered += 1;
        const target = { 'setting-job': of.settings, 'dynamic-entity-job': of.entities }[
          event?.type ?? ''
        ];
        if (target && event) await target.deliver(event.envelope);
      }
    },
    async start(): Promise<string> {
      const path = '/api/v1/setting/re-encrypt';
      const { status, body } = await settings.call({ method: 'POST', path, body: {} });
      if (status !== 202) throw new Error(JSON.stringify(body));
      return String(body.id);
    },
    job: (id: string) =>
      settings.call({ method: 'GET', path: `/api/v1/setting/re-encrypt/jobs/${id}` }),
    /** Runs until the job has ended. @returns its last state */
    async finish(id: string, between = async (_turn: number) => {}) {
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        await world.turn();
        await between(turn);
        const { status, body } = await world.job(id);
        if (status !== 200) continue;
        if (!['WAITING', 'RUNNING', 'CANCELLING'].includes(String(body.state))) return body;
      }
      throw new Error('The job does not end');
    },
    /** Ids of the keys of everything that is stored. */
    kids(): ReadonlySet<string> {
      const text = JSON.stringify([context.db.items(), []]);
      return new Set([...text.matchAll(CIPHER_TEXT)].map(([, kid = '']) => kid));
    },
    /** Every cipher text that is stored. */
    texts: (): readonly string[] =>
      [...JSON.stringify(context.db.items()).matchAll(CIPHER_TEXT)].map(([text]) => text),
    ring(): readonly unknown[] {
      const item = context.db.items().find(({ sk }) => sk === 'keyring');
      return (item?.entries as readonly unknown[] | undefined) ?? [];
    },
    /** The service of an environment that has seen nothing. */
    freshService: () =>
      createSettingsModule(aContext({ svc, besides: context, ...secrets })).services.encryptService,
  };
  return world;
}

async function save(
  settings: ConnectedModule,
  name: string,
  value: string,
  encrypt?: boolean,
): Promise<void> {
  const body = { name, value, ...(encrypt === undefined ? {} : { encrypt }) };
  const path = '/api/v1/setting/save';
  const answer = await settings.call({ method: 'POST', path, body });
  if (answer.status >= 300) throw new Error(answer.text);
}
