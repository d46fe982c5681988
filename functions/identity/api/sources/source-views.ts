import type { SyncCounts, SyncHistory } from '../../domain/runs/history.ts';
import type { BasicConfig, IdentitySource, StrategyConfig } from '../../domain/sources/source.ts';
import { SYNCHRONIZER_PATH } from '../../paths.ts';
import type { SourceDetails } from '../../sources/source-details.ts';

/** Maps a source to an entry of a list. */
export const toRow = (source: IdentitySource) => ({
  id: source.id,
  code: source.code,
  name: source.name,
  provider: source.provider,
  remark: source.remark ?? null,
  enabled: source.enabled,
  configured: source.configured,
  state: source.enabled ? ('ENABLED' as const) : ('DISABLED' as const),
  version: source.version,
  createTime: source.createdAt,
  updateTime: source.updatedAt,
});

/** Maps a source to its answer, without a secret. */
export function toSource(
  { source, connection, state, schedule, lastRuns }: SourceDetails,
  baseUrl: string,
) {
  const { failingSince: _failingSince, ...health } = state.health;
  const { key: _key, ...registration } = state.registration;
  return {
    ...toRow(source),
    registration,
    health,
    ...toBlocks(source, connection),
    schedule: schedule ?? null,
    callbackUrl: `${baseUrl}${SYNCHRONIZER_PATH}/event_receive/${source.code}`,
    eventSecretSet: true,
    lastSync: toLastSync(lastRuns),
    runningBatch: state.runningBatch ?? null,
  };
}

/** Maps a source to its configuration. */
export const toConfig = (source: IdentitySource, connection: BasicConfig | undefined) => ({
  id: source.id,
  ...toBlocks(source, connection),
  version: source.version,
});

const toBlocks = (source: IdentitySource, connection: BasicConfig | undefined) => ({
  basicConfig: connection ? toConnection(connection) : null,
  strategyConfig: toStrategy(source.strategyConfig),
  jobConfig: source.jobConfig,
});

/** Named member by member: a new member is not shown unless it is added here. */
const toConnection = (config: BasicConfig) => ({
  baseUrl: config.baseUrl,
  adminUsername: config.adminUsername,
  adminPasswordSet: true,
  domainOverride: config.domainOverride ?? null,
  adminTokenTtlMinutes: config.adminTokenTtlMinutes,
  incrementalEnabled: config.incrementalEnabled,
  notifyTemplateCode: config.notifyTemplateCode ?? null,
  authMode: config.authMode,
  tokenUrl: config.tokenUrl ?? null,
  clientId: config.clientId ?? null,
  clientSecretSet: config.clientSecret !== undefined,
  eventIssuer: config.eventIssuer ?? null,
  eventJwksUri: config.eventJwksUri ?? null,
});

function toStrategy({ user: { defaultPasswords, ...user }, ...strategy }: StrategyConfig) {
  const defaultPasswordSet = defaultPasswords.at(-1)?.hash !== undefined;
  return { ...strategy, user: { ...user, defaultPasswordSet } };
}

/** The runs over groups and people of a batch as one. */
function toLastSync(runs: readonly SyncHistory[]) {
  const [first, ...others] = runs;
  if (!first) return null;
  const worst = runs.find(({ status }) => status !== 'SUCCESS') ?? first;
  return {
    batch: first.batch,
    status: worst.status,
    startTime: first.startTime,
    endTime: runs.every(({ endTime }) => endTime !== undefined)
      ? (runs
          .map(({ endTime = '' }) => endTime)
          .toSorted()
          .at(-1) ?? null)
      : null,
    counts: others.reduce((sum, { counts }) => added(sum, counts), first.counts),
  };
}

const added = (a: SyncCounts, b: SyncCounts): SyncCounts => ({
  created: a.created + b.created,
  updated: a.updated + b.updated,
  deleted: a.deleted + b.deleted,
  disabled: a.disabled + b.disabled,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
  unchanged: a.unchanged + b.unchanged,
});
