import { encodePath } from '../domain/file-id.ts';
import { FILE_PATH } from '../paths.ts';
import type { EditorTokens } from '../tokens/editor-tokens.ts';
import type { FileClaims } from '../tokens/token-claims.ts';

interface FileAddressesDependencies {
  readonly tokens: EditorTokens;
  readonly config: { readonly docs: { readonly presignedUrlExpiration: number } };
  /** Address of the API for the editing server. */
  readonly serverBase: () => string;
}

/** Addresses that the editing server downloads files by. */
export class FileAddresses {
  readonly #deps: FileAddressesDependencies;

  constructor(dependencies: FileAddressesDependencies) {
    this.#deps = dependencies;
  }

  async of(claims: Omit<FileClaims, 'typ' | 'exp'>): Promise<string> {
    const { tokens, config, serverBase } = this.#deps;
    const token = await tokens.issueFile(claims, config.docs.presignedUrlExpiration);
    return `${serverBase()}${FILE_PATH}/${encodePath(claims.fid)}?accessToken=${token}`;
  }
}
