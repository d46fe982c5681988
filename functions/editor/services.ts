import { createFiles } from '../../shared/files/create-files.ts';
import { createHttpClient } from '../../shared/http-client/http-client.ts';
import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { BoundPort } from '../../shared/module/bind-port.ts';
import type { EditedDocuments, FieldReaders } from '../../shared/ports/templates.ts';
import { once } from '../../shared/primitives/once.ts';
import { publicUrl } from '../../shared/primitives/public-url.ts';
import { CallbackService } from './callbacks/callback-service.ts';
import { CallbackVerifier } from './callbacks/callback-verifier.ts';
import type { EditorConfig } from './configuration.ts';
import { SECRET_REFERENCE } from './domain/known-secrets.ts';
import { SaveDownload } from './downloads/save-download.ts';
import { FileAddresses } from './files/file-addresses.ts';
import { FileDelivery } from './files/file-delivery.ts';
import { DocumentFinder } from './history/document-finder.ts';
import { IdleCheck } from './history/idle-check.ts';
import { RestoreRecord } from './history/restore-record.ts';
import { VersionRemoval } from './history/version-removal.ts';
import { VersionRestore } from './history/version-restore.ts';
import { VersionService } from './history/version-service.ts';
import { DocumentAccess } from './opening/document-access.ts';
import { EditorOpening } from './opening/editor-opening.ts';
import { KeyKeeper } from './opening/key-keeper.ts';
import { pluginsOf } from './opening/plugin-section.ts';
import { SessionOpenings } from './opening/session-openings.ts';
import { PluginTokens } from './plugin/plugin-tokens.ts';
import { BegunWrites } from './saving/begun-writes.ts';
import { CopyPlaces } from './saving/copy-places.ts';
import { LeftWrites } from './saving/left-writes.ts';
import { createSaveMetrics } from './saving/save-metrics.ts';
import { SavePlanner } from './saving/save-planner.ts';
import { SaveRecord } from './saving/save-record.ts';
import { SaveService } from './saving/save-service.ts';
import { SaveWriter } from './saving/save-writer.ts';
import { SavedVersions } from './saving/saved-versions.ts';
import { SavesElsewhere } from './saving/saves-elsewhere.ts';
import { WriteIntents } from './saving/write-intents.ts';
import { CommandClient } from './sessions/command-client.ts';
import { ForgottenFiles } from './sessions/forgotten-files.ts';
import { ServerStatusService } from './sessions/server-status.ts';
import { SessionService } from './sessions/session-service.ts';
import { FILE_LINKS } from './store/file-links.ts';
import { RecoveryProgress } from './store/recovery-progress.ts';
import { SaveRepository } from './store/save-repository.ts';
import { SecretHistoryRepository } from './store/secret-history-repository.ts';
import { SessionRepository } from './store/session-repository.ts';
import { VersionRepository } from './store/version-repository.ts';
import { DocsSecrets } from './tokens/docs-secrets.ts';
import { EditorTokens } from './tokens/editor-tokens.ts';
import { EndedHistories } from './versions/ended-histories.ts';
import { VersionEraser } from './versions/version-eraser.ts';
import { VersionKeeper } from './versions/version-keeper.ts';

/** Ports of other modules that the services use. */
export interface OtherModules {
  readonly documents: BoundPort<EditedDocuments>;
  readonly readers: BoundPort<FieldReaders>;
  /** Locale of documents, where the caller's is not known. */
  readonly locale: string;
}

/** Calls of the editing server, and of nothing else. */
function serverClient({ config: { docs }, readSecret, environment }: ServiceContext<EditorConfig>) {
  return once(async () => {
    const { ca } = docs;
    const authorities = ca?.startsWith(SECRET_REFERENCE)
      ? await readSecret(ca.slice(SECRET_REFERENCE.length))
      : ca;
    const own = [docs.documentServerUrl, docs.documentServerInternalUrl];
    return createHttpClient({
      namedOrigins: [...own, ...docs.allowedDownloadOrigins].filter((url) => url !== undefined),
      isLocal: environment.stage === 'local',
      ...(authorities !== undefined && { certificateAuthorities: authorities }),
    });
  });
}

/** All services of the module. */
export function createServices(
  context: ServiceContext<EditorConfig>,
  { documents, readers, locale }: OtherModules,
) {
  const { config, host, tenantClock } = context;
  const { docs, web } = config;
  const publicBase = () => publicUrl(web);
  const serverBase = () => docs.internalBaseUrl.replace(/\/+$/, '') || publicBase();
  const place = { ...FILE_LINKS, baseUrl: publicBase };
  const { files } = createFiles(context, place, docs.s3PublicEndpoint);
  const machine = { ...context, clock: tenantClock.machine, docs };
  const isOwnBucket = host.storage === undefined;
  const secrets = new DocsSecrets({ ...machine, history: new SecretHistoryRepository(machine) });
  const tokens = new EditorTokens({ ...machine, secrets });
  const pluginTokens = new PluginTokens({
    ...{ readers, clock: tenantClock.machine, tokenSeconds: docs.tokenExpiration },
    secret: () => secrets.current(),
  });
  const sessions = new SessionRepository(context);
  const saves = new SaveRepository(machine);
  const openings = new SessionOpenings({ ...machine, sessions });
  const keys = new KeyKeeper({
    ...{ ...machine, sessions, files, openings },
    finish: (...found) => left.finish(...found),
  });
  const access = new DocumentAccess(context);
  const record = new SaveRecord({
    ...{ ...machine, sessions, keys, files },
    metrics: createSaveMetrics(context.environment.module),
  });
  const stores = { ...{ config, files, isOwnBucket, sessions, keys, tokens, documents, access } };
  const http = serverClient(context);
  const commands = new CommandClient({ http, tokens, docs });
  const places = new CopyPlaces({ files, sessions });
  const writer = new SaveWriter({ files, places });
  const versions = new VersionRepository(machine);
  const eraser = new VersionEraser({ ...context, versions, files });
  const keeper = new VersionKeeper({ ...context, ...stores, docs, versions, eraser });
  const savedVersions = new SavedVersions({ ...machine, keeper });
  const restorations = new RestoreRecord({ ...machine, sessions, keys, keeper });
  const intents = new WriteIntents({ ...machine, sessions, files });
  const begun = new BegunWrites({ ...machine, sessions, intents });
  const left = new LeftWrites({
    ...{ ...machine, ...stores, record, restorations, saves, versions: savedVersions },
  });
  const download = new SaveDownload({ http, docs });
  const saving = new SaveService({
    ...{ ...machine, ...stores, record, saves, download },
    versions: savedVersions,
    ...{ begun, left },
    planner: new SavePlanner({ sessions, files }),
    ...{ writer, elsewhere: new SavesElsewhere({ documents, writer, places }) },
  });
  const addresses = new FileAddresses({ tokens, config, serverBase });
  const finder = new DocumentFinder({ ...stores, keeper, left });
  const versionService = new VersionService({ ...stores, finder, addresses });
  return {
    opening: new EditorOpening({
      ...{ ...stores, addresses, publicBase, serverBase, locale },
      plugins: pluginsOf(pluginTokens, publicBase),
    }),
    delivery: new FileDelivery({ ...stores, serverBase, clock: tenantClock.machine }),
    callbacks: new CallbackService({
      ...{ verifier: new CallbackVerifier({ tokens, docs }), record, saving },
    }),
    sessionService: new SessionService({ ...context, sessions, access, commands }),
    versionService,
    endedHistories: new EndedHistories({ ...machine, documents, eraser }),
    versionRemoval: new VersionRemoval({ finder, eraser }),
    versionRestore: new VersionRestore({
      ...{ ...machine, ...stores, finder, versionService, begun },
      idleCheck: new IdleCheck({ sessions, saves, commands }),
      record: restorations,
    }),
    serverStatus: new ServerStatusService({ commands, docs }),
    forgotten: new ForgottenFiles({
      ...{ ...machine, commands, sessions, saving, download, record },
      progress: new RecoveryProgress(context),
    }),
  };
}
