import type { UserAccount } from '../../../../shared/ports/identity.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { Run } from '../run/run.ts';
import { USER_PROVISIONED } from '../topics.ts';
import type { StepDependencies } from './dependencies.ts';

/** Tells new users of their accounts; the text and the sending are those of the listener. */
export class Notices {
  readonly #deps: Pick<StepDependencies, 'events' | 'access' | 'notifyOnFirstImport'>;

  constructor(dependencies: Pick<StepDependencies, 'events' | 'access' | 'notifyOnFirstImport'>) {
    this.#deps = dependencies;
  }

  /** @param account one that was just made; a repeated step publishes again, with the same key */
  async tell(run: Run, source: IdentitySource, account: UserAccount): Promise<void> {
    const { events, notifyOnFirstImport } = this.#deps;
    const { emailNotify } = source.strategyConfig.user;
    const isAsked = emailNotify && (!run.isFirst || notifyOnFirstImport);
    if (!isAsked || account.status !== 'ENABLED' || account.email === undefined) return;
    const { id: userId } = account;
    const key = `${userId}:${run.batch}`;
    const facts = { userId, sourceId: source.id, batch: run.batch, key };
    await events.publish(USER_PROVISIONED, userId, facts);
  }
}
