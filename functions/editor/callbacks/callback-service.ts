import type { SaveRecord } from '../saving/save-record.ts';
import type { SaveService } from '../saving/save-service.ts';
import type { CallbackVerifier, SentCallback } from './callback-verifier.ts';

interface CallbackServiceDependencies {
  readonly verifier: CallbackVerifier;
  readonly saving: SaveService;
  readonly record: SaveRecord;
}

/** Takes what the editing server reports. */
export class CallbackService {
  readonly #deps: CallbackServiceDependencies;

  constructor(dependencies: CallbackServiceDependencies) {
    this.#deps = dependencies;
  }

  /** Whoever has no context token is not listened to. @throws Problem `DOCS_CONTEXT_INVALID` (403) */
  async requireContext(contextToken: string | undefined): Promise<void> {
    await this.#deps.verifier.context(contextToken);
  }

  /** @throws Problem as the verifier and `SaveService.save` do */
  async take(sent: SentCallback): Promise<void> {
    const { verifier, saving, record } = this.#deps;
    const { context, callback } = await verifier.verify(sent);
    switch (callback.kind) {
      case 'nothing':
        return;
      case 'presence':
        return record.presence(context, callback);
      case 'lost':
        return record.lost(context, callback);
      case 'save':
        return callback.status === 7
          ? record.lost(context, { kind: 'lost', status: 7, userId: callback.userId })
          : saving.save(context, callback);
    }
  }
}
