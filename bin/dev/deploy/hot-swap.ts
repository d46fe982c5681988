import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateFunctionCodeCommand,
} from '@aws-sdk/client-lambda';
import type { BuiltFunction } from '../build/function-builder.ts';
import { localClientConfig } from '../local-cloud/aws-client.ts';
import { codeSha256, zipFolder } from './zip.ts';

interface LiveCode {
  readonly checksum: string;
  readonly archive: Uint8Array;
}

/** Puts built code into deployed functions without a stack update. */
export class HotSwapper {
  readonly #lambda: LambdaClient;
  /** Deployed checksums, by built name. */
  readonly #live = new Map<string, LiveCode>();

  constructor(endpoint: string) {
    this.#lambda = new LambdaClient(localClientConfig(endpoint));
  }

  close(): void {
    this.#lambda.destroy();
  }

  /**
   * Replaces the code of every deployed function whose build changed since the last call.
   * @param functionNames deployed names by built name; a function that is not deployed is left out.
   * @returns the built names of the replaced functions.
   */
  async swap(
    built: readonly BuiltFunction[],
    functionNames: Readonly<Record<string, string>>,
  ): Promise<string[]> {
    const changed = built.filter(
      ({ name, checksum }) => functionNames[name] && this.#live.get(name)?.checksum !== checksum,
    );
    await Promise.all(
      changed.map(async ({ name, folder, checksum }) => {
        const archive = zipFolder(folder);
        await this.#replace(functionNames[name] ?? '', archive);
        this.#live.set(name, { checksum, archive });
      }),
    );
    return changed.map(({ name }) => name);
  }

  /**
   * Makes the deployed functions run the build, whatever the stack reports: a stack update without
   * changes can leave other code in place.
   */
  async align(
    built: readonly BuiltFunction[],
    functionNames: Readonly<Record<string, string>>,
  ): Promise<void> {
    for (const { name, folder, checksum } of built) {
      if (this.#live.get(name)?.checksum === checksum) continue;
      this.#live.set(name, { checksum, archive: zipFolder(folder) });
    }
    await this.restore(functionNames);
  }

  /** Restores the previous code after a stack update that was rolled back to even older code. */
  async restore(functionNames: Readonly<Record<string, string>>): Promise<void> {
    await Promise.all(
      [...this.#live].map(async ([name, { archive }]) => {
        const functionName = functionNames[name];
        if (!functionName) return;
        const { CodeSha256 } = await this.#lambda.send(
          new GetFunctionConfigurationCommand({ FunctionName: functionName }),
        );
        if (CodeSha256 !== codeSha256(archive)) await this.#replace(functionName, archive);
      }),
    );
  }

  async #replace(functionName: string, archive: Uint8Array): Promise<void> {
    await this.#lambda.send(
      new UpdateFunctionCodeCommand({ FunctionName: functionName, ZipFile: archive }),
    );
  }
}
