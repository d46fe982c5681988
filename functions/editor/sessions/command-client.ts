import * as z from 'zod';
import type { HttpClient } from '../../../shared/http-client/contract.ts';
import { HttpClientError } from '../../../shared/http-client/http-client-error.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { problems } from '../errors.ts';
import type { EditorTokens } from '../tokens/editor-tokens.ts';

interface CommandClientDependencies {
  readonly http: () => Promise<HttpClient>;
  readonly tokens: EditorTokens;
  readonly docs: {
    readonly documentServerUrl?: string | undefined;
    readonly documentServerInternalUrl?: string | undefined;
  };
}

const commandAnswer = lazy(() =>
  z.looseObject({
    error: z.int(),
    version: z.string().optional(),
    keys: z.array(z.string()).optional(),
    url: z.string().optional(),
  }),
);

type CommandAnswer = z.output<ReturnType<typeof commandAnswer>>;

/** What the editing server answers with. */
export const COMMAND_ERRORS = { none: 0, noSuchKey: 1, notChanged: 4, badToken: 6 } as const;

const TOKEN_SECONDS = 300;
const COMMAND_MS = 10_000;

/** Gives commands to the editing server. */
export class CommandClient {
  readonly #deps: CommandClientDependencies;

  constructor(dependencies: CommandClientDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `DOCS_SERVER_UNAVAILABLE` (502) */
  async send(command: { readonly c: string; readonly key?: string }): Promise<CommandAnswer> {
    const { http, tokens, docs } = this.#deps;
    const { documentServerInternalUrl, documentServerUrl = '' } = docs;
    const base = (documentServerInternalUrl ?? documentServerUrl).replace(/\/+$/, '');
    const shard = command.key === undefined ? '' : `?shardkey=${encodeURIComponent(command.key)}`;
    const token = await tokens.forServer(command, TOKEN_SECONDS);
    try {
      return await (await http()).json(`${base}/command${shard}`, commandAnswer(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
        totalTimeoutMs: COMMAND_MS,
      });
    } catch (cause) {
      if (!(cause instanceof HttpClientError)) throw cause;
      throw problems.serverUnavailable({ code: cause.code }, { cause });
    }
  }
}
