import { join } from 'node:path';
import {
  type BuiltFunction,
  type BuiltFunctions,
  FunctionBuilder,
} from './build/function-builder.ts';
import { type Assembly, readAssembly } from './deploy/assembly.ts';
import { HotSwapper } from './deploy/hot-swap.ts';
import { findLost, type LostResource, takeInventory } from './deploy/lost-resources.ts';
import { publishAssets } from './deploy/publish-assets.ts';
import { planReconcile, reconcile } from './deploy/reconcile.ts';
import { synthesise } from './deploy/synthesise.ts';
import {
  type DeployedStack,
  type DeployProgress,
  physicalIds,
  type StackChange,
  StackDeployer,
} from './deploy/update-stack.ts';
import { ensureDevIssuer } from './dev-issuer.ts';
import { localRegion } from './local-cloud/aws-client.ts';
import type { PlatformOutputs } from './outputs.ts';

/** Options of a platform on a local cloud. */
export interface PlatformOptions {
  /** Folder for bundles and the cloud assembly. */
  readonly workFolder: string;
  /** `-c key=value` overrides. */
  readonly context?: Readonly<Record<string, string>>;
  /** Whether to minify as in production; default false. */
  readonly minify?: boolean;
  /** Host file instead of `bin/host.ts`. */
  readonly hostEntry?: string;
  /** File whose default export lists modules besides those of the platform. */
  readonly modulesEntry?: string;
  /** Functions that were built from the same sources already. */
  readonly built?: BuiltFunctions;
}

/** The outputs that come from the stack; the serving process adds the rest. */
export type StackOutputs = Omit<PlatformOutputs, 'baseUrl' | 'endpoint' | 'pid' | 'startedAt'>;

/** Builds, synthesises and deploys the platform without the CDK CLI. */
export class Platform {
  readonly #options: PlatformOptions;
  readonly #builder: FunctionBuilder;
  #built: readonly BuiltFunction[] = [];
  #assembly: Assembly | undefined;
  /** The last successful deployment. */
  #running: Assembly | undefined;
  #deployed: DeployedStack | undefined;
  #cloud: { endpoint: string; stacks: StackDeployer; swapper: HotSwapper } | undefined;

  constructor(options: PlatformOptions) {
    this.#options = options;
    this.#builder = new FunctionBuilder({
      outputFolder: join(options.workFolder, 'functions'),
      minify: options.minify ?? false,
      ...(options.hostEntry && { hostEntry: options.hostEntry }),
      ...(options.modulesEntry && { modulesEntry: options.modulesEntry }),
    });
  }

  /** Builds every function. */
  async build(): Promise<readonly BuiltFunction[]> {
    this.#built = this.#options.built?.functions ?? (await this.#builder.buildAll());
    return this.#built;
  }

  /** Builds the wanted functions that contain a changed file; files are relative to the project. */
  async buildChanged(
    changed: readonly string[],
    isWanted?: (name: string) => boolean,
  ): Promise<void> {
    this.#built = await this.#builder.buildChanged(changed, isWanted);
  }

  /** Copies and generates the assets of the functions, after {@link buildChanged}. */
  async buildAssets(): Promise<void> {
    this.#built = await this.#builder.buildAssets();
  }

  /** Prepares fast builds after changes. A failure shows at the next build. */
  async warmUp(): Promise<void> {
    await this.#builder.warmUp().catch(() => undefined);
  }

  /** Synthesises the stack from the last build. */
  async synthesise(): Promise<void> {
    await ensureDevIssuer();
    const assemblyFolder = join(this.#options.workFolder, 'assembly');
    await synthesise({
      context: this.#options.context ?? {},
      assemblyFolder,
      bundleFolder: this.#options.built?.folder ?? join(this.#options.workFolder, 'functions'),
      ...(this.#options.hostEntry && { hostEntry: this.#options.hostEntry }),
      ...(this.#options.modulesEntry && { modulesEntry: this.#options.modulesEntry }),
    });
    this.#assembly = readAssembly(assemblyFolder);
  }

  /** The template of the last synthesis, as JSON. */
  get templateBody(): string {
    return this.#synthesised().templateBody;
  }

  /** Sets the target of deployments. */
  connect(endpoint: string): void {
    this.#cloud = {
      endpoint,
      stacks: new StackDeployer(endpoint),
      swapper: new HotSwapper(endpoint),
    };
  }

  /** Resources that the deployed stack reports but that do not exist; empty without a stack. */
  async findLost(): Promise<LostResource[]> {
    const { endpoint, stacks } = this.#connected();
    const stack = await stacks.read(this.#synthesised().stackName);
    return stack ? findLost(stack.resources, await takeInventory(endpoint)) : [];
  }

  /** Deletes the stack. */
  async remove(): Promise<void> {
    await this.#connected().stacks.remove(this.#synthesised().stackName);
  }

  /** Brings the cloud to the state of the last synthesis and build. */
  async deploy(onProgress: DeployProgress = () => undefined): Promise<StackChange> {
    const { endpoint, stacks, swapper } = this.#connected();
    const assembly = this.#synthesised();
    await publishAssets(endpoint, assembly.assets);
    try {
      const change = await stacks.deploy(assembly, onProgress);
      await this.#settle(assembly);
      await swapper.align(this.#built, this.functionNames());
      this.#running = assembly;
      return change;
    } catch (error) {
      if (this.#running) {
        await this.#settle(this.#running);
        await swapper.restore(this.functionNames());
      }
      throw error;
    }
  }

  /** Deploys the last build to the running functions. @returns the names of changed functions */
  async swap(): Promise<string[]> {
    return await this.#connected().swapper.swap(this.#built, this.functionNames());
  }

  /** Deployed function names by built name. */
  functionNames(): Record<string, string> {
    const outputs = this.#deployed?.outputs ?? {};
    return Object.fromEntries(
      this.#built.flatMap(({ name }) => {
        const functionName = outputs[`${pascalCase(name)}FunctionName`];
        return functionName ? [[name, functionName]] : [];
      }),
    );
  }

  /** Names and ids of the deployed stack. */
  outputs(): StackOutputs {
    const outputs = this.#deployed?.outputs ?? {};
    const read = (name: string): string => {
      const value = outputs[name];
      if (value === undefined) throw new Error(`The stack has no output ${name}.`);
      return value;
    };
    return {
      region: localRegion,
      stage: 'local',
      stackName: this.#synthesised().stackName,
      tableName: read('TableName'),
      bucketName: read('BucketName'),
      eventBusName: read('EventBusName'),
      apiId: read('ApiId'),
      functions: this.functionNames(),
    };
  }

  async close(): Promise<void> {
    await this.#builder.close();
    this.#cloud?.stacks.close();
    this.#cloud?.swapper.close();
  }

  /** Reads the deployed resources and sets the properties that the local cloud's CloudFormation ignores. */
  async #settle(assembly: Assembly): Promise<void> {
    const { endpoint, stacks } = this.#connected();
    this.#deployed = await stacks.read(assembly.stackName);
    if (!this.#deployed) return;
    await reconcile(endpoint, planReconcile(assembly.template, physicalIds(this.#deployed)));
  }

  #connected(): { endpoint: string; stacks: StackDeployer; swapper: HotSwapper } {
    if (!this.#cloud) throw new Error('The platform is not connected to a local cloud.');
    return this.#cloud;
  }

  #synthesised(): Assembly {
    if (!this.#assembly) throw new Error('The stack has not been synthesised.');
    return this.#assembly;
  }
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
