import { Problem } from '../../../shared/problems/problem.ts';
import { COMMAND_ERRORS, type CommandClient } from './command-client.ts';

interface ServerStatusDependencies {
  readonly commands: CommandClient;
  readonly docs: { readonly documentServerUrl?: string | undefined };
}

/** What is known of the editing server. */
interface ServerStatus {
  readonly documentServerUrl: string;
  readonly isReachable: boolean;
  readonly version: string | null;
  /** `null` when it could not be asked. */
  readonly secretAgrees: boolean | null;
  /** Stable code; `null` when all is well. */
  readonly fault: string | null;
}

/** Looks whether the editing server answers, and to our secret. */
export class ServerStatusService {
  readonly #deps: ServerStatusDependencies;

  constructor(dependencies: ServerStatusDependencies) {
    this.#deps = dependencies;
  }

  async look(): Promise<ServerStatus> {
    const { commands, docs } = this.#deps;
    const { documentServerUrl = '' } = docs;
    try {
      const { error, version = null } = await commands.send({ c: 'version' });
      const isRefused = error === COMMAND_ERRORS.badToken;
      const fault = isRefused ? 'SECRET_DIFFERS' : `COMMAND_${error}`;
      return {
        ...{ documentServerUrl, isReachable: true, version, secretAgrees: !isRefused },
        fault: error === COMMAND_ERRORS.none ? null : fault,
      };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const fault = String(error.extensions.reason ?? error.code);
      return { documentServerUrl, isReachable: false, version: null, secretAgrees: null, fault };
    }
  }
}
