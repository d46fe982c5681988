import { exists } from '../../../shared/store/conditions.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { sealedCodes } from '../domain/definitions/generations.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { HistoryRepository } from '../store/history-repository.ts';

interface Dependencies {
  readonly histories: HistoryRepository;
  readonly unitOfWork: RunUnitOfWork;
}

/** Entries of one transaction: of 400 KB each, they are within its 4 MB. */
const AT_ONCE = 10;

/**
 * Takes the values that a generation has made secret out of the history of a record. An entry that is purged meanwhile
 * stays away.
 */
export async function forgetHistory(
  { histories, unitOfWork }: Dependencies,
  { code, definition, life }: EntityModel,
  id: string,
  generation = life.generation,
): Promise<void> {
  const secret = sealedCodes({ life, fields: definition.fields }, generation);
  if (secret.size === 0) return;
  const entries = await histories.without(code, id, secret);
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    await unitOfWork(async (unit) => {
      for (const { key, changes } of entries.slice(at, at + AT_ONCE)) {
        const values = { ':changes': changes };
        unit.update(
          key,
          { expression: 'SET changes = :changes', values },
          { condition: exists, otherwise: 'retry' },
        );
      }
    });
  }
}
