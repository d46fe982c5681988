import type { RenewedTexts } from '../../../shared/re-encryption/renewed-texts.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';

/** Cipher texts of one kind, in an order in which a walk goes on after a place. */
export interface SealedTexts {
  /** Never changes: a walk under way remembers it. */
  readonly name: string;
  /** Places after one, in their order; fewer than `limit`: the last ones. */
  places(after: string | undefined, limit: number): Promise<readonly string[]>;
  /** Stages what is at a place under the newest key, on condition that it is unchanged. */
  stageRenewed(unit: UnitOfWork, place: string, texts: RenewedTexts): Promise<void>;
}
