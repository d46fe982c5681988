import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import { apart, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { type DeployedVersion, factsOf } from '../domain/definitions/deployed-version.ts';
import {
  type ContentFile,
  type ContentStore,
  modelPath,
  type PackedPart,
  resourcePath,
} from '../store/content-store.ts';
import type { DeploymentIntent, PendingDeployments } from '../store/pending-deployments.ts';
import type { DeploymentCompensation } from './deployment-compensation.ts';
import type { CompiledSource, ModelSource } from './model-compiler.ts';

export interface VersionStorageDependencies {
  readonly contents: ContentStore;
  readonly pending: PendingDeployments;
  readonly compensation: DeploymentCompensation;
  readonly machine: Clock;
}

/** A call has 29 s: what it has announced is left over after that. */
const CALL_MS = 30_000;

/** Stores what versions are made of: their models and documents. */
export class VersionStorage {
  readonly #deps: VersionStorageDependencies;

  constructor(dependencies: VersionStorageDependencies) {
    this.#deps = dependencies;
  }

  /** Announces and writes the files of a version and stages what is stored in the table. */
  async store(
    unit: UnitOfWork,
    version: DeployedVersion,
    { request, source }: { request: ModelSource; source: CompiledSource },
  ): Promise<void> {
    const { contents, pending, compensation, machine } = this.#deps;
    const { deploymentId, tenantCode, workflowCode } = version;
    const { cases, decisions, snapshot } = source;
    const parts = [
      await contents.pack(deploymentId, 'MODEL', { facts: factsOf(version), cases, decisions }),
      await contents.pack(deploymentId, 'SNAPSHOT', snapshot),
    ];
    const files = [...documentsOf(deploymentId, request), ...parts.flatMap(fileOf)];
    const intent: DeploymentIntent = {
      ...{ deploymentId, tenantCode, workflowCode, attempts: 0 },
      files: files.map(({ path }) => path),
      dueAt: machine.now() + CALL_MS,
    };
    await apart(() => pending.announce(intent));
    unit.afterFailure(() =>
      apart(async () => {
        await compensation.undo(intent);
      }),
    );
    faultPoint('deployment-announced');
    for (const file of files) await contents.write(file);
    faultPoint('deployment-written');
    for (const part of parts) contents.stage(unit, deploymentId, part);
    pending.stageDone(unit, deploymentId);
  }
}

const XML = 'application/xml';

const documentsOf = (deploymentId: string, { xml, resources }: ModelSource): ContentFile[] => [
  { path: modelPath(deploymentId), body: Buffer.from(xml), contentType: XML },
  ...resources.map((resource, at) => ({
    path: resourcePath(deploymentId, at),
    body: Buffer.from(resource.xml),
    contentType: XML,
  })),
];

const fileOf = ({ path, bytes }: PackedPart): ContentFile[] =>
  path === undefined ? [] : [{ path, body: bytes, contentType: 'application/gzip' }];
