import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createSettingsModule } from '../../functions/settings/index.ts';
import { claimsPermissionEvaluator } from '../../shared/host/claims-policies.ts';
import type { Host } from '../../shared/host/host.ts';
import { connectModule } from '../../shared/lambda/handlers/create-handler.ts';
import { createLog } from '../../shared/lambda/logger.ts';
import type { ModuleContext } from '../../shared/lambda/module-context.ts';
import { createMessaging } from '../../shared/messaging/messaging.ts';
import { createBackgroundWork } from '../../shared/messaging/publishing/background-work.ts';
import { sameForAll, systemClock } from '../../shared/primitives/clock.ts';
import { uuidV7 } from '../../shared/primitives/ids.ts';
import { RefreshScope } from '../../shared/refresh/refresh-scope.ts';
import { systemPrincipal } from '../../shared/security/principal.ts';
import type { Table } from '../../shared/store/table.ts';
import { loadConfig, plainTopology } from '../helpers/world/svc-config.ts';
import { type Benchmark, type Figure, median } from './benchmark.ts';

const ROUNDS = 15;
const CALLS = 400;
const ISSUER = 'https://issuer.example.com';

/** What the request pipeline costs a call, against the bare service call; no network on either side. */
export default {
  name: 'Request pipeline',
  async run(say) {
    const { raw, token } = await anIssuer();
    const bare = createSettingsModule(aContext(raw, {})).services.settingService;
    const trusting = aCaller(aContext(raw, { authenticate: async () => admin }), token);
    const verifying = aCaller(aContext(raw, {}), token);
    say(`${ROUNDS} rounds of ${CALLS} calls of GET /api/v1/setting/{key}`);
    const [bareMs = 0, pipelineMs = 0, verifiedMs = 0] = await silently(() =>
      measure([() => bare.getSetting('bench.value'), trusting, verifying]),
    );
    return [
      { what: 'bare service call', value: bareMs, unit: 'ms' },
      { what: 'pipeline, added to a call', value: pipelineMs - bareMs, unit: 'ms', goal: 0.2 },
      {
        what: 'token verification (ES256), added to a call',
        value: verifiedMs - pipelineMs,
        unit: 'ms',
      },
    ] satisfies Figure[];
  },
} satisfies Benchmark;

const admin = { ...systemPrincipal, roles: ['admin'] };

/** Medians of the time of one call, the rounds taken in turn. */
async function measure(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, work] of works.entries()) {
      const startedAt = performance.now();
      for (let call = 0; call < CALLS; call += 1) await work();
      // The first round warms up.
      if (round > 0) times[index]?.push((performance.now() - startedAt) / CALLS);
    }
  }
  return times.map(median);
}

function aCaller(context: ModuleContext, token: string): () => Promise<unknown> {
  const handler = connectModule(createSettingsModule, context);
  return () => handler(anEvent(token), {} as Context);
}

function anEvent(token: string): APIGatewayProxyEventV2 {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/api/v1/setting/bench.value',
    rawQueryString: '',
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
    requestContext: { http: { method: 'GET', path: '/api/v1/setting/bench.value' } },
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
}

/** A table with one item, at no cost: only our own code is measured. */
const oneItemTable: Table = {
  get: async <T>() =>
    ({
      pk: 'setting#bench.value',
      sk: 'current',
      name: 'bench.value',
      value: 'x',
      desc: '',
      encrypted: false,
      version: 1,
    }) as T,
  query: async () => ({ items: [] }),
  count: async () => 0,
  getMany: async () => [],
};

function aContext(raw: Record<string, unknown>, host: Host): ModuleContext {
  const config = loadConfig(raw, { stage: 'local' });
  const log = createLog('bench');
  const unitOfWork = () => Promise.reject(new Error('nothing is written here'));
  const topology = plainTopology;
  const messaging = createMessaging({
    ...{ module: 'settings', config, table: oneItemTable, unitOfWork, topology, log },
    writer: { update: async () => undefined, mark: async () => false, put: async () => false },
    bus: new EventBridgeClient({}),
    busName: 'e',
    bucketName: 'b',
    background: createBackgroundWork(systemClock, log),
    clock: systemClock,
    ids: uuidV7,
  });
  return {
    config,
    host: { permissionEvaluator: claimsPermissionEvaluator, ...host },
    environment: {
      module: 'settings',
      stage: 'local',
      version: '0',
      modulesOn: [],
      tableName: 't',
      bucketName: 'b',
      eventBusName: 'e',
      messaging: topology,
      config,
      services: { stateMachines: {} },
      otherSections: {},
    },
    clock: systemClock,
    tenantClock: sameForAll(systemClock),
    ids: uuidV7,
    log,
    table: oneItemTable,
    unitOfWork,
    messaging,
    events: messaging.events,
    batchWrite: () => Promise.reject(new Error('nothing is written here')),
    refreshScope: new RefreshScope({
      table: oneItemTable,
      clock: systemClock,
      log,
      stalenessMs: 10_000,
    }),
    readSecret: async () => '',
  };
}

async function anIssuer(): Promise<{ raw: Record<string, unknown>; token: string }> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256' }] };
  const token = await new SignJWT({ roles: ['admin'] })
    .setProtectedHeader({ alg: 'ES256', kid: 'bench' })
    .setIssuer(ISSUER)
    .setAudience('svc-cloud')
    .setSubject('bench')
    .setExpirationTime('1h')
    .sign(privateKey);
  return {
    raw: { security: { dev: true, issuers: [{ issuer: ISSUER, audience: 'svc-cloud', jwks }] } },
    token,
  };
}

/** Keeps log lines, which are written as always, off the screen. */
async function silently<T>(work: () => Promise<T>): Promise<T> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
}
